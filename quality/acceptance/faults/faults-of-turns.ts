/** Faults for the conditions of S0 and S1 from section 4. */
import { faultsIn, type Fault } from './fault.ts';

const timeouts = faultsIn('packages/core/src/engine', [
  ['other words for a timeout', 'call/fault.ts', '`Tool timeout after ${', '`Tool timed out after ${', 'S1-4.1 S1-4.3 S0-4.1'],
  ['31 s for a tool', 'settings/profiles.ts', 'timeoutMs: 30_000,', 'timeoutMs: 31_000,', 'S1-4.1 S4-timeout S4-single'],
  [
    'timed-out tools are not aborted',
    'call/open-attempts.ts',
    "effects.push({ type: 'abort_attempt', attempt: attempt.number, reason, ...(cause !== undefined && { cause }) });",
    '',
    'S1-4.1 S1-7.3 S0-4.1 S4-timeout',
  ],
  [
    'timeouts are permanent',
    'call/fault.ts',
    "classifiedFault('transient', 'timeout', rule,",
    "classifiedFault('permanent', 'timeout', rule,",
    'S1-4.1 S1-4.3 S1-7.3 S0-4.1 S0-4.3',
  ],
  ['200 s for a turn', 'settings/profiles.ts', 'timeoutMs: 300_000, concurrency', 'timeoutMs: 200_000, concurrency', 'S1-4.2'],
  [
    'the deadline is 100 ms late',
    'turn/machine.ts',
    'state.startedAt + timeoutMs - now',
    'state.startedAt + timeoutMs - now + 100',
    'S1-4.2 S1-7.3 S1-7.4 S0-4.3',
  ],
  ['other words for a turn that timed out', 'turn/summary.ts', '`${done}, but ${', '`${done}; ${', 'S1-4.2 S1-7.4 S0-4.3'],
  [
    'a deadline aborts running tools',
    'settings/profiles.ts',
    "onDeadline: 'detach', maxRetries: null",
    "onDeadline: 'abort', maxRetries: null",
    'S0-4.2',
  ],
  [
    'a deadline never aborts running tools',
    'turn/machine.ts',
    "{ type: 'expire_call', callId, onDeadline, timeoutMs }",
    "{ type: 'expire_call', callId, onDeadline: 'detach', timeoutMs }",
    'S1-7.4',
  ],
  ['a timeout is recorded without its limit', 'call/attempts.ts', 'timeout_ms: limitMs,', 'timeout_ms: 0,', 'S1-4.4 S1-7.3'],
  [
    'partial output is never accepted',
    'recover/decide.ts',
    'acceptPartial && partialAvailable, partialAvailable',
    'false, partialAvailable',
    'S0-1.1 S0-6.1 S2-question-progress',
  ],

  [
    'partial output is not accepted at the deadline',
    'call/cancel-call.ts',
    'partial !== undefined && target.settings.acceptPartial);',
    'partial !== undefined && target === undefined);',
    'S1-7.4',
  ],
]);

const cascades = faultsIn('packages/core/src/engine/turn', [
  [
    'calls run although a dependency has failed',
    'settle.ts',
    "if (result.status === 'success' || result.fallbackUsed) state",
    'state',
    'S1-5.1 S1-5.2 S0-5.2',
  ],
  ['chains of causes have one link', 'settle.ts', '...(state.calls.get(cause)?.result?.error?.causedBy ?? [])', '', 'S1-5.1'],
  [
    'a required call is skipped without escalation',
    'settle.ts',
    "decision: optional ? 'skip' : 'escalate',",
    "decision: 'skip',",
    'S1-5.2',
  ],
  [
    'other words for a required call that was skipped',
    'settle.ts',
    "${optional ? 'Optional' : 'Required'} tool skipped",
    'Tool skipped',
    'S1-5.2',
  ],
  [
    'an optional call runs on its default',
    'settle.ts',
    'const cause = optional ? lost[0] : lost.find',
    'const cause = lost.find',
    'S1-5.2',
  ],
  ['defaults are ignored', 'settle.ts', 'lost.find((name) => !Object.hasOwn(defaults, name))', 'lost[0]', 'S1-5.3'],
  ['other words for a default', 'settle.ts', '`Used default value for ${', '`Default used for ${', 'S1-5.3'],
  [
    'a failed call ends the turn',
    'machine.ts',
    'settleCall(step, input.callId, input.result);\n      break;',
    "settleCall(step, input.callId, input.result);\n      if (input.result.status === 'error') return reachDeadline(step);\n      break;",
    'S1-5.1 S1-5.4',
  ],
  ['a lost critical call does not escalate the turn', 'create-report.ts', 'node.call.critical === true &&', 'false &&', 'S0-5.2'],
]);

