/** Rows of tables, and times and counters of calls that wait, take long or end with their turn: at first no test noticed these faults. */
import { faultsIn, type Fault } from './fault.ts';

const core = faultsIn('packages/core/src', [
  [
    'Retry-After shortens the backoff',
    'engine/backoff/backoff.ts',
    'return Math.max(delay, Math.ceil(retryAfterMs) + spread)',
    'return Math.ceil(retryAfterMs) + spread',
    'S0-2.1',
  ],
  [
    'a probe has its lease, whatever the time limit of its tool',
    'engine/breaker/breaker.ts',
    'Math.max(breaker.settings.probeLeaseMs, leastMs)',
    'breaker.settings.probeLeaseMs',
    'S0-3.1',
  ],
  [
    'the execution time of a failure leaves out its waits',
    'engine/call/finish-call.ts',
    'executionTime: now - state.startedAt,\n    attempts: state.attempts,\n    servedBy: target.toolName,\n    //',
    'executionTime: now - state.startedAt - state.waitedMs,\n    attempts: state.attempts,\n    servedBy: target.toolName,\n    //',
    'S4-result',
  ],
  [
    'a time budget counts whole seconds',
    'agent/loop/validation-attempts.ts',
    'elapsedSeconds: (now - streak.firstAt) / 1_000',
    'elapsedSeconds: Math.round((now - streak.firstAt) / 1_000)',
    'S2-policy',
  ],
  [
    'memory counts what a deadline ended as a failure',
    'projections/episodic-memory.ts',
    "event.code === 'CANCELLED' || event.code === 'TURN_DEADLINE'",
    "event.code === 'CANCELLED'",
    'S0-6.1',
  ],
  [
    'skipped calls are joined with did',
    'engine/turn/summary.ts',
    "ending.startsWith('was ') ? 'as was'",
    "ending === 'was cancelled' ? 'as was'",
    'S0-4.2',
  ],
  [
    'the first bucket of attempts is empty',
    'agent/session/validation-metrics.ts',
    'emptyHistogram([1, 2, 3, 4, 5, 10])',
    'emptyHistogram([0, 2, 3, 4, 5, 10])',
    'S2-metrics',
  ],
  [
    'a log entry has no text',
    'agent/session/log.ts',
    "stoppedBy: event.stopped_by }, 'validation failed, no further attempt'",
    "stoppedBy: event.stopped_by }, ''",
    'S2-logs',
  ],
  [
    'an event without readers is recorded twice',
    'agent/session/session.ts',
    'return {\n      get event() {\n        return read();\n      },\n      reducerErrors: [],\n    };',
    'return undefined;',
    'S2-correlation',
  ],
  [
    'methods of a handed in part are not checked',
    'engine/settings/check.ts',
    "for (const name of names) checkType('function', (value as Readonly<Record<string, unknown>>)[name], `${field}.${name}`);",
    'for (const name of names) ;',
    'S0-2.2',
  ],
]);

const wire = faultsIn('packages/wire/src', [
  [
    'the format of the middleware is ignored for responses',
    'response-validation-middleware.ts',
    '(given ?? detectResponseFormat(response))',
    'detectResponseFormat(response)',
    'S4-response-validation',
  ],
  [
    'a used-up quota has no words for the user',
    'response-validation-middleware.ts',
    "'The quota of the assistant is used up.'",
    "''",
    'S4-middleware-methods',
  ],
  [
    'a response with an incomplete call is ready',
    'responses/validate-response.ts',
    'isComplete(finish) && !calls.some((call) => call.truncated)',
    'isComplete(finish)',
    'S4-response-validation',
  ],
]);

export const tableAndTimeFaults: readonly Fault[] = [...core, ...wire];
