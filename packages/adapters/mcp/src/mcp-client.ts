/** Owns what is read of the SDKs' clients, and the one difference between them: where `callTool` takes its options. */
import type { AttemptContext, CancelSignal } from '@holdfast/core';

/** A client of `@modelcontextprotocol/client` (v2) or of `@modelcontextprotocol/sdk` (v1). */
export interface McpClient {
  /** Calls a tool of the server. v1 takes a result schema before the options. */
  callTool(...args: never[]): Promise<unknown>;
  /** Lists the tools of the server, one page at a time. */
  listTools(...args: never[]): Promise<unknown>;
}

/** A tool as a server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Partial<Record<'readOnlyHint' | 'idempotentHint' | 'destructiveHint', boolean | undefined>>> | undefined;
}

export interface ListedTools {
  readonly tools: readonly ListedTool[];
  readonly nextCursor?: string | undefined;
}

export interface CallParams {
  readonly name: string;
  readonly arguments?: unknown;
}

/** A call as it was made, beside its parameters. */
export interface CallRest {
  /** Only v1 has one. */
  readonly resultSchema?: unknown;
  /** What is read of the SDK's options; the others go along. */
  readonly options?: { readonly signal?: CancelSignal | undefined; readonly timeout?: number | undefined } | undefined;
}

/** Settles with the task, or when the caller cancels. */
export async function orCancelled(task: Promise<void>, signal: CancelSignal | undefined): Promise<void> {
  if (!signal || signal.aborted) return signal ? undefined : task;
  let stop = (): void => {};
  const cancelled = new Promise<void>((resolve) => signal.addEventListener('abort', (stop = resolve)));
  await Promise.race([task, cancelled]).finally(() => signal.removeEventListener('abort', stop));
}

/** The longest wait of a timer. */
export const noTimeoutMs = 2_147_483_647;

const isSecond = (client: McpClient): boolean => 'getProtocolEra' in client;

export function readRest(client: McpClient, rest: readonly unknown[]): CallRest {
  return (isSecond(client) ? { options: rest[0] } : { resultSchema: rest[0], options: rest[1] }) as CallRest;
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
  const rest = isSecond(client) ? [sent] : [resultSchema, sent];
  return (client.callTool as (...args: unknown[]) => Promise<unknown>).call(client, params, ...rest);
}

/** Asks the client, as one of both SDKs. */
export function listTools(client: McpClient, ...args: unknown[]): Promise<ListedTools> {
  return (client.listTools as (...args: unknown[]) => Promise<ListedTools>).apply(client, args);
}

/** All tools of the server, whatever its pages. */
export async function listAll(client: McpClient, timeout: number | undefined): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  // A server whose pages go round in circles is left in the end.
  for (let page = 0; page < 64; page++) {
    const listed = await listTools(client, cursor === undefined ? undefined : { cursor }, { cacheMode: 'refresh', timeout });
    tools.push(...listed.tools);
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