const handler = faultsIn('packages/core/src/engine', [
  ['the inbox stays empty', 'recover/error-handler.ts', 'this.#keep(notice);', '', 'S1-6.1 S0-6.1'],
  [
    'the handler does not learn which attempt failed',
    'call/failure.ts',
    'attempt: pending.attempt?.number ?? 0,\n    code',
    'attempt: 0,\n    code',
    'S1-6.1 S0-6.1',
  ],
  [
    'subscribers of the handler hear nothing',
    'recover/error-handler.ts',
    'if (this.#listeners.size > 0) this.#publish',
    'if (this.#listeners.size > 9) this.#publish',
    'S1-6.1 S0-6.1',
  ],
  ['other words for a retry', 'recover/decide.ts', '+ retries available`', '+ retries left`', 'S1-6.2 S1-1.1 S1-4.3'],
  [
    'retries are numbered from 0',
    'call/events.ts',
    '`Tool succeeded on retry ${toolAttempt}`',
    '`Tool succeeded on retry ${toolAttempt - 1}`',
    'S1-6.3',
  ],
  ['other words for an alternative', 'call/failure.ts', "message: 'Used alternative tool'", "message: 'Used another tool'", 'S1-6.4'],
  [
    'an alternative does not say that it is one',
    'call/finish-call.ts',
    'if (target.toolName !== spec.toolName) result.fallbackUsed = true;',
    '',
    'S1-6.4',
  ],
  [
    'nothing is escalated',
    'call/finish-call.ts',
    "if (escalate) effects.push({ type: 'append', event: escalation(spec, fault, error.userMessage) });",
    '',
    'S1-6.5 S0-1.2 S0-4.1 S0-4.3',
  ],
  [
    'other words for a permanent error',
    'recover/decide.ts',
    "'Permanent error (no retry)'",
    "'Permanent error'",
    'S1-6.5 S1-1.2 S0-3.4 S0-6.2',
  ],
  [
    'decisions are not recorded',
    'call/failure.ts',
    "effects.push({ type: 'append', event: recoveryDecided(state, pending, inputs, decision, decidedBy) });",
    '',
    'S1-6.6 S0-9 S0-6.2',
  ],
  [
    'errors are recorded with a closed circuit',
    'call/failure-events.ts',
    'circuit_breaker_state: circuit,\n    retry_count',
    "circuit_breaker_state: 'closed',\n    retry_count",
    'S1-6.6 S0-3.4',
  ],
  [
    'optional calls are escalated',
    'recover/decide.ts',
    "return inputs.optional || wasCancelled(inputs) ? 'fail' : 'escalate';",
    "return 'escalate';",
    'S0-6.1',
  ],
  ['nine outcomes are strong evidence', 'recover/past-outcomes.ts', 'STRONG_EVIDENCE = 10;', 'STRONG_EVIDENCE = 9;', 'S0-6.2 S0-9'],
  ['episodic memory is not asked', 'recover/error-handler.ts', 'this.#memory?.recall(facts) ?? none', 'none', 'S0-9'],
  ['a retry may start after the turn', 'recover/decide.ts', 'nextDelayMs < turnTimeLeftMs,', 'true,', 'S0-6.2'],
]);

const records = [
  ...faultsIn('packages/core/src/projections', [
    ['retries count twice', 'tool-metrics.ts', 'counters.retries += 1;', 'counters.retries += 2;', 'S0-8.1'],
    [
      'permanent errors count as transient',
      'tool-metrics.ts',
      "if (event.classification === 'permanent') counters.permanentErrors += 1;",
      "if (event.classification === 'permanent') counters.transientErrors += 1;",
      'S0-8.1',
    ],
    ['first attempts count as successful retries', 'tool-metrics.ts', 'if (event.retry !== undefined) counters', 'counters', 'S0-8.1'],
    ['openings are not counted', 'tool-metrics.ts', 'counters.opens += 1;', '', 'S0-8.1'],
    ['timeouts of attempts are not counted', 'tool-metrics.ts', 'counters.attemptTimeouts += 1;', '', 'S0-8.1'],
  ]),
  ...faultsIn('packages/core/src/engine/call', [
    [
      'the retry count counts attempts',
      'failure-events.ts',
      '(attempt?.toolAttempt ?? target.attempts)) - 1, 0)',
      '(attempt?.toolAttempt ?? target.attempts)), 0)',
      'S0-8.2',
    ],
    ['an error is recorded in our words', 'failure-events.ts', 'error: fault.text,', 'error: fault.message,', 'S0-8.2 S1-1.1'],
  ]),
];

export const turnFaults: readonly Fault[] = [...timeouts, ...cascades, ...handler, ...records];
