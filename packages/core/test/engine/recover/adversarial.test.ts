/** `decide` with numbers that no machine produces, and with every combination of the other inputs. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/engine/recover/decide.ts';
import type { Decision, DecisionInputs, Guard, MatchedRule, StrategyEvidence } from '../../../src/engine/recover/decision.ts';
import type { FailureNotice } from '../../../src/engine/recover/error-handler.ts';
import { ErrorHandler, mayTake } from '../../../src/engine/recover/error-handler.ts';
import { anyInputs, backup, inputsWith } from '../../support/decision-inputs.ts';
import { when } from '../../support/when.ts';

const extreme = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -1,
  -0,
  0,
  0.5,
  1,
  Number.MAX_SAFE_INTEGER,
  1e300,
] as const;

/** The guards of a retry and of an alternative, in the order of evaluation. */
const ofRetry: ReadonlySet<string> = new Set([
  'transient',
  'circuit_closed',
  'safe_to_repeat',
  'rule_allows_retry',
  'attempts_left',
  'worth_retrying',
  'retry_time_left',
  'turn_time_left',
  'retry_budget_left',
  'turn_retries_left',
]);

const stops: Readonly<Record<string, Decision['stoppedBy']>> = {
  circuit_closed: 'circuit',
  safe_to_repeat: 'policy',
  rule_allows_retry: 'policy',
  attempts_left: 'attempts',
  worth_retrying: 'policy',
  retry_time_left: 'budget',
  turn_time_left: 'deadline',
  retry_budget_left: 'budget',
  turn_retries_left: 'budget',
};

/** The conditions of a retry, written independently: may there be a retry at all? */
function retryIsAllowed(inputs: DecisionInputs): boolean {
  const { classification, circuit, probe, ambiguous, effect, attempts, maxAttempts, nextDelayMs } = inputs;
  const { retryElapsedMs, maxTotalTimeMs, turnTimeLeftMs, retryBudgetLeft, turnRetriesLeft } = inputs;
  return (
    classification === 'transient' &&
    circuit !== 'open' &&
    !probe &&
    !(ambiguous && effect === 'unsafe') &&
    attempts < maxAttempts &&
    Math.round(retryElapsedMs + nextDelayMs) < maxTotalTimeMs &&
    (turnTimeLeftMs === undefined || nextDelayMs < turnTimeLeftMs) &&
    (retryBudgetLeft === undefined || retryBudgetLeft >= 1) &&
    (turnRetriesLeft === undefined || turnRetriesLeft >= 1)
  );
}

/** Whether the guards explain the decision: those that passed before it, and the first of a retry that did not. */
function expectExplained({ action, stoppedBy, delayMs, guards, reason }: Decision, inputs: DecisionInputs): void {
  const why = guards.find(({ guard, passed }) => ofRetry.has(guard) && !passed);
  const asked = guards.some(({ guard }) => ofRetry.has(guard));
  if (action === 'retry') {
    if (why) throw new Error(`retried, though ${why.guard} failed`);
    if (!Object.is(delayMs, inputs.nextDelayMs)) throw new Error(`retries after ${delayMs} ms`);
    if (stoppedBy !== undefined) throw new Error(`retries, and is stopped by ${stoppedBy}`);
  } else {
    if (asked && !why) throw new Error(`${action}, though every guard of a retry passed`);
    if (why && stoppedBy !== stops[why.guard]) throw new Error(`${why.guard} failed, and it was stopped by ${stoppedBy}`);
    if (delayMs !== undefined) throw new Error(`${action} after a delay`);
  }
  if (reason.length === 0) throw new Error('no reason');
  for (const { guard, value } of guards)
    if (!['string', 'number', 'boolean'].includes(typeof value)) throw new Error(`${guard}: ${typeof value}`);
}

describe('every combination of the other inputs', () => {
  const either = [false, true] as const;
  const shapes: readonly (readonly [string, readonly DecisionInputs['alternatives'][number][]])[] = [
    ['no alternative', []],
    ['an alternative', [backup]],
    ['an alternative that is down', [{ ...backup, circuit: 'open', available: false }]],
  ];

  it.each(shapes)('with %s: explained, and within its limits', (_name, alternatives) => {
    let retries = 0;
    let all = 0;
    for (const classification of ['transient', 'permanent', 'neutral'] as const)
      for (const failure of ['error', 'timeout', 'refused'] as const)
        for (const circuit of ['closed', 'open', 'half_open'] as const)
          for (const effect of [undefined, 'read', 'idempotent', 'unsafe'] as const)
            for (let bits = 0; bits < 64; bits += 1) {
              const [ambiguous, probe, partialAvailable, acceptPartial, fallbackAvailable, optional] = [1, 2, 4, 8, 16, 32].map(
                (bit) => either[Number((bits & bit) > 0)] ?? false,
              ) as [boolean, boolean, boolean, boolean, boolean, boolean];
              const flags = { ambiguous, probe, partialAvailable, acceptPartial, fallbackAvailable, optional };
              const inputs = inputsWith({
                classification,
                failure,
                circuit,
                ...(effect ? { effect } : {}),
                ...flags,
                alternatives,
              });
              const decision = decide(inputs);
              expectExplained(decision, inputs);
              const { action } = decision;
              const cancelled = classification === 'neutral' && failure !== 'refused';
              const done = ambiguous && effect === 'unsafe';
              const partial = failure === 'timeout' && acceptPartial && partialAvailable;
              const expected = partial
                ? 'accept_partial'
                : retryIsAllowed(inputs)
                  ? 'retry'
                  : alternatives.some(({ available }) => available) && !cancelled && !done
                    ? 'use_alternative'
                    : fallbackAvailable && !cancelled
                      ? 'use_default'
                      : optional || cancelled
                        ? 'fail'
                        : 'escalate';
              if (action !== expected) throw new Error(`${action}, not ${expected}: ${JSON.stringify(inputs)}`);
              if (!mayTake(decision, inputs)) throw new Error(`not what advice might be: ${JSON.stringify(inputs)}`);
              retries += Number(action === 'retry');
              all += 1;
            }
    expect([all, retries]).toEqual([6_912, 616]);
  });
});

