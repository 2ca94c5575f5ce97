/** Owns checking an engine once, to report its problems. */
import { describeError } from '@holdfast/core/internal';
import type { RestateEntry } from '@holdfast/manifest';
import { revealedHeaders } from './revealed-headers.ts';

/** What a check of the engine found. */
export interface EngineStatus {
  /** Problem with the address for submitting turns; `undefined` if it answers. */
  readonly ingress: string | undefined;
  /** Problem with the address for registering workers; `undefined` if it answers. */
  readonly admin: string | undefined;
  /** Addresses of the workers that the engine knows. */
  readonly workers: readonly string[];
  /** Number of paused turns, which wait for an operator. */
  readonly paused: number;
}

/**
 * Checks whether the engine of a manifest can be reached, which workers it knows, and how many turns are paused. Never rejects because the engine
 * does not answer.
 */
export async function checkEngine({ ingress, admin, headers: given, timeoutMs }: RestateEntry): Promise<EngineStatus> {
  const { createTurnClient } = await import('@holdfast/durable');
  const headers = revealedHeaders(given);
  const client = createTurnClient({ ingressUrl: ingress, adminUrl: admin, headers, timeoutMs });
  const [wrong, workers] = await Promise.all([problemOf(client.health()), deployments(admin, headers, timeoutMs)]);
  if ('problem' in workers) return { ingress: wrong, admin: workers.problem, workers: [], paused: 0 };
  const paused = await client.paused().catch(() => []);
  return { ingress: wrong, admin: undefined, workers: workers.urls, paused: paused.length };
}

async function problemOf(asked: Promise<unknown>): Promise<string | undefined> {
  try {
    await asked;
    return undefined;
  } catch (error) {
    return describeError(error).message;
  }
}

interface Deployments {
  readonly deployments: readonly { readonly uri?: string; readonly services?: readonly { readonly name: string }[] }[];
}

const turnService = 'holdfast_turn';

async function deployments(
  admin: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<{ readonly urls: readonly string[] } | { readonly problem: string }> {
  try {
    const response = await fetch(new URL('/deployments', admin), { headers, signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) return { problem: `${admin} responds with ${response.status}` };
    const { deployments: known } = (await response.json()) as Deployments;
    const turnWorkers = known.filter(({ services = [] }) => services.some(({ name }) => name === turnService));
    return { urls: turnWorkers.flatMap(({ uri }) => uri ?? []) };
  } catch (error) {
    return { problem: `${admin} does not answer (${describeError(error).message})` };
  }
}
