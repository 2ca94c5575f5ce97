/** What is done about a failure that has no evidence of its cause, for any other fact. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decide } from '../../../src/engine/recover/decide.ts';
import type { DecisionInputs, Effect } from '../../../src/engine/recover/decision.ts';
import { readInputs, recordInputs } from '../../../src/engine/recover/decision-record.ts';
import { inputsWith } from '../../support/decision-inputs.ts';

const effects: readonly (Effect | undefined)[] = ['read', 'idempotent', 'unsafe', undefined];

const unknown = fc
  .record({
    effect: fc.constantFrom(...effects),
    assumedEffect: fc.constantFrom(...effects),
    unknownFailures: fc.integer({ min: 1, max: 4 }),
    attempts: fc.integer({ min: 1, max: 9 }),
    maxAttempts: fc.integer({ min: 1, max: 9 }),
    ambiguous: fc.boolean(),
    circuit: fc.constantFrom('closed', 'open', 'half_open'),
    nextDelayMs: fc.integer({ min: 0, max: 3_000 }),
    mayWaitMs: fc.constantFrom(undefined, 0, 60_000),
  })
  .map(({ effect, assumedEffect, mayWaitMs, ...facts }) => {
    const optional = { ...(effect && { effect }), ...(assumedEffect && { assumedEffect }), ...(mayWaitMs !== undefined && { mayWaitMs }) };
    return inputsWith({
      classification: 'permanent',
      category: 'unknown',
      rule: 'unknown',
      ...facts,
      ...optional,
    } as Partial<DecisionInputs>);
  });

it('is tried again once at most, and only where read or idempotent is declared', () => {
  fc.assert(
    fc.property(unknown, (inputs) => {
      const { effect, unknownFailures = 0 } = inputs;
      const { action, reason } = decide(inputs);
      if (action !== 'retry') return;
      expect(effect === 'read' || effect === 'idempotent').toBe(true);
      expect(unknownFailures).toBe(1);
      expect(reason).toBe('Unknown failure, retried at most once');
    }),
  );
});

it('is retried if no other check denies it', () => {
  for (const effect of ['read', 'idempotent'] as const)
    expect(decide(inputsWith({ classification: 'permanent', unknownFailures: 1, effect, ambiguous: true })).action).toBe('retry');
});

it('its record gives the same decision', () => {
  fc.assert(
    fc.property(unknown, (inputs) => {
      const record = recordInputs(inputs);
      expect(readInputs(JSON.parse(JSON.stringify(record)) as typeof record)).toEqual(inputs);
      expect(decide(readInputs(record))).toEqual(decide(inputs));
    }),
  );
});

it('a record of an earlier version is decided as before', () => {
  const {
    assumed_effect: _assumed,
    unknown_failures: _unknown,
    ...old
  } = recordInputs(inputsWith({ category: 'unknown', rule: 'unknown', assumedEffect: 'unsafe', unknownFailures: 1 }));
  expect(decide(readInputs(old))).toMatchObject({ action: 'retry', reason: 'Transient error + circuit closed + retries available' });
});

it('an ambiguous failure of a tool that counts as unsafe is neither repeated nor replaced', () => {
  const alternatives = [{ toolName: 'backup', circuit: 'closed', available: true }] as const;
  for (const of of [{ effect: 'unsafe' }, { assumedEffect: 'unsafe' }] as const) {
    expect(decide(inputsWith({ ambiguous: true, alternatives, ...of })).action).toBe('escalate');
    expect(decide(inputsWith({ ambiguous: false, ...of })).action).toBe('retry');
  }
  // What is declared counts, whatever is assumed.
  expect(decide(inputsWith({ ambiguous: true, effect: 'read', assumedEffect: 'unsafe' })).action).toBe('retry');
});
