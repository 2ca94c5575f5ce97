/** Owns what is read of the SDKs' clients, and the one difference between them: where `callTool` takes its options. */
import type { AttemptContext, CancelSignal } from '@holdfast/core';

/** A client of `@modelcontextprotocol/client` (v2) or of `@modelcontextprotocol/sdk` (v1). */
export interface McpClient {
  callTool(...args: never[]): Promise<unknown>;
  listTools(...args: never[]): Promise<unknown>;
}

/** Hints of a server about one of its tools. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
}

/** A tool as a server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: ToolAnnotations | undefined;
}

export interface ListedTools {
  readonly tools: readonly ListedTool[];
  readonly nextCursor?: string | undefined;
}

export interface CallParams {
  readonly name: string;
  readonly arguments?: unknown;
}

/** What is read of a request's options; the others go along. */
interface RequestOptions {
  readonly signal?: CancelSignal | undefined;
  readonly timeout?: number | undefined;
}

/** A call as it was made, beside its parameters. */
export interface CallRest {
  /** Only v1 has one. */
  readonly resultSchema?: unknown;
  readonly options?: RequestOptions | undefined;
}

/** Settles with the task, or when the caller cancels. */
export async function orCancelled(task: Promise<void>, signal: CancelSignal | undefined): Promise<void> {
  if (!signal) return task;
  let stop = (): void => {};
  const cancelled = new Promise<void>((resolve) => {
    stop = resolve;
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', stop);
  });
  await Promise.race([task, cancelled]).finally(() => signal.removeEventListener('abort', stop));
}

/** The longest wait of a timer. */
export const noTimeoutMs = 2_147_483_647;

const isSecond = (client: McpClient): boolean => 'getProtocolEra' in client;

export function readRest(client: McpClient, [second, third]: readonly unknown[]): CallRest {
  if (isSecond(client)) return { options: second as RequestOptions | undefined };
  return { resultSchema: second, options: third as RequestOptions | undefined };
}

/** Sends a call once. Where Holdfast has a time limit of its own, the SDK's is out of its way, unless the caller asked for one. */
export function send(
  client: McpClient,
  params: CallParams,
  { resultSchema, options }: CallRest,
  context: AttemptContext,
): Promise<unknown> {
  const limited = options?.timeout === undefined && context.timeoutMs < noTimeoutMs;
  const sent = { ...options, signal: context.signal, ...(limited ? { timeout: noTimeoutMs } : {}) };
  const callTool = client.callTool.bind(client) as (...args: readonly unknown[]) => Promise<unknown>;
  return isSecond(client) ? callTool(params, sent) : callTool(params, resultSchema, sent);
}

/** No server has more pages of tools than a client of v2 would read. */
const mostPages = 64;

/** All tools of the server, whatever its pages. */
export async function listAll(client: McpClient, timeout: number | undefined): Promise<readonly ListedTool[]> {
  const listTools = client.listTools.bind(client) as (params: unknown, options: unknown) => Promise<ListedTools>;
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const listed = await listTools(cursor === undefined ? undefined : { cursor }, { cacheMode: 'refresh', timeout });
    tools.push(...listed.tools);
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
