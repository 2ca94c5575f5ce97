/** Owns the interface of the SDKs' clients, and the difference between them: the position of `callTool`'s options. */
import type { AttemptContext, CancelSignal, Progress } from '@holdfast/core';
import { describeClientError } from './results.ts';

/** A client of `@modelcontextprotocol/client` (v2) or of `@modelcontextprotocol/sdk` (v1). */
export interface McpClient {
  /** Calls a tool of the server. v1 takes a result schema before the options. */
  callTool(...args: never[]): Promise<unknown>;
  /** Lists the tools of the server, one page at a time. */
  listTools(...args: never[]): Promise<unknown>;
  /** Connects to the server. */
  connect?(...args: never[]): unknown;
  /** Ends the connection. */
  close?(...args: never[]): unknown;
}

/** A tool as listed by a server. */
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

/** The arguments of `callTool` after the parameters. */
export interface CallRest {
  /** Only in v1. */
  readonly resultSchema?: unknown;
  /** The SDK's options; unknown ones are passed on. */
  readonly options?:
    | {
        readonly signal?: CancelSignal | undefined;
        readonly timeout?: number | undefined;
        readonly onprogress?: ((progress: Progress) => void) | undefined;
      }
    | undefined;
}

/** Settles with the task, or resolves when the caller cancels. */
export async function untilCancelled(task: Promise<void>, signal: CancelSignal | undefined): Promise<void> {
  if (!signal || signal.aborted) return signal ? undefined : task;
  let stop = (): void => {};
  const cancelled = new Promise<void>((resolve) => signal.addEventListener('abort', (stop = resolve)));
  await Promise.race([task, cancelled]).finally(() => signal.removeEventListener('abort', stop));
}

/** The maximum delay of a timer. */
export const maxTimeoutMs = 2_147_483_647;

const isVersion2 = (client: McpClient): boolean => 'getProtocolEra' in client;

export function readRest(client: McpClient, rest: readonly unknown[]): CallRest {
  return (isVersion2(client) ? { options: rest[0] } : { resultSchema: rest[0], options: rest[1] }) as CallRest;
}

/**
 * Sends a call once. If Holdfast has a timeout, the SDK's is disabled unless the caller has set one.
 *
 * @param watchesProgress Holdfast ends an attempt without progress, so the server is asked to report it.
 */
export function send(
  client: McpClient,
  params: CallParams,
  { resultSchema, options }: CallRest,
  context: AttemptContext,
  watchesProgress: boolean,
): Promise<unknown> {
  const limited = options?.timeout === undefined && (watchesProgress || context.timeoutMs < maxTimeoutMs);
  const onprogress = progressListener(options?.onprogress, context, watchesProgress);
  const sent = { ...options, signal: context.signal, ...(limited ? { timeout: maxTimeoutMs } : {}), ...(onprogress ? { onprogress } : {}) };
  const rest = isVersion2(client) ? [sent] : [resultSchema, sent];
  return (client.callTool as (...args: unknown[]) => Promise<unknown>).call(client, params, ...rest).catch((error: unknown) => {
    throw describeClientError(error);
  });
}

/** Progress is asked for only where the caller or Holdfast reads it. */
function progressListener(
  own: ((progress: Progress) => void) | undefined,
  { reportProgress }: AttemptContext,
  watchesProgress: boolean,
): ((progress: Progress) => void) | undefined {
  if (own === undefined && !watchesProgress) return undefined;
  return (progress) => {
    reportProgress(progress);
    own?.(progress);
  };
}

/** Calls `listTools` of either SDK's client. */
export function listTools(client: McpClient, ...args: unknown[]): Promise<ListedTools> {
  return (client.listTools as (...args: unknown[]) => Promise<ListedTools>).apply(client, args);
}

/** Lists all tools of the server, over all pages. */
export async function listAll(client: McpClient, timeout: number | undefined): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  // Limits the number of pages, in case a server's cursors are circular.
  for (let page = 0; page < 64; page++) {
    const listed = await listTools(client, cursor === undefined ? undefined : { cursor }, { cacheMode: 'refresh', timeout });
    tools.push(...listed.tools);
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
