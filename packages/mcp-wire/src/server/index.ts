/** The server's side of MCP: one face, spoken to over stdio and Streamable HTTP in both eras. */
export type { FaceClient, FaceRequest, Front, FrontStatus, ServerDescription, ServerFace } from './face.ts';
export { dropBody, readBody } from './http/body.ts';
export { httpFront } from './http/http-front.ts';
export type { HttpCaller, HttpFront, HttpFrontLimits, HttpFrontOptions } from './http/options.ts';
export { stdioFront } from './stdio/stdio-front.ts';
export type { StdioFront, StdioFrontOptions } from './stdio/options.ts';
export { isJsonObject, isRpcError, rpcCodes, rpcError } from '../message.ts';
export type { JsonObject, RequestId, RpcError } from '../message.ts';
export { logLevels } from '../era.ts';
export type { Era, LogLevel } from '../era.ts';
