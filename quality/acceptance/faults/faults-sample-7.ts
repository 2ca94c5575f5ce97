/** Faults of a campaign over the sources line by line, of a set by hand and of a draw, that the tests did not notice at first. */
import { faultsIn, type Fault } from './fault.ts';

export const campaign: readonly Fault[] = [
  ...faultsIn('packages/core/src/engine', [
    [
      'a handler decides by whether partial outputs were accepted before',
      'recover/error-handler.ts',
      '    one.acceptPartial === other.acceptPartial &&\n',
      '',
      'S0-6.1 S0-6.2',
    ],
    [
      'a cancelled call resets the count of a circuit',
      'breaker/breaker.ts',
      "  if (outcome === 'neutral') return;\n",
      '',
      'S0-3.2 S0-3.4 S4-circuit-state',
    ],
    [
      'memory influences the decisions of the profile service',
      'settings/profiles.ts',
      '  turn: specTurn,\n  useMemory: false,\n',
      '  turn: specTurn,\n  useMemory: true,\n',
      'S0-2.1 S4-single S1-2.3',
    ],
    [
      'the event of a timeout never has more than 30 s',
      'call/attempts.ts',
      '    timeout_ms: limitMs,\n',
      '    timeout_ms: Math.min(limitMs, 30_000),\n',
      'S1-4.4 S0-4.1',
    ],
    [
      'the decision of a failed attempt has no inputs',
      'call/failure-events.ts',
      '    inputs: recordInputs(inputs),\n',
      '    inputs: recordInputs({ ...inputs, retryCount: 0 }),\n',
      'S0-8.2',
    ],
  ]),
  ...faultsIn('packages/core/src/agent', [
    [
      'the history of used up attempts has no times',
      'session/slices.ts',
      '      retryScheduledAt: failed.retry_scheduled_at,\n',
      '',
      'S2-exhaustion',
    ],
    [
      'the model is not told that its output is not JSON',
      'session/structured-output.ts',
      'failure(`The output is not valid JSON: ${describeError(error).message}`)',
      "failure('')",
      'S2-structured-output S2-principle-prompt',
    ],
    [
      'reducer errors that are nested too deeply are logged without the correlation id',
      'session/session.ts',
      '{ correlationId: this.correlationId, reducer: failure.reducer }',
      '{ reducer: failure.reducer }',
      'S2-correlation',
    ],
    [
      'the policy of a call does not say whether a failed reducer ends its attempts',
      'loop/record-result.ts',
      "!isRetryable(policyOf(state, toolName, validationRetries), 'ReducerError')",
      "!isRetryable(policyOf(state, toolName, undefined), 'ReducerError')",
      'S2-reducer-error',
    ],
  ]),
  ...faultsIn('packages/core/src', [
    [
      'an alternative is remembered as helpful, whatever came of it',
      'projections/episodic-memory.ts',
      'succeeded: didSucceed ? 1 : 0 };',
      "succeeded: strategy === 'use_alternative' || didSucceed ? 1 : 0 };",
      'S0-6.2 S0-9',
    ],
    [
      'every call of a batch with repeated ids has the id of the first',
      'runtime/service/batch.ts',
      'new Map(keys.map((key, index) => [key, ids[index] ?? key]))',
      'new Map(keys.map((key) => [key, ids[0] ?? key]))',
      'S4-batch',
    ],
    [
      'a match that cannot be read has no list of unexpected results',
      'runtime/service/tool-execution-service.ts',
      'missing: [], unexpected: [], reordered: false, problems: [problem]',
      'missing: [], reordered: false, problems: [problem]',
      'S4-methods',
    ],
    [
      'recovered validations are not in the exported histogram of attempts',
      'projections/metrics/observe.ts',
      '      process.validationAttempts.observe(event.attempts, event.source, originOf(event));\n',
      '',
      'S2-exported-metrics',
    ],
  ]),
  ...faultsIn('packages/wire/src', [
    [
      'a placeholder has no execution time',
      'responses/tool-turn.ts',
      '    retryable: false,\n  },\n  executionTime: 0,\n',
      '    retryable: false,\n  },\n',
      'S4-auto-correction',
    ],
    [
      'a Gemini tool may have a description beside its functions',
      'definitions/check-tool-shapes.ts',
      "'name', 'description', 'parameters'",
      "'name', 'parameters'",
      'S4-request-validation',
    ],
    [
      'arguments that are an object are no arguments where a provider takes text',
      'repair/repair-contents.ts',
      'return JSON.stringify(isRecord(given) ? given : objectOf(given));',
      'return JSON.stringify(objectOf(given));',
      'S4-auto-correction',
    ],
    [
      'a problem with a result does not say which rule it breaks',
      'responses/tool-turn.ts',
      "log.problem('response-shape', `${path}.error`",
      "log.problem('' as 'response-shape', `${path}.error`",
      'S4-response-validation',
    ],
    [
      'a choice of a tool that names none is valid at Anthropic',
      'definitions/repair-definitions.ts',
      "const typeOfOne = format === 'anthropic-messages' ? 'tool' : 'function';",
      "const typeOfOne = 'function';",
      'S4-request-validation',
    ],
  ]),
];
