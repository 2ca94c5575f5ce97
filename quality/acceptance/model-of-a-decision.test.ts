/** Random facts: the decision is the one of S0 6.1, written down as a plain list of strategies with what rules each of them out. Alerts are those of S4. */
/* oxlint-disable vitest/no-conditional-expect -- the plain program says what is expected */
import { decide, defineTool, ToolExecutionService, type DecisionInputs } from '@holdfast/core';
import { createAlertEngine, defaultAlertRules } from '@holdfast/core/alerts';
import { manualSystem } from '@holdfast/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from './support/property-runs.ts';

const strategies = ['accept_partial', 'retry', 'use_alternative', 'use_default'] as const;
type Strategy = (typeof strategies)[number];

const alternatives = fc.constantFrom<readonly (readonly [string, 'closed' | 'open' | 'half_open'])[]>(
  [],
  [['backup', 'closed']],
  [['backup', 'open']],
  [
    ['first', 'open'],
    ['second', 'closed'],
  ],
);

const inputs: fc.Arbitrary<DecisionInputs> = fc
  .record({
    classification: fc.constantFrom('transient' as const, 'transient' as const, 'permanent' as const, 'neutral' as const),
    failure: fc.constantFrom('error' as const, 'timeout' as const),
    ambiguous: fc.boolean(),
    effect: fc.constantFrom(undefined, 'read' as const, 'idempotent' as const, 'unsafe' as const),
    circuit: fc.constantFrom('closed' as const, 'closed' as const, 'open' as const),
    probe: fc.constantFrom(false, false, true),
    attempts: fc.integer({ min: 1, max: 4 }),
    maxAttempts: fc.integer({ min: 1, max: 5 }),
    nextDelayMs: fc.constantFrom(0, 100, 400),
    retryElapsedMs: fc.constantFrom(0, 1_599, 1_600, 2_500),
    turnTimeLeftMs: fc.constantFrom(undefined, 100, 101, 10_000),
    retryBudgetLeft: fc.constantFrom(undefined, 0, 1),
    turnRetriesLeft: fc.constantFrom(undefined, 0, 1),
    options: alternatives,
    partialAvailable: fc.boolean(),
    acceptPartial: fc.boolean(),
    fallbackAvailable: fc.boolean(),
    optional: fc.boolean(),
    recoveryRules: fc.array(
      fc.record({
        effect: fc.constantFrom('allow' as const, 'deny' as const, 'prefer' as const),
        strategy: fc.constantFrom(...strategies),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ options, recoveryRules, ...rest }) => ({
    turnId: 't',
    toolName: 'flight_search',
    category: 'unavailable',
    rule: 'status:503',
    maxTotalTimeMs: 2_000,
    evidence: [],
    ...(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as Omit<typeof rest, never>),
    retryCount: rest.attempts - 1,
    alternatives: options.map(([toolName, circuit]) => ({ toolName, circuit, available: circuit !== 'open' })),
    recoveryRules: recoveryRules.map((rule, index) => ({ rule: `rule-${index}`, ...rule })),
  })) as fc.Arbitrary<DecisionInputs>;

/** S0 6.1 with the limits of S0 2.3 and 3.4, and the rules of "Consciousness". */
function plainDecision(given: DecisionInputs): { readonly action: string; readonly alternative?: string; readonly stoppedBy?: string } {
  const ruleAbout = (strategy: Strategy) => given.recoveryRules.find((rule) => rule.strategy === strategy && rule.effect !== 'prefer');
  const denied = (strategy: Strategy): boolean => ruleAbout(strategy)?.effect === 'deny';
  const cancelled = given.classification === 'neutral';
  const unsafe = given.ambiguous && given.effect === 'unsafe';
  const stops: readonly (readonly [boolean, string | undefined])[] = [
    [given.classification !== 'transient', undefined],
    [given.circuit === 'open' || given.probe, 'circuit'],
    [unsafe, 'policy'],
    [denied('retry'), 'policy'],
    [given.attempts >= given.maxAttempts, 'attempts'],
    [given.retryElapsedMs + given.nextDelayMs >= given.maxTotalTimeMs, 'budget'],
    [given.turnTimeLeftMs !== undefined && given.nextDelayMs >= given.turnTimeLeftMs, 'deadline'],
    [given.retryBudgetLeft !== undefined && given.retryBudgetLeft < 1, 'budget'],
    [given.turnRetriesLeft !== undefined && given.turnRetriesLeft < 1, 'budget'],
  ];
  const stop = stops.find(([closed]) => closed);
  const alternative = given.alternatives.find(({ available }) => available)?.toolName;
  const open: Readonly<Record<Strategy, boolean>> = {
    accept_partial: given.failure === 'timeout' && given.acceptPartial && given.partialAvailable && !denied('accept_partial'),
    retry: stop === undefined,
    use_alternative: !cancelled && !unsafe && alternative !== undefined && !denied('use_alternative'),
    use_default: given.fallbackAvailable && !cancelled && !denied('use_default'),
  };
  const preferred = given.recoveryRules.find(({ effect }) => effect === 'prefer')?.strategy;
  const order = preferred === undefined ? strategies : [preferred, ...strategies.filter((each) => each !== preferred)];
  const action = order.find((strategy) => open[strategy]) ?? (given.optional || cancelled ? 'fail' : 'escalate');
  return {
    action,
    ...(action === 'use_alternative' && alternative !== undefined ? { alternative } : {}),
    ...(action !== 'retry' && stop?.[1] !== undefined ? { stoppedBy: stop[1] } : {}),
  };
}

test(
  'a decision is the first strategy that nothing rules out, with what stopped the retries',
  { tags: ['S0-6.1', 'S0-6.2', 'S1-6.2', 'S0-9'] },
  () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const { action, alternative, stoppedBy, reason, delayMs, guards } = decide(given);
        const decision = {
          action,
          ...(alternative === undefined ? {} : { alternative }),
          ...(stoppedBy === undefined ? {} : { stoppedBy }),
        };
        expect(decision).toEqual(plainDecision(given));
        expect(reason).toMatch(/\S/u);
        expect(delayMs).toBe(action === 'retry' ? given.nextDelayMs : undefined);
        if (action === 'retry')
          expect(guards.filter(({ guard }) => guard === 'attempts_left')).toMatchObject([{ passed: true, value: given.attempts }]);
      }),
      propertyRuns(1_500),
    );
  },
);

