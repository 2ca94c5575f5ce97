/** Runners for tools outside the process. Every factory checks its options at once and returns a `Runner`. */
export type { LoadableRunner } from './load.ts';
export type { RunnerErrorCode } from './runner-error.ts';
export type { SecretReference, TextOrSecret } from './options/secret.ts';
export { workerRunner } from './worker/worker-runner.ts';
export type { WorkerRunnerOptions } from './worker/options.ts';
export type { WorkerAttempt, WorkerToolContext } from './worker/protocol.ts';
export { processRunner } from './process/process-runner.ts';
export type { ProcessRunnerOptions } from './process/options.ts';
export { outgoingHeaders, withOutgoingHeaders } from './outgoing.ts';
export { httpRunner } from './http/http-runner.ts';
export type { HttpMethod, HttpRunnerOptions, QueryValue } from './http/options.ts';
export { addressJudge } from './http/address-rules.ts';
export type { AddressRule } from './http/address-rules.ts';
export { checkedLookup } from './http/lookup.ts';
export type { ResolveHost } from './http/lookup.ts';
export { openapiTools } from './openapi/openapi-tools.ts';
export type { OpenapiTool } from './openapi/openapi-tools.ts';
export type { OperationMethod } from './openapi/operations.ts';
export type { OpenapiOptions, OpenapiProblem } from './openapi/options.ts';
export { mcpServer } from './mcp/mcp-server.ts';
export type { McpServer } from './mcp/mcp-server.ts';
export type { McpServerEvent } from './mcp/events.ts';
export type { McpTool } from './mcp/list-tools.ts';
export type {
  AuthorizationRefusal,
  AuthorizedRequest,
  ClientRequestOptions,
  JsonObject,
  RequestAuthorizer,
  ResponseHeaders,
  ServerHandshake,
} from '@holdfast/mcp-wire/client';
export type { McpServerOptions } from './mcp/options.ts';
export type { McpServerStatus } from './mcp/supervisor.ts';
export { effectFromAnnotations } from '@holdfast/core/internal';
export type { ToolAnnotations } from '@holdfast/core/internal';
