/** The server side of MCP: serves one face over stdio and Streamable HTTP, in both eras. */
export type { FaceClient, FaceRequest, Front, FrontStatus, ServerDescription, ServerFace } from './handler.ts';
export { dropBody, readBody } from './http/read-body.ts';
export { httpFront } from './http/http-transport.ts';
export type { HttpCaller, HttpFront, HttpFrontLimits, HttpFrontOptions } from './http/http-options.ts';
export { stdioFront } from './stdio/stdio-transport.ts';
export type { StdioFront, StdioFrontOptions } from './stdio/stdio-options.ts';
export { isJsonObject, isRpcError, rpcCodes, rpcError } from '../message.ts';
export type { JsonObject, RequestId, RpcError } from '../message.ts';
export { logLevels } from '../era.ts';
export type { Era, LogLevel } from '../era.ts';
