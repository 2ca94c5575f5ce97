/**
 * The Turn API. Import it when it is first needed: it loads Hono and Zod.
 *
 * Owns assembling its parts, and ending them.
 */
import { createRedactor, memoryStore } from '@holdfast/core';
import { noAlerts } from '../alerts/no-alerts.ts';
import { createApplication } from './application.ts';
import { limitsOf } from './limits.ts';
import type { Api, ApiParts } from './parts.ts';
import { refuse } from './problem.ts';
import { RunningCalls } from './running-calls.ts';
import { LiveHub } from './streams/live-hub.ts';
import { OpenStreams } from './streams/open-streams.ts';
import { KeptAnswers } from './turns/kept-answers.ts';
import type { ApiTurns } from './turns/api-turns.ts';
import { DurableTurns } from './turns/durable-turns.ts';
import { RunningTurns } from './turns/running-turns.ts';
import { TurnLogs } from './turns/turn-logs.ts';
import { TurnWork } from './turn-work/turn-work.ts';
import { waitAtMost } from '@holdfast/core/internal/plain';

/** Without a store, the latest turns of this API are kept in memory. */
const latestTurns = { maxTurns: 200, maxEvents: 20_000 } as const;

/** @throws RangeError for an invalid limit */
export function createApi(parts: ApiParts): Api {
  const limits = limitsOf(parts.limits);
  const redact = parts.redact ?? createRedactor();
  const history = parts.store ?? memoryStore(latestTurns);
  const answers = new KeptAnswers(limits, () => performance.now());
  const logs = new TurnLogs({
    service: parts.service,
    history,
    record: parts.store === undefined,
    tail: parts.tail,
    status: parts.engine && ((turnId) => turns.status(turnId)),
  });
  const { engine, turnTimeoutMs = Infinity } = parts;
  const turns: ApiTurns = engine
    ? new DurableTurns({ engine, history, answers, limits, turnTimeoutMs })
    : new RunningTurns({ service: parts.service, history, logs, answers, limits, announce: parts.announce });
  const calls = new RunningCalls({ parts, answers, limits, redact });
  const streams = new OpenStreams(limits);
  const turnWork = new TurnWork({ running: limits.turnTasks, events: limits.turnTaskEvents });
  const live = parts.past && new LiveHub({ history: parts.past, alerts: parts.alerts ?? noAlerts });
  let draining = false;
  const isDraining = (): boolean => draining || (parts.isDraining?.() ?? false);
  const isAccepting = (): boolean => !isDraining();
  const application = createApplication({
    api: { ...parts, isDraining },
    limits,
    redact,
    history,
    turns,
    calls,
    logs,
    answers,
    streams,
    turnWork,
    live,
    isAccepting,
  });
  const fault = (): Response =>
    refuse({ status: 500, error: { code: 'INTERNAL_ERROR', message: 'Internal error of the gateway' } }, redact);
  return {
    async fetch(request, caller) {
      try {
        return await application.fetch(request, { caller });
      } catch {
        return fault();
      }
    },
    async drain(limitMs) {
      draining = true;
      await Promise.all([turns.drain(limitMs), endCalls(calls, limitMs)]);
      turnWork.endAll();
      streams.endAll();
    },
  };
}

/** How long to wait for cancelled calls, which answer at once. */
const cancelMs = 1_000;

async function endCalls(calls: RunningCalls, limitMs: number): Promise<void> {
  const finished = calls.idle();
  await waitAtMost(globalThis, finished, limitMs);
  calls.cancelAll();
  await waitAtMost(globalThis, finished, cancelMs);
}
