import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PlannedCall } from '../../../src/engine/turn/plan.ts';
import type { Ending } from '../../support/turn-bench.ts';
import { TurnBench } from '../../support/turn-bench.ts';
import { when } from '../../support/when.ts';

interface Drawn {
  readonly after: readonly number[];
  readonly optional: boolean;
  readonly critical: boolean;
  readonly standsIn: boolean;
}

const drawn: fc.Arbitrary<readonly Drawn[]> = fc.array(
  fc.record({ after: fc.array(fc.nat(1_000), { maxLength: 4 }), optional: fc.boolean(), critical: fc.boolean(), standsIn: fc.boolean() }),
  { minLength: 1, maxLength: 60 },
);

/** Every call depends on earlier ones only. */
function toCalls(draws: readonly Drawn[]): readonly PlannedCall[] {
  return draws.map(({ after, optional, critical, standsIn }, index) => {
    const dependsOn = index === 0 ? [] : [...new Set(after.map((number) => `c${number % index}`))];
    const defaults = standsIn && dependsOn[0] !== undefined ? { [dependsOn[0]]: 'stand-in' } : undefined;
    return { callId: `c${index}`, toolName: `tool_${index % 5}`, dependsOn, optional, critical, defaults };
  });
}

const endings: readonly Ending[] = ['success', 'success', 'success', 'error', 'timeout', 'fallback'];

/** The outcome of a call by the rules of dependencies alone, if nothing ends the turn early. */
function expectedFates(
  calls: readonly PlannedCall[],
  endingOf: (callId: string) => Ending,
): ReadonlyMap<string, 'has output' | 'failed' | 'not run'> {
  const fates = new Map<string, 'has output' | 'failed' | 'not run'>();
  for (const { callId = '', dependsOn = [], optional, defaults = {} } of calls) {
    const lost = dependsOn.filter((name) => fates.get(name) !== 'has output');
    const isBlocked = optional ? lost.length > 0 : lost.some((name) => !Object.hasOwn(defaults, name));
    const ending = endingOf(callId);
    fates.set(callId, isBlocked ? 'not run' : ending === 'success' || ending === 'fallback' ? 'has output' : 'failed');
  }
  return fates;
}

const scenario = fc.record({
  draws: drawn,
  rolls: fc.array(fc.nat(10_000), { minLength: 1, maxLength: 80 }),
  concurrency: fc.integer({ min: 1, max: 6 }),
});

it('returns one result per call and keeps the rules of dependencies, for any order of results', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(scenario, ({ draws, rolls, concurrency }) => {
      const calls = toCalls(draws);
      const endingOf = (callId: string): Ending => endings[(Number(callId.slice(1)) * 7 + (rolls[0] ?? 0)) % endings.length] ?? 'success';
      const bench = new TurnBench(calls, { concurrency });
      for (let turn = 0; !bench.report; turn++) {
        const running = [...bench.running.keys()];
        const callId = running[(rolls[turn % rolls.length] ?? 0) % running.length];
        if (callId === undefined) throw new Error('nothing runs, and the turn continues');
        bench.now += 1;
        bench.end(callId, endingOf(callId));
      }
      const { results, escalated, outcome } = bench.report;
      expect(results.map(({ callId }) => callId)).toEqual(calls.map(({ callId }) => callId));
      const fates = expectedFates(calls, endingOf);
      for (const result of results) {
        const fate = fates.get(result.callId);
        expect('skipped' in result).toBe(fate === 'not run');
        expect(bench.started.includes(result.callId)).toBe(fate !== 'not run');
        expect((result.error?.causedBy?.length ?? 0) > 0).toBe(fate === 'not run');
      }
      const isLost = (index: number): boolean => results[index]?.status !== 'success';
      expect(escalated).toBe(calls.some(({ critical }, index) => critical === true && isLost(index)));
      expect(outcome === 'success').toBe(!calls.some(({ optional }, index) => optional !== true && isLost(index)));
    }),
    { numRuns: 500 },
  );
});

it('settles at once at the deadline or a cancel, at any time, and starts nothing afterwards', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(scenario, fc.nat(40), fc.boolean(), ({ draws, rolls, concurrency }, moment, isCancel) => {
      const bench = new TurnBench(toCalls(draws), { concurrency });
      for (let turn = 0; turn < moment && !bench.report; turn++) {
        const running = [...bench.running.keys()];
        bench.end(running[(rolls[turn % rolls.length] ?? 0) % running.length] ?? '', endings[turn % endings.length]);
      }
      const wasDone = bench.report !== undefined;
      if (isCancel) bench.cancel();
      else bench.expire();
      expect(bench.report?.results).toHaveLength(draws.length);
      when(!wasDone, () => expect(bench.report?.outcome).toBe(isCancel ? 'cancelled' : 'deadline'));
      const before = bench.events.length;
      bench.end('c0').expire().cancel();
      expect(bench.events).toHaveLength(before);
    }),
    { numRuns: 500 },
  );
});

it('does not depend on the order of submission', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(scenario, fc.infiniteStream(fc.nat(1_000_000)), ({ draws, rolls, concurrency }, keys) => {
      const calls = toCalls(draws);
      const shuffled = calls
        .map((call) => ({ call, key: keys.next().value as number }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ call }) => call);
      const run = (order: readonly PlannedCall[]): TurnBench => {
        const bench = new TurnBench(order, { concurrency });
        for (let turn = 0; !bench.report; turn++) {
          const running = [...bench.running.keys()];
          bench.now += 1;
          bench.end(
            running[(rolls[turn % rolls.length] ?? 0) % running.length] ?? '',
            endings[(rolls[turn % rolls.length] ?? 0) % endings.length],
          );
        }
        return bench;
      };
      const one = run(calls);
      const other = run(shuffled);
      expect(other.started).toEqual(one.started);
      expect(other.events).toEqual(one.events);
      expect(other.report?.results.map(({ callId }) => callId)).toEqual(shuffled.map(({ callId }) => callId));
    }),
    { numRuns: 300 },
  );
});
