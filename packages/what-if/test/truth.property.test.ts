import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlannedCall, ToolPolicy, TraceEvent } from '@holdfast/core';
import { foldTurn } from '@holdfast/core/turn-view';
import { type Range, type WhatIf, whatIf } from '../src/index.ts';
import knownWorlds from './known-worlds.json' with { type: 'json' };
import { play, type SmallPolicy, type SmallWorld } from './support.ts';

const names = ['search', 'book', 'mail'] as const;

const retry = fc.record(
  {
    maxAttempts: fc.integer({ min: 1, max: 5 }),
    initialDelayMs: fc.constantFrom(50, 100, 400),
    maxTotalTimeMs: fc.constantFrom(0, 500, 2_000, 10_000),
  },
  { requiredKeys: [] },
);

const breaker = fc.oneof(
  fc.constant(false as const),
  fc.record(
    {
      failureThreshold: fc.integer({ min: 1, max: 6 }),
      openMs: fc.constantFrom(300, 2_000, 10_000),
      successThreshold: fc.integer({ min: 1, max: 2 }),
      count: fc.constantFrom('attempt' as const, 'call' as const),
    },
    { requiredKeys: [] },
  ),
);

const policy: fc.Arbitrary<ToolPolicy> = fc.record(
  {
    timeoutMs: fc.constantFrom(300, 1_000, 5_000),
    retry,
    breaker,
    retryBudget: fc.oneof(fc.constant(false as const), fc.constant({ ratio: 0.2, floor: 1, windowMs: 5_000 })),
    concurrency: fc.oneof(fc.constant(false as const), fc.constant({ limit: 2, queue: 3 })),
    waitForRecovery: fc.oneof(fc.constant(false as const), fc.constant({ maxWaitMs: 5_000 })),
    alternatives: fc.constantFrom<readonly string[]>([], ['mail']),
  },
  { requiredKeys: [] },
);

/** Tests differ from each other in one respect, rarely in more. */
const small: fc.Arbitrary<ToolPolicy> = fc.oneof(
  retry.map((each) => ({ retry: each })),
  breaker.map((each) => ({ breaker: each })),
  policy,
);

