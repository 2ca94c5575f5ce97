/** The client side of MCP: handshake with servers of either era, requests, streams. */
export { connect } from './connect.ts';
export { isRefusal } from './handshake.ts';
export { stdioLink } from './stdio/stdio-link.ts';
export { httpLink } from './http/http-link.ts';
export { pagesOf } from './pages.ts';
export { Pauses } from '../pauses.ts';
export { UnreadPart } from '../unread-part.ts';
export type { ListPage, PageRequest } from './pages.ts';
export type { ClientRequestOptions, ConnectOptions, McpConnection, ServerHandshake } from './connection.ts';
export type { AuthorizationRefusal, AuthorizedRequest, RequestAuthorizer } from './http/authorization.ts';
export type { ResponseHeaders } from './http/exchange.ts';
export type { HttpLinkOptions } from './http/endpoint.ts';
export type { LinkListener, MessageLink, OwnRequest } from './link.ts';
export type { StdioLinkOptions } from './stdio/stdio-link.ts';
export type { WireError, WireErrorCode } from './wire-error.ts';
export { isJsonObject, isRpcError, rpcCodes, rpcError } from '../message.ts';
export type {
  JsonObject,
  RequestId,
  RpcError,
  RpcErrorBody,
  RpcFailure,
  RpcMessage,
  RpcNotification,
  RpcRequest,
  RpcResult,
} from '../message.ts';
export type { Era, LogLevel } from '../era.ts';
