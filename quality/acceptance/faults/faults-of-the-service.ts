/** Faults for the conditions of S4. */
import { faultsIn, type Fault } from './fault.ts';

const service = [
  ...faultsIn('packages/core/src/engine', [
    [
      'a failed call takes no time',
      'call/finish-call.ts',
      'callId: spec.callId,\n    executionTime: now - state.startedAt,\n    attempts: state.attempts,\n    servedBy: target.toolName,\n    // With',
      'callId: spec.callId,\n    executionTime: 0,\n    attempts: state.attempts,\n    servedBy: target.toolName,\n    // With',
      'S4-result S4-metrics S4-timeout',
    ],
    [
      'unknown failures of tools are permanent',
      'call/unknown-failure.ts',
      "? 'permanent' : 'transient';",
      "? 'permanent' : 'permanent';",
      'S4-categories S4-strategy S0-1.3',
    ],
    ['five attempts under service', 'settings/profiles.ts', 'maxAttempts: 4 }', 'maxAttempts: 5 }', 'S4-single S4-retry S4-strategy'],
    ['30 s open under service', 'settings/profiles.ts', 'openMs: 60_000 }', 'openMs: 30_000 }', 'S4-single S4-circuit'],
    [
      'attempts count under service',
      'settings/profiles.ts',
      "count: 'call', openMs: 60_000",
      "count: 'attempt', openMs: 60_000",
      'S4-single S4-circuit',
    ],
    [
      'an open circuit is retryable',
      'call/result.ts',
      "retryable: classification === 'transient' && !verifyFirst",
      "retryable: classification !== 'permanent' && !verifyFirst",
      'S4-categories S4-circuit S4-single',
    ],
    [
      'messages for users are technical',
      'call/messages.ts',
      "NETWORK_ERROR: 'The {tool} service could not be reached.'",
      "NETWORK_ERROR: '{tool}: ECONNRESET'",
      'S4-categories',
    ],
    [
      'the fallback is not used',
      'call/failure.ts',
      'return settleFailure(step, finalFault(state, pending.fault), fallbackOf(state));',
      'return settleFailure(step, finalFault(state, pending.fault), undefined);',
      'S4-fallback S4-strategy',
    ],
    [
      'a timeout with a fallback is a timeout',
      'call/finish-call.ts',
      "fault.kind === 'timeout' && !fallback ?",
      "fault.kind === 'timeout' ?",
      'S4-fallback',
    ],
    ['reset does not close', 'breaker/control.ts', "closeCircuit(breaker, 'manual');", '', 'S4-methods'],
  ]),
  ...faultsIn('packages/core/src', [
    [
      'ids of a batch are not those of its calls',
      'runtime/service/batch.ts',
      '({ ...result, callId: ids[index] ?? result.callId })',
      'result',
      'S4-batch',
    ],
    ['the calls of a batch run one by one', 'engine/settings/profiles.ts', 'concurrency: 16', 'concurrency: 1', 'S4-batch'],
    [
      'the time of the last failure is not kept',
      'projections/tool-metrics.ts',
      'counters.failedAt = event.timestamp;',
      '',
      'S4-circuit-state',
    ],
    [
      'timeouts are no failures',
      'projections/tool-metrics.ts',
      '(counters.error + counters.timeout) / completed',
      'counters.error / completed',
      'S4-metrics',
    ],
    ['an opened circuit is not exported', 'projections/metrics/observe.ts', 'tool.circuitState.choose(state);', '', 'S4-export'],
    [
      'calls are exported as successes',
      'projections/metrics/call-outcome.ts',
      "return completed.status === 'success' ? 'success' : failureOutcomeOf(completed);",
      "return 'success';",
      'S4-export S4-alerts',
    ],
    [
      'results out of order match',
      'runtime/service/response-match.ts',
      'answers.some((answer, index) => answer !== index);',
      'false;',
      'S4-methods S4-response-validation',
    ],
  ]),
];

const alerts = faultsIn('packages/core/src/projections/alerts', [
  ['failure rate above 6 %', 'default-rules.ts', 'failureRate = 0.05,', 'failureRate = 0.06,', 'S4-alerts'],
  ['execution time above 6 s', 'default-rules.ts', 'executionTimeMs = 5_000,', 'executionTimeMs = 6_000,', 'S4-alerts'],
  ['the strict rule measures attempts', 'default-rules.ts', 'of: strict ? whole : attempts,', 'of: attempts,', 'S4-alerts'],
  [
    'an open circuit is no alert',
    'default-rules.ts',
    "labels: { state: ['open', 'half_open'] }",
    "labels: { state: ['half_open'] }",
    'S4-alerts',
  ],
  [
    'one invalid response is no alert',
    'default-rules.ts',
    "what: 'invalid responses' }, above: 0 }",
    "what: 'invalid responses' }, above: 1 }",
    'S4-alerts',
  ],
]);

const middleware = faultsIn('packages/wire/src', [
  [
    'tools that are no list are valid',
    'definitions/check-tool-shapes.ts',
    "if (!isList(tools)) return log.problem('tool-shape', path, 'The tools are not an array.');",
    'if (!isList(tools)) return;',
    'S4-request-validation',
  ],
  [
    'a request without messages is valid',
    'response-validation-middleware.ts',
    "valid: false,\n  problems: [{ rule: 'request-shape'",
    "valid: true,\n  problems: [{ rule: 'request-shape'",
    'S4-request-validation',
  ],
  ['counts may differ', 'responses/tool-turn.ts', 'if (calls.length !== results.length) log', 'if (false) log', 'S4-response-validation'],
  ['results may have any status', 'responses/tool-turn.ts', 'if (!statuses.includes(status))', 'if (false)', 'S4-response-validation'],
  ['placeholders have another code', 'responses/tool-turn.ts', "code: 'RESULT_MISSING',", "code: 'MISSING',", 'S4-auto-correction'],
  [
    'incomplete results are successes',
    'responses/tool-turn.ts',
    "error === undefined && output !== undefined ? 'success' : 'error'",
    "'success'",
    'S4-auto-correction',
  ],
  [
    'a valid turn is copied',
    'responses/tool-turn.ts',
    'return { response: turn, changes };',
    'return { response: { ...turn }, changes };',
    'S4-auto-correction S4-flow',
  ],
  [
    'failed requests are never retryable',
    'response-validation-middleware.ts',
    "fault.kind === 'model' : classification === 'transient'",
    'false : false',
    'S4-middleware-methods',
  ],
]);

export const serviceFaults: readonly Fault[] = [...service, ...alerts, ...middleware];