const numbers = [
  'attempts',
  'maxAttempts',
  'retryCount',
  'nextDelayMs',
  'retryAfterMs',
  'retryElapsedMs',
  'maxTotalTimeMs',
  'turnTimeLeftMs',
  'retryBudgetLeft',
  'turnRetriesLeft',
] as const satisfies readonly (keyof DecisionInputs)[];

describe('extreme numbers', () => {
  it.each(numbers)('%s: with every other extreme number, a retry only if every limit allows it', (name) => {
    for (const value of extreme)
      for (const other of numbers)
        for (const beside of extreme) {
          const inputs = inputsWith({ [name]: value, [other]: beside });
          const decision = decide(inputs);
          expectExplained(decision, inputs);
          if ((decision.action === 'retry') !== retryIsAllowed(inputs))
            throw new Error(`${name} ${value}, ${other} ${beside}: ${decision.action} (${decision.reason})`);
        }
  });

  it.each([
    'attempts',
    'maxAttempts',
    'retryElapsedMs',
    'nextDelayMs',
    'maxTotalTimeMs',
    'turnTimeLeftMs',
    'retryBudgetLeft',
    'turnRetriesLeft',
  ] as const)('%s as an invalid number allows no retry', (name) => {
    expect(decide(inputsWith({ [name]: Number.NaN })).action).toBe('escalate');
  });

  it('in evidence: insufficient evidence has no effect', () => {
    for (const tried of extreme)
      for (const succeeded of extreme)
        for (const strategy of ['retry', 'use_alternative'] as const) {
          const evidence: readonly StrategyEvidence[] = [{ strategy, tried, succeeded, withheld: tried, toolName: 'backup' }];
          const inputs = inputsWith({ evidence });
          const decision = decide(inputs);
          expectExplained(decision, inputs);
          when(!(tried >= 10), () => expect(decision).toEqual(decide(inputsWith())));
        }
  });

  it.each(extreme.filter((value) => !(value < 0)))(
    'a retry advised after %d ms is used only if the time is valid and within the limits',
    (delayMs) => {
      const taken = mayTake({ action: 'retry', delayMs, reason: '', guards: [] }, inputsWith({ turnTimeLeftMs: 1_000 }));
      expect(taken).toBe(delayMs < 1_000);
    },
  );
});

describe('for any inputs', () => {
  const odd = fc.constantFrom(...extreme);
  const oddInputs = fc
    .tuple(anyInputs, fc.dictionary(fc.constantFrom(...numbers), odd, { maxKeys: 3 }))
    .map(([inputs, changes]): DecisionInputs => ({ ...inputs, ...changes }));

  it('the guards explain the action, and the inputs are unchanged', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(oddInputs, (inputs) => {
        const before = structuredClone(inputs);
        const decision = decide(inputs);
        expectExplained(decision, inputs);
        when(decision.action === 'retry', () => expect(retryIsAllowed(inputs)).toBe(true));
        expect(inputs).toEqual(before);
      }),
      { numRuns: 5_000 },
    );
  });

  it('the error handler returns what `decide` returns, however similar the previous failure is', { timeout: 60_000 }, () => {
    const changes = fc.array(fc.tuple(fc.constantFrom(...numbers, 'toolName', 'optional', 'ambiguous', 'failure'), odd), { maxLength: 2 });
    const rule: MatchedRule = { rule: 'late', effect: 'deny', strategy: 'retry' };
    fc.assert(
      fc.property(oddInputs, fc.array(changes, { minLength: 2, maxLength: 12 }), fc.boolean(), (first, series, ruled) => {
        const handler = new ErrorHandler(
          ruled ? { recoveryRules: [{ name: rule.rule, when: { tool: ['other'] }, deny: [rule.strategy] }] } : {},
        );
        let facts: DecisionInputs = { ...first, recoveryRules: [], evidence: [] };
        for (const change of series) {
          for (const [name, value] of change) facts = { ...facts, ...changed(name, value, facts) };
          const { recoveryRules: _policies, evidence: _evidence, ...known } = facts;
          const notice: FailureNotice = {
            turnId: 'turn',
            callId: 'a',
            toolName: 'search',
            attempt: 1,
            code: 'X',
            message: '',
            facts: known,
          };
          const { decision, inputs } = handler.handle(notice);
          // -0 and 0 are the same time.
          const plain = ({ guards, ...rest }: Decision): unknown => [rest, guards.map((guard: Guard) => Object.entries(guard).map(String))];
          const same = JSON.stringify(plain(decision)) === JSON.stringify(plain(decide(inputs)));
          if (!same) throw new Error(`${JSON.stringify(decision)}\n${JSON.stringify(decide(inputs))}`);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

function changed(name: string, value: number, { optional, ambiguous, failure }: DecisionInputs): Partial<DecisionInputs> {
  switch (name) {
    case 'toolName':
      return { toolName: value > 0 ? 'other' : 'search' };
    case 'optional':
      return { optional: !optional };
    case 'ambiguous':
      return { ambiguous: !ambiguous };
    case 'failure':
      return { failure: failure === 'error' ? 'timeout' : failure === 'timeout' ? 'refused' : 'error' };
    default:
      return { [name]: value };
  }
}
