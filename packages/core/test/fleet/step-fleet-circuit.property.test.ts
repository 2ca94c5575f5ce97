/** Whatever workers send, in whatever order, twice or late: one live probe, generations that never fall, and no word from before a closing opens anything. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fleetCircuitDefaults,
  stepFleetCircuit,
  type FleetCircuitMessage,
  type FleetCircuitState,
  type FleetCircuitStep,
} from '../../src/fleet/index.ts';

const tool = 'search';
const settings = { ...fleetCircuitDefaults, voteLifetimeMs: 500, openMs: 300, leastRetryAfterMs: 10, longestLeaseMs: 400 };

/** What may happen: time passes, a worker says or asks something, a probe ends, an earlier message comes once more. */
const happening = fc.oneof(
  { weight: 2, arbitrary: fc.record({ what: fc.constant('time' as const), ms: fc.integer({ min: -300, max: 400 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant('report' as const),
      worker: fc.constantFrom('a', 'b', 'c'),
      state: fc.constantFrom('closed' as const, 'open' as const, 'half_open' as const),
      successes: fc.integer({ min: 0, max: 2 }),
      failures: fc.integer({ min: 0, max: 2 }),
      behind: fc.integer({ min: 0, max: 3 }),
      openForMs: fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined }),
      retryAfterMs: fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined, freq: 6 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('acquire' as const),
      worker: fc.constantFrom('a', 'b', 'c'),
      leaseMs: fc.integer({ min: 1, max: 600 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('end' as const),
      which: fc.nat(),
      outcome: fc.constantFrom('success' as const, 'failure' as const, 'neutral' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('again' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('reset' as const), worker: fc.constantFrom('a', 'b', 'c') }) },
);

type Happening = typeof happening extends fc.Arbitrary<infer One> ? One : never;

interface Seen {
  readonly message: FleetCircuitMessage;
  readonly before: FleetCircuitState | undefined;
  readonly step: FleetCircuitStep;
  readonly now: number;
}

/** Plays it all; every state goes through JSON, as through a keeper. */
function play(happenings: readonly Happening[]): readonly Seen[] {
  let now = 1_000_000;
  let state: FleetCircuitState | undefined;
  let sequence = 0;
  const sent: FleetCircuitMessage[] = [];
  const tokens: string[] = ['made up'];
  const seen: Seen[] = [];
  const send = (message: FleetCircuitMessage): void => {
    sent.push(message);
    const before = state;
    const step = stepFleetCircuit(state, message, now, settings);
    state = JSON.parse(JSON.stringify(step.state)) as FleetCircuitState;
    expect(state).toEqual(step.state);
    if (step.probe?.kind === 'granted') tokens.push(step.probe.token);
    seen.push({ message, before, step, now });
  };
  for (const one of happenings) {
    if (one.what === 'time') now += one.ms;
    else if (one.what === 'acquire') send({ type: 'acquire_probe', tool, worker: one.worker, leaseMs: one.leaseMs });
    else if (one.what === 'reset') send({ type: 'reset', tool, worker: one.worker });
    else if (one.what === 'end')
      send({ type: 'probe_ended', tool, token: tokens[one.which % tokens.length] as string, outcome: one.outcome });
    else if (one.what === 'again') {
      const earlier = sent[one.which % Math.max(1, sent.length)];
      if (earlier) send(earlier);
    } else {
      const { what: _what, behind, openForMs, retryAfterMs, ...rest } = one;
      const generation = Math.max(0, (state?.generation ?? 0) - behind);
      const extras = { ...(openForMs === undefined ? {} : { openForMs }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
      send({ type: 'report', tool, sequence: (sequence += 1), generation, ...rest, ...extras });
    }
  }
  return seen;
}

const stories = fc.array(happening, { maxLength: 60 });
const property = (check: (seen: readonly Seen[]) => void): void =>
  fc.assert(
    fc.property(stories, (story) => check(play(story))),
    { numRuns: 400 },
  );

describe('a fleet’s circuit', () => {
  test('has one live probe at most: none is given while one is out, and each has a token of its own', () => {
    property((seen) => {
      const tokens = new Set<string>();
      for (const { before, step, now } of seen) {
        if (step.probe?.kind !== 'granted') continue;
        expect(tokens.has(step.probe.token)).toBe(false);
        tokens.add(step.probe.token);
        const live = before?.probe !== undefined && Math.min(now - before.at, 0) === 0 && now < before.probe.leaseUntil;
        expect(live).toBe(false);
        expect(before?.state).toBe('open');
      }
    });
  });

  test('has generations that never fall, and grow with every change of state or probe', () => {
    property((seen) => {
      for (const { before, step } of seen) {
        expect(step.state.generation).toBeGreaterThanOrEqual(before?.generation ?? 0);
        const changed = (before?.state ?? 'closed') !== step.state.state || before?.probe?.token !== step.state.probe?.token;
        if (changed) expect(step.state.generation).toBeGreaterThan(before?.generation ?? 0);
      }
    });
  });

  test('is closed by the holder of the live probe or by a person, and by nobody else', () => {
    property((seen) => {
      for (const { before, step, message, now } of seen) {
        if (before?.state !== 'open' || step.state.state !== 'closed' || message.type === 'reset') continue;
        expect(message).toMatchObject({ type: 'probe_ended', outcome: 'success', token: before.probe?.token });
        const shift = Math.min(0, now - before.at);
        expect(now).toBeLessThan((before.probe?.leaseUntil ?? 0) + shift);
      }
    });
  });

  test('is opened by reports of those who know of the latest closing, and by nobody else', () => {
    property((seen) => {
      for (const { before, step, message } of seen) {
        if ((before?.state ?? 'closed') !== 'closed' || step.state.state !== 'open') continue;
        expect(message.type).toBe('report');
        if (message.type !== 'report') continue;
        expect(message.generation).toBeGreaterThanOrEqual(before?.closedGeneration ?? 0);
        if (step.state.cause === 'retry_after') expect(message.retryAfterMs).toBeGreaterThanOrEqual(settings.leastRetryAfterMs);
        else expect(step.state.by).toContain(message.worker);
      }
    });
  });

  test('is not changed by the same report again', () => {
    property((seen) => {
      for (const { step, message, now } of seen) {
        if (message.type !== 'report') continue;
        const again = stepFleetCircuit(step.state, message, now, settings);
        if (step.state.members.some(({ worker }) => worker === message.worker)) expect(again.state).toEqual(step.state);
      }
    });
  });

  test('waits no longer than it was told to, and its remembered workers are those heard of lately', () => {
    property((seen) => {
      for (const { step, now } of seen) {
        expect(step.circuit.openForMs ?? 0).toBeLessThanOrEqual(400);
        expect(step.state.members.length).toBeLessThanOrEqual(3);
        if (step.circuit.state === 'closed') expect(step.circuit.openForMs).toBeUndefined();
        expect(step.state.at).toBe(now);
      }
    });
  });
});

test('a keeper that has lost its state goes on behind the highest generation it hears of', () => {
  const report = {
    type: 'report',
    tool,
    worker: 'a',
    sequence: 1,
    generation: 41,
    successes: 0,
    failures: 5,
    state: 'open',
    openForMs: 100,
  } as const;
  expect(stepFleetCircuit(undefined, report, 0).circuit).toMatchObject({ state: 'open', generation: 42 });
});