const outcomes = fc.array(
  fc.record({
    fails: fc.constantFrom(false, false, false, true),
    invalid: fc.constantFrom(false, false, false, true),
    ms: fc.constantFrom(0, 4_000, 5_000, 5_001, 9_000, 12_000),
  }),
  { minLength: 1, maxLength: 25 },
);

test('strict alerts are the four conditions to the letter, after every call', { tags: ['S4-alerts'] }, async () => {
  await fc.assert(
    fc.asyncProperty(outcomes, async (script) => {
      const system = manualSystem();
      let at = 0;
      const tool = defineTool({
        name: 'weather',
        output: { type: 'object' },
        timeoutMs: 10_000,
        retry: { maxAttempts: 1 },
        run: () => {
          const step = script[at++];
          return new Promise((resolve, reject) => {
            system.setTimer(step?.ms ?? 0, () =>
              step?.fails === true ? reject(new Error('Connection reset')) : resolve(step?.invalid === true ? 'no object' : {}),
            );
          });
        },
      });
      const service = new ToolExecutionService({ tools: [tool], system });
      const alerts = createAlertEngine({ rules: defaultAlertRules({ strict: true, windowMs: 3_600_000 }) });
      service.subscribe(alerts.observe);
      const done: { failed: boolean; ms: number }[] = [];
      let inRow = 0;
      let opened = false;
      let invalid = false;
      for (const step of script) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const result = await system.until(service.executeTool({ toolName: 'weather' }));
        const isLate = step.ms >= 10_000;
        expect(result.status).toBe(isLate ? 'timeout' : step.fails || step.invalid ? 'error' : 'success');
        done.push({ failed: isLate || step.fails || step.invalid, ms: Math.min(step.ms, 10_000) });
        inRow = step.fails || isLate ? inRow + 1 : 0;
        invalid ||= !step.fails && !isLate && step.invalid;
        opened ||= inRow >= 5;
        const mean = done.reduce((sum, { ms }) => sum + ms, 0) / done.length;
        const expected = [
          ...(opened ? ['CircuitOpen'] : []),
          ...(invalid ? ['ResponseInvalid'] : []),
          ...(mean > 5_000 ? ['ToolExecutionTimeHigh'] : []),
          ...(done.filter(({ failed }) => failed).length / done.length > 0.05 ? ['ToolFailureRateHigh'] : []),
        ];
        expect(
          alerts
            .active()
            .map(({ name }) => name)
            .toSorted(),
        ).toEqual(expected);
        // Calls that the open circuit refuses are another matter.
        if (opened) break;
      }
      await service.close();
    }),
    propertyRuns(80),
  );
});