const calls: fc.Arbitrary<readonly PlannedCall[]> = fc
  .array(
    fc.record({
      toolName: fc.constantFrom('search', 'book'),
      after: fc.array(fc.nat(3), { maxLength: 2 }),
      optional: fc.boolean(),
      critical: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((drawn) =>
    drawn.map(({ toolName, after, optional, critical }, index) => ({
      callId: `c${index}`,
      toolName,
      dependsOn: [...new Set(after.filter((each) => each < index).map((each) => `c${each}`))],
      optional,
      critical: critical && !optional,
    })),
  );

/** A quarter of the turns are single calls, as MCP clients make them. */
const single = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.record({ timeoutMs: fc.constantFrom(null, 2_000, 20_000) }) },
);
const alone = ({ callId, toolName }: PlannedCall): PlannedCall => ({ callId, toolName });

const world: fc.Arbitrary<SmallWorld> = fc.record({
  seed: fc.string({ minLength: 1, maxLength: 4 }),
  tools: fc.record({ search: policy, book: policy, mail: fc.constant({}) }).map((own) => ({
    ...own,
    search: { ...own.search, alternatives: own.search.alternatives ?? [] },
    book: { ...own.book, alternatives: [] },
  })),
  turns: fc.array(fc.record({ gap: fc.integer({ min: 0, max: 3_000 }), calls, single }), { minLength: 1, maxLength: 14 }).map((drawn) => {
    let at = 0;
    return drawn.map(({ gap, calls: own, single: limit }) =>
      limit === undefined ? { at: (at += gap), calls: own } : { at: (at += gap), calls: own.slice(0, 1).map(alone), single: limit },
    );
  }),
  turn: fc.record(
    { timeoutMs: fc.constantFrom(null, 2_000, 20_000), concurrency: fc.constantFrom(2, 16), maxRetries: fc.constantFrom(null, 2) },
    { requiredKeys: [] },
  ),
  downs: fc
    .array(
      fc.record({
        tool: fc.constantFrom(...names),
        from: fc.integer({ min: 0, max: 20_000 }),
        length: fc.integer({ min: 100, max: 15_000 }),
        how: fc.constantFrom('errors' as const, 'hangs' as const, 'bad_request' as const),
      }),
      { maxLength: 3 },
    )
    .map((drawn) => drawn.map(({ length, ...each }) => ({ ...each, to: each.from + length }))),
  failing: fc.constantFrom(0, 0.1, 0.4),
  hanging: fc.constantFrom(0, 0.1),
  latencyMs: fc.constantFrom(50, 200),
});

const changes: fc.Arbitrary<SmallPolicy> = fc.oneof(
  small.map((each) => ({ tools: { search: each } })),
  small.map((each) => ({ policy: { ...each, alternatives: undefined } })),
  fc.record({ timeoutMs: fc.constantFrom(null, 1_000, 30_000) }).map((turn) => ({ turn })),
);

/** Calls that wait at a gate are the most sensitive to small time differences. */
const withWaits = (each: SmallWorld): SmallWorld => ({
  ...each,
  tools: Object.fromEntries(Object.entries(each.tools).map(([name, own]) => [name, { ...own, waitForRecovery: { maxWaitMs: 5_000 } }])),
});

const planned = (...tools: readonly string[]): readonly PlannedCall[] =>
  tools.map((toolName, index) => ({ callId: `c${index}`, toolName }));

/** Two calls wait for one circuit, and the time at which it is checked again is the sum of two readings. */
const twoThatWait: SmallWorld = {
  seed: ' M2',
  tools: { search: {}, book: { breaker: { failureThreshold: 1, openMs: 2_000 }, waitForRecovery: { maxWaitMs: 5_000 } }, mail: {} },
  turns: [
    { at: 1_306, calls: planned('search', 'search', 'book', 'search') },
    { at: 1_320, calls: planned('search', 'search', 'book') },
  ],
  turn: { concurrency: 2 },
  downs: [],
  failing: 0.4,
  hanging: 0,
  latencyMs: 50,
};

/** Worlds that fresh draws have found. */
const known = knownWorlds as unknown as readonly { readonly shows: string; readonly world: SmallWorld; readonly changes: SmallPolicy }[];

const ask = (traces: readonly (readonly TraceEvent[])[], what: SmallPolicy): WhatIf => whatIf(traces, what, { sameMomentMs: 0.001 });

describe('a what-if on recorded turns', () => {
  it('gives the exact record without changes', () => {
    fc.assert(
      fc.property(world, (each) => {
        const traces = play(each);
        const { total, turns, leftOut } = ask(traces, {});
        expect(leftOut).toEqual([]);
        expect(turns).toHaveLength(traces.length);
        expect(total.observedShare).toBe(1);
        for (const name of ['succeeded', 'failed', 'requests', 'retries', 'timeMs'] as const)
          expect(total.changed[name]).toEqual({ low: total.recorded[name], high: total.recorded[name] });
      }),
      { numRuns: 25, seed: 26 },
    );
  });

  it('counts the recorded calls as the view of their turn does', () => {
    fc.assert(
      fc.property(fc.oneof(world, world.map(withWaits)), (each) => {
        const traces = play(each);
        for (const [index, { parts }] of ask(traces, {}).turns.entries()) {
          const { calls } = foldTurn(traces[index] ?? []);
          expect(parts.map(({ callId, recorded: { succeeded, requests, retries } }) => ({ callId, succeeded, requests, retries }))).toEqual(
            calls.map(({ callId, end, attempts, retries }) => ({
              callId,
              succeeded: end?.status === 'success' ? 1 : 0,
              requests: attempts,
              retries,
            })),
          );
        }
      }),
      { numRuns: 25, seed: 26 },
    );
  });

  it('gives the exact record when everything is run again under the same settings', () => {
    fc.assert(
      fc.property(fc.oneof(world, world.map(withWaits)), (each) => {
        // A change without an effect that still reaches every turn.
        const { total, whole } = ask(play(each), { turn: { onDeadline: 'detach' }, policy: { maxOutputChars: 9_999_999 } });
        for (const name of ['succeeded', 'failed', 'requests', 'retries'] as const)
          expect(total.changed[name]).toEqual({ low: total.recorded[name], high: total.recorded[name] });
        expect(total.changed.timeMs.low).toBeCloseTo(total.recorded.timeMs, 3);
        expect(total.changed.timeMs.high).toBeCloseTo(total.recorded.timeMs, 3);
        expect(whole.changed).toEqual({ low: whole.recorded, high: whole.recorded });
      }),
      { numRuns: 25, seed: 26, examples: [[twoThatWait]] },
    );
  });

  it('has the real result within its bounds, turn by turn and call by call', () => {
    fc.assert(fc.property(fc.oneof(world, world.map(withWaits)), changes, boundsHold), {
      numRuns: Number(process.env['RUNS'] ?? 100),
      examples: known.map((each) => [each.world, each.changes]),
      endOnFailure: process.env['RUNS'] === undefined,
    });
  });
});

function boundsHold(each: SmallWorld, what: SmallPolicy): void {
  const estimate = ask(play(each), what);
  const truth = ask(play(each, what), {});
  expect(estimate.leftOut).toEqual([]);
  for (const [index, { parts, whole, duration, turnId }] of estimate.turns.entries()) {
    const real = truth.turns[index];
    if (!real) throw new Error('a turn is missing');
    within(real.whole.recorded, whole.changed, `${turnId} whole`);
    within(real.duration.recorded, duration.changed, `${turnId} duration`, timerMs);
    for (const [place, part] of parts.entries())
      for (const name of ['succeeded', 'failed', 'requests', 'retries', 'timeMs'] as const)
        within(
          real.parts[place]?.recorded[name] ?? Number.NaN,
          part.changed[name],
          `${turnId} ${part.callId} ${name}`,
          name === 'timeMs' ? timerMs : 0,
        );
  }
}

/** Times are sums of clock readings, and a timer that is due a rounding too early is set again for a millisecond. */
const timerMs = 1.01;

function within(value: number, { low, high }: Range, what: string, by = 0): void {
  if (!(value >= low - by && value <= high + by)) throw new Error(`${what}: ${value} is not within ${low} and ${high}`);
}
