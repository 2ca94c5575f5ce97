/** Owns opening the coordinator of shared circuits that a manifest names. Loads it only if one is configured. */
import type { SharedCircuits } from '@holdfast/core/fleet';
import { type Manifest, postgresOptions } from '@holdfast/manifest';
import { revealedHeaders } from './revealed-headers.ts';

/** Time limit of the coordinator, that of a report. Calls do not wait that long. */
const timeoutMs = 5_000;

/** Resolves with `undefined` if each process has its own circuits. */
export async function sharedCircuitsOf({ sharedCircuits, engine, store }: Manifest): Promise<SharedCircuits | undefined> {
  if (sharedCircuits === 'restate' && engine) {
    const { restateSharedCircuits } = await import('@holdfast/durable');
    const { ingress, headers } = engine.restate;
    return restateSharedCircuits({ ingressUrl: ingress, headers: revealedHeaders(headers), timeoutMs });
  }
  if (sharedCircuits === 'postgres' && store !== false && 'postgres' in store) {
    const { postgresSharedCircuits } = await import('@holdfast/store-postgres');
    const { url, password, schema } = postgresOptions(store.postgres);
    const limits = { connectTimeoutMs: timeoutMs, statementTimeoutMs: timeoutMs };
    return postgresSharedCircuits({ url, ...(password === undefined ? {} : { password }), schema, ...limits });
  }
  return undefined;
}
