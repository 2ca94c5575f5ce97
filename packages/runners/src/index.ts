/** Ways to run a tool outside the process. Every factory checks its options at once and returns a `Runner`. */
export type { LoadableRunner } from './load.ts';
export type { RunnerErrorCode } from './runner-error.ts';
export type { SecretReference, TextOrSecret } from './options/secret.ts';
export { workerRunner } from './worker/worker-runner.ts';
export type { WorkerRunnerOptions } from './worker/options.ts';
export type { WorkerAttempt, WorkerToolContext } from './worker/protocol.ts';
export { processRunner } from './process/process-runner.ts';
export type { ProcessRunnerOptions } from './process/options.ts';
export { httpRunner } from './http/http-runner.ts';
export type { HttpMethod, HttpRunnerOptions, QueryValue } from './http/options.ts';
export { mcpServer } from './mcp/mcp-server.ts';
export type { McpServer, McpServerEvent, McpTool } from './mcp/mcp-server.ts';
export type { ClientRequestOptions, JsonObject, ServerGreeting } from '@holdfast/mcp-wire/client';
export type { McpServerOptions } from './mcp/options.ts';
export type { McpServerStatus } from './mcp/supervisor.ts';
export { effectFromAnnotations } from './mcp/annotations.ts';
export type { ToolAnnotations } from './mcp/annotations.ts';
