/**
 * The parts of one run and their lifecycle: tools, store, service.
 *
 * Invariant: `close` closes everything that was opened, once, on every path. What does not stop in time ends with the process.
 */
import { type AnyTool, ToolExecutionService } from '@holdfast/core';
import { waitAtMost } from '@holdfast/core/internal/plain';
import type { Store, StoreStatus } from '@holdfast/core/store';
import type { ServerLogins } from '@holdfast/gateway';
import { type Manifest, loadTools, serviceOptions } from '@holdfast/manifest';

export interface Session {
  readonly service: ToolExecutionService;
  /** The store's status after the last flush; `undefined` before `close` and without a store. */
  readonly storeStatus: () => StoreStatus | undefined;
  readonly close: () => Promise<void>;
}

export interface SessionOptions {
  readonly manifest: Manifest;
  readonly store: Store | undefined;
  readonly seed?: string | undefined;
  /** Start with the circuits from the store. */
  readonly restoreCircuits: boolean;
  readonly onFault: (text: string) => void;
}

/** Child processes get their grace period. What takes longer ends with this process, through the guard of its runner. */
const closeLimitMs = 15_000;

export async function openSession({ manifest, store, seed, restoreCircuits, onFault }: SessionOptions): Promise<Session> {
  const logins = await loginsOf(manifest);
  const built = await loadTools(manifest, logins === undefined ? {} : { authorizerOf: logins.authorizerOf });
  for (const { path, message } of built.openapi.problems) onFault(`${path.join('.')}: ${message}`);
  const service = createService(manifest, built.tools, { store, seed, onFault });
  await Promise.all([built.load(), restoreCircuits && service.restore()]);
  let closing: Promise<void> | undefined;
  let storeStatus: StoreStatus | undefined;
  const closeAll = async (): Promise<void> => {
    await Promise.allSettled([service.close(), built.close()]);
    await logins?.close();
    await store?.flush();
    storeStatus = store?.status();
    await store?.close();
  };
  return { service, storeStatus: () => storeStatus, close: () => (closing ??= waitAtMost(globalThis, closeAll(), closeLimitMs)) };
}

/** Only a manifest with logins needs the gateway's modules. */
async function loginsOf(manifest: Manifest): Promise<ServerLogins | undefined> {
  const hasLogins = Object.values(manifest.mcpServers).some((entry) => 'url' in entry && entry.auth !== undefined);
  return hasLogins ? (await import('@holdfast/gateway')).serverLogins(manifest) : undefined;
}

interface ServiceParts {
  readonly store: Store | undefined;
  readonly seed?: string | undefined;
  readonly onFault?: (text: string) => void;
}

export function createService(manifest: Manifest, tools: readonly AnyTool[], parts: ServiceParts): ToolExecutionService {
  const { store, seed, onFault } = parts;
  return new ToolExecutionService({
    ...serviceOptions(manifest),
    tools,
    ...(seed === undefined ? {} : { seed }),
    ...(store === undefined ? {} : { store }),
    ...(onFault === undefined ? {} : { onFault: ({ component, name, error }) => onFault(`${component} ${name} failed: ${error}`) }),
  });
}
