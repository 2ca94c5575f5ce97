/** Whatever workers send, in whatever order, twice or late: one live probe, generations that never fall, and no word from before a closing opens anything. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fleetCircuitDefaults,
  stepFleetCircuit,
  type FleetCircuitMessage,
  type FleetCircuitState,
  type FleetCircuitStep,
} from '../../../src/distributed/fleet/index.ts';

const tool = 'search';
const settings = { ...fleetCircuitDefaults, aloneMs: 50, voteLifetimeMs: 500, openMs: 300, leastRetryAfterMs: 10, longestLeaseMs: 400 };

/** What may happen: time passes, a worker says or asks something, a probe ends, an earlier message comes once more. */
const happening = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('time' as const), ms: fc.oneof(fc.integer({ min: -300, max: 400 }), fc.constant(-20_000)) }),
  },
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
  /** Workers that have reported, and knew of the latest closing. */
  readonly informed: ReadonlySet<string>;
}

/** When a message comes by the circuit's own reckoning: time stands still while a clock is behind, and goes on from where it was. */
const timeOf = ({ at }: FleetCircuitState, now: number): number => Math.max(at, now);

/** Plays it all; every state goes through JSON, as through a keeper. */
function play(happenings: readonly Happening[]): readonly Seen[] {
  let now = 1_000_000;
  let state: FleetCircuitState | undefined;
  let sequence = 0;
  const sent: FleetCircuitMessage[] = [];
  const tokens: string[] = ['made up'];
  const seen: Seen[] = [];
  const informed = new Set<string>();
  const send = (message: FleetCircuitMessage): void => {
    sent.push(message);
    const before = state;
    const closing = before?.closedGeneration ?? 0;
    if (message.type === 'report' && message.generation >= closing) informed.add(message.worker);
    const step = stepFleetCircuit(state, message, now, settings);
    state = JSON.parse(JSON.stringify(step.state)) as FleetCircuitState;
    expect(state).toEqual(step.state);
    if (step.probe?.kind === 'granted') tokens.push(step.probe.token);
    seen.push({ message, before, step, now, informed: new Set(informed) });
    if ((step.state.closedGeneration ?? 0) !== closing) informed.clear();
  };
  for (const one of happenings) {
    if (one.what === 'time') now += one.ms;
    else if (one.what === 'acquire') send({ type: 'acquire_probe', toolName: tool, worker: one.worker, leaseMs: one.leaseMs });
    else if (one.what === 'reset') send({ type: 'reset', toolName: tool, worker: one.worker });
    else if (one.what === 'end')
      send({ type: 'probe_ended', toolName: tool, token: tokens[one.which % tokens.length] as string, outcome: one.outcome });
    else if (one.what === 'again') {
      const earlier = sent[one.which % Math.max(1, sent.length)];
      if (earlier) send(earlier);
    } else {
      const { what: _what, behind, openForMs, retryAfterMs, ...rest } = one;
      const generation = Math.max(0, (state?.generation ?? 0) - behind);
      const extras = { ...(openForMs === undefined ? {} : { openForMs }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
      send({ type: 'report', toolName: tool, sequence: (sequence += 1), generation, ...rest, ...extras });
    }
  }
  return seen;
}

const stories = fc.array(happening, { maxLength: 60 });

/** Of every step of every story. */
const always = (holds: (seen: Seen) => boolean): void =>
  fc.assert(
    fc.property(stories, (story) => {
      expect(play(story).filter((seen) => !holds(seen))).toEqual([]);
    }),
    { numRuns: 400 },
  );

describe('a fleet’s circuit', () => {
  test('has one live probe at most: none is given while one is out, nor while it is closed', () => {
    always(
      ({ before, step, now }) =>
        step.probe?.kind !== 'granted' || (before?.state === 'open' && timeOf(before, now) >= (before.probe?.leaseUntil ?? 0)),
    );
  });

  test('gives every probe a token of its own', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const tokens = play(story).flatMap(({ step }) => (step.probe?.kind === 'granted' ? [step.probe.token] : []));
        expect(new Set(tokens).size).toBe(tokens.length);
      }),
    );
  });

  test('has generations that never fall, and grow with every change of state or probe', () => {
    always(({ before, step }) => {
      const generation = before?.generation ?? 0;
      const changed = (before?.state ?? 'closed') !== step.state.state || before?.probe?.token !== step.state.probe?.token;
      return changed ? step.state.generation > generation : step.state.generation >= generation;
    });
  });

  test('is closed by the holder of the live probe or by a person, and by nobody else', () => {
    always(({ before, step, message, now }) => {
      if (before?.state !== 'open' || step.state.state !== 'closed' || message.type === 'reset') return true;
      const isHolder = message.type === 'probe_ended' && message.outcome === 'success' && message.token === before.probe?.token;
      return isHolder && timeOf(before, now) < (before.probe?.leaseUntil ?? 0);
    });
  });

  test('is opened by workers that know of the latest closing, and by no others', () => {
    always(({ before, step, message, informed }) => {
      if ((before?.state ?? 'closed') !== 'closed' || step.state.state !== 'open') return true;
      if (message.type !== 'report') return false;
      if (step.state.cause === 'retry_after')
        return message.generation >= (before?.closedGeneration ?? 0) && (message.retryAfterMs ?? 0) >= settings.leastRetryAfterMs;
      // A worker that has been alone with its vote for long enough opens the circuit with the next report of any worker.
      const { by = [] } = step.state;
      return by.length > 0 && by.every((worker) => informed.has(worker));
    });
  });

  test('is not changed by the same report again', () => {
    always(({ step, message, now }) => {
      if (message.type !== 'report' || !step.state.members.some(({ worker }) => worker === message.worker)) return true;
      return isDeepStrictEqual(stepFleetCircuit(step.state, message, now, settings).state, step.state);
    });
  });

  test('waits no longer than it was told to, and remembers those alone who were heard of lately', () => {
    always(({ step: { circuit, state } }) => {
      const waits = circuit.openForMs ?? 0;
      return waits <= 400 && state.members.length <= 3 && (circuit.state !== 'closed' || circuit.openForMs === undefined);
    });
  });
});

test('a keeper that has lost its state goes on behind the highest generation it hears of', () => {
  const report = {
    type: 'report',
    toolName: tool,
    worker: 'a',
    sequence: 1,
    generation: 41,
    successes: 0,
    failures: 5,
    state: 'open',
    openForMs: 100,
  } as const;
  expect(stepFleetCircuit(undefined, report, 0, { ...settings, aloneMs: 0 }).circuit).toMatchObject({ state: 'open', generation: 42 });
});
