/** The server side of MCP: serves a handler over stdio and Streamable HTTP, in both eras. */
export type { ConnectedClient, ClientRequest, ServerTransport, TransportStatus, ServerDescription, ServerHandler } from './handler.ts';
export { FairShare } from './fair-share.ts';
export { type LargeJson, largeJsonChars, readLargeJson } from './large-json.ts';
export { dropBody, readBody } from './http/read-body.ts';
export { httpTransport } from './http/http-transport.ts';
export type { HttpCaller, HttpTransport, HttpTransportLimits, HttpTransportOptions } from './http/http-options.ts';
export { stdioTransport } from './stdio/stdio-transport.ts';
export type { StdioTransport, StdioTransportOptions } from './stdio/stdio-options.ts';
export { isJsonObject, isRpcError, rpcCodes, rpcError } from '../message.ts';
export type { JsonObject, RequestId, RpcError } from '../message.ts';
export { logLevels } from '../era.ts';
export type { Era, LogLevel } from '../era.ts';
