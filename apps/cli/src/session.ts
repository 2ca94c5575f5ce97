/**
 * Owns the life of one run's parts: tools, store, service.
 *
 * Invariant: `close` ends everything that was opened, once, on every path; what does not end by itself is left to the end of the process.
 */
import { type AnyTool, ToolExecutionService } from '@holdfast/core';
import type { Store, StoreStatus } from '@holdfast/core/store';
import { type Manifest, loadTools, serviceOptions } from '@holdfast/manifest';

export interface Session {
  readonly service: ToolExecutionService;
  /** Of the store after everything was handed to it; `undefined` before `close` and without a store. */
  readonly kept: () => StoreStatus | undefined;
  readonly close: () => Promise<void>;
}

export interface SessionOptions {
  readonly manifest: Manifest;
  readonly store: Store | undefined;
  readonly seed?: string | undefined;
  /** Begin with the circuits that the store remembers. */
  readonly remember: boolean;
  readonly onFault: (text: string) => void;
}

/** Programs get their grace; anyone who takes longer is ended with this process, by the guard of their runner. */
const closeLimitMs = 15_000;

export async function openSession({ manifest, store, seed, remember, onFault }: SessionOptions): Promise<Session> {
  const built = await loadTools(manifest);
  for (const { path, message } of built.openapi.problems) onFault(`${path.join('.')}: ${message}`);
  const service = serviceOf(manifest, built.tools, { store, seed, onFault });
  await Promise.all([built.load(), remember && service.restore()]);
  let closing: Promise<void> | undefined;
  let kept: StoreStatus | undefined;
  const closeAll = async (): Promise<void> => {
    await Promise.allSettled([service.close(), built.close()]);
    await store?.flush();
    kept = store?.status();
    await store?.close();
  };
  return { service, kept: () => kept, close: () => (closing ??= withTimeLimit(closeLimitMs, closeAll())) };
}

interface ServiceParts {
  readonly store: Store | undefined;
  readonly seed?: string | undefined;
  readonly onFault?: (text: string) => void;
}

export function serviceOf(manifest: Manifest, tools: readonly AnyTool[], parts: ServiceParts): ToolExecutionService {
  const { store, seed, onFault } = parts;
  return new ToolExecutionService({
    ...serviceOptions(manifest),
    tools,
    ...(seed === undefined ? {} : { seed }),
    ...(store === undefined ? {} : { store }),
    ...(onFault === undefined ? {} : { onFault: ({ component, name, error }) => onFault(`${component} ${name} failed: ${error}`) }),
  });
}

async function withTimeLimit(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
