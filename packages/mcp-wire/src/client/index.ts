/** The client's side of MCP: greeting a server of either era, requests, streams. */
export type { ClientRequestOptions, McpConnection, ServerGreeting } from './connection.ts';
export { isJsonObject, isRpcError, rpcCodes, rpcError } from '../message.ts';
export type { JsonObject, RequestId, RpcError } from '../message.ts';
export type { Era, LogLevel } from '../era.ts';
