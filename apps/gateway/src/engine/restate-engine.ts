/** Owns using a Restate server as the engine of turns. Loads `@holdfast/durable`, only if an engine is configured. */
import type { RestateEntry } from '@holdfast/manifest';
import { revealedHeaders } from './revealed-headers.ts';
import type { TurnEngine } from './turn-engine.ts';

/** Opens no connection yet. @throws TypeError if the variable of a header is not set */
export async function restateEngine({ ingress, admin, headers, timeoutMs }: RestateEntry): Promise<TurnEngine> {
  const { createTurnClient } = await import('@holdfast/durable');
  const client = createTurnClient({ ingressUrl: ingress, adminUrl: admin, headers: revealedHeaders(headers), timeoutMs });
  return {
    timeoutMs,
    submit: async ({ turnId, plan }) => (await client.submit({ ...plan, turnId })).status,
    report: (turnId) => client.peek(turnId),
    attach: (turnId, how) => client.result(turnId, how),
    async state(turnId) {
      const state = await client.state(turnId);
      if (state === 'paused') return 'running';
      return state === 'failed' ? 'completed' : state;
    },
    cancel: (turnId, reason) => client.cancel(turnId, reason),
    health: () => client.health(),
  };
}
