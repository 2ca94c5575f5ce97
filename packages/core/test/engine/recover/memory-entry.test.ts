import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StrategyEvidence } from '../../../src/engine/recover/decision.ts';
import {
  addOutcomes,
  addToEntry,
  isMemoryEntry,
  type MemoryEntry,
  memoryKey,
  readMemoryEntry,
} from '../../../src/engine/recover/memory-entry.ts';

const retries = (tried: number, succeeded: number, withheld = 0): StrategyEvidence => ({ strategy: 'retry', tried, succeeded, withheld });
const entry = (outcomes: readonly StrategyEvidence[], savedAtEpochMs = 1): MemoryEntry => ({
  version: 1,
  toolName: 'search',
  category: 'unavailable',
  rule: 'status:503',
  savedAtEpochMs,
  outcomes,
});

describe('what is learned is added', () => {
  it('by strategy and alternative', () => {
    const backup: StrategyEvidence = { strategy: 'use_alternative', toolName: 'backup', tried: 2, succeeded: 1 };
    const mirror: StrategyEvidence = { ...backup, toolName: 'mirror' };
    expect(addOutcomes([retries(3, 1, 2), backup], [mirror, retries(4, 2, 1), backup])).toEqual([
      retries(7, 3, 3),
      { ...backup, tried: 4, succeeded: 2 },
      mirror,
    ]);
  });

  it('to an entry, which keeps the later time', () => {
    expect(addToEntry(entry([retries(3, 1)], 50), entry([retries(1, 1)], 20))).toEqual(entry([retries(4, 2)], 50));
    expect(addToEntry(entry([retries(3, 1)], 20), entry([retries(1, 1)], 50))).toEqual(entry([retries(4, 2)], 50));
  });

  it('in any order with the same sum, unless it fades', () => {
    const count = fc.record({ tried: fc.nat(60), share: fc.double({ min: 0, max: 1, noNaN: true }) });
    fc.assert(
      fc.property(fc.array(count, { minLength: 1, maxLength: 3 }), (counts) => {
        const parts = counts.map(({ tried, share }) => entry([retries(tried, Math.floor(tried * share))]));
        const sumOf = (all: readonly MemoryEntry[]): MemoryEntry | undefined =>
          all.reduce<MemoryEntry | undefined>((sum, part) => addToEntry(sum, part), undefined);
        expect(sumOf(parts.toReversed())).toEqual(sumOf(parts));
        expect(sumOf(parts)?.outcomes[0]?.tried).toBe(counts.reduce((sum, { tried }) => sum + tried, 0));
      }),
    );
  });

  it('and old outcomes fade: however much is added, the latest outcomes count', () => {
    let known = entry([retries(199, 199)]);
    for (let n = 0; n < 20; n += 1) known = addToEntry(known, entry([retries(199, 0)]));
    const [{ tried, succeeded } = retries(0, 0)] = known.outcomes;
    expect(tried).toBeLessThan(200);
    expect(succeeded / tried).toBeLessThan(0.05);
    expect(addToEntry(entry([retries(1e15, 1e15)]), entry([retries(1, 0)])).outcomes[0]?.tried).toBeLessThan(200);
  });
});

describe('an entry from a store', () => {
  const valid = entry([retries(3, 1), { strategy: 'use_alternative', toolName: 'backup', tried: 1, succeeded: 1 }]);

  it('is valid after it was written as JSON', () => {
    expect(readMemoryEntry(JSON.stringify(valid))).toEqual(valid);
    expect(isMemoryEntry(readMemoryEntry(JSON.stringify(valid)))).toBe(true);
  });

  it.each<readonly [string, unknown]>([
    ['text that is not JSON', readMemoryEntry('{"version":1')],
    ['nothing', null],
    ['another version', { ...valid, version: 2 }],
    ['a rule that is no text', { ...valid, rule: 503 }],
    ['a time that is not a number', { ...valid, savedAtEpochMs: 'today' }],
    ['no outcomes', { ...valid, outcomes: undefined }],
    ['an outcome that is not an object', { ...valid, outcomes: [7] }],
    ['an unknown strategy', { ...valid, outcomes: [{ ...retries(1, 1), strategy: 'pray' }] }],
    ['an alternative without a name', { ...valid, outcomes: [{ strategy: 'use_alternative', tried: 1, succeeded: 1 }] }],
    ['more successes than tries', { ...valid, outcomes: [retries(1, 2)] }],
    ['a negative count', { ...valid, outcomes: [retries(-1, -2)] }],
    ['half a count', { ...valid, outcomes: [retries(1, 0.5)] }],
  ])('is refused, and replaced by what is learned: %s', (_, stored) => {
    expect(isMemoryEntry(stored)).toBe(false);
    expect(addToEntry(stored, valid)).toBe(valid);
  });
});

it('different kinds of error have different keys', () => {
  const names = fc.record({ toolName: fc.string(), category: fc.constant('timeout' as const), rule: fc.string() });
  fc.assert(
    fc.property(names, names, (one, other) => {
      expect(memoryKey(one) === memoryKey(other)).toBe(one.toolName === other.toolName && one.rule === other.rule);
    }),
  );
  const kind = { toolName: 'a', category: 'timeout', rule: 'b timeout c' } as const;
  expect(memoryKey(kind)).not.toBe(memoryKey({ ...kind, toolName: 'a timeout b', rule: 'c' }));
});
