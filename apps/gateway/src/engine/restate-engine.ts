/** Owns using a Restate server as the engine of turns. Loads `@holdfast/durable`, only if an engine is configured. */
import type { RestateEntry } from '@holdfast/manifest';
import { revealedHeaders } from './revealed-headers.ts';
import type { EngineOutcome, TurnEngine } from './turn-engine.ts';

/** Opens no connection yet. @throws TypeError if the variable of a header is not set */
export async function restateEngine({ ingress, headers, timeoutMs }: RestateEntry): Promise<TurnEngine> {
  const { createTurnClient } = await import('@holdfast/durable');
  // Without the admin address: a paused turn is a running one here.
  const client = createTurnClient({ ingressUrl: ingress, headers: revealedHeaders(headers), timeoutMs });
  const outcome = async (turnId: string): Promise<EngineOutcome> => {
    try {
      const report = await client.peek(turnId);
      if (report) return { state: 'completed', report };
    } catch (error) {
      if (isRefused(error)) return { state: 'failed' };
      throw error;
    }
    const state = await client.state(turnId);
    // It has ended since the first request.
    if (state === 'completed' || state === 'failed') return outcome(turnId);
    return { state: state === 'unknown' ? 'unknown' : 'running' };
  };
  return {
    timeoutMs,
    submit: async ({ turnId, plan }) => (await client.submit({ ...plan, turnId })).status,
    outcome,
    attach: (turnId, how) => client.result(turnId, how),
    cancel: (turnId, reason) => client.cancel(turnId, reason),
    health: () => client.health(),
  };
}

const isRefused = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'TURN_REFUSED';
