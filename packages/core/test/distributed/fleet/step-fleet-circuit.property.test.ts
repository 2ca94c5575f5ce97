/** For any messages of workers, in any order, duplicate or late: one active probe, generations never decrease, and no report from before a closing opens a circuit. */
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
const settings = { ...fleetCircuitDefaults, aloneMs: 50, voteLifetimeMs: 500, openMs: 300, minRetryAfterMs: 10, maxLeaseMs: 400 };

/** Time passes, a worker reports or requests a probe, a probe ends, or an earlier message arrives again. */
const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('time' as const), ms: fc.oneof(fc.integer({ min: -300, max: 400 }), fc.constant(-20_000)) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('report' as const),
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
      type: fc.constant('acquire' as const),
      worker: fc.constantFrom('a', 'b', 'c'),
      leaseMs: fc.integer({ min: 1, max: 600 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('end' as const),
      index: fc.nat(),
      outcome: fc.constantFrom('success' as const, 'failure' as const, 'neutral' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('repeat' as const), index: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reset' as const), worker: fc.constantFrom('a', 'b', 'c') }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Transition {
  readonly message: FleetCircuitMessage;
  readonly before: FleetCircuitState | undefined;
  readonly after: FleetCircuitStep;
  readonly now: number;
  /** Workers that have reported, and knew the latest closing. */
  readonly informed: ReadonlySet<string>;
}

/** The time of a message by the circuit's clock: it stops while a machine's clock is behind. */
const timeOf = ({ at }: FleetCircuitState, now: number): number => Math.max(at, now);

/** Applies all steps; every state is serialized as JSON, as by a coordinator. */
function run(steps: readonly Step[]): readonly Transition[] {
  let now = 1_000_000;
  let state: FleetCircuitState | undefined;
  let sequence = 0;
  const sent: FleetCircuitMessage[] = [];
  const tokens: string[] = ['unknown'];
  const transitions: Transition[] = [];
  const informed = new Set<string>();
  const send = (message: FleetCircuitMessage): void => {
    sent.push(message);
    const before = state;
    const closing = before?.closedGeneration ?? 0;
    if (message.type === 'report' && message.generation >= closing) informed.add(message.worker);
    const after = stepFleetCircuit(state, message, now, settings);
    state = JSON.parse(JSON.stringify(after.state)) as FleetCircuitState;
    expect(state).toEqual(after.state);
    if (after.probe?.kind === 'granted') tokens.push(after.probe.token);
    transitions.push({ message, before, after, now, informed: new Set(informed) });
    if ((after.state.closedGeneration ?? 0) !== closing) informed.clear();
  };
  for (const next of steps) {
    if (next.type === 'time') now += next.ms;
    else if (next.type === 'acquire') send({ type: 'acquire_probe', toolName: tool, worker: next.worker, leaseMs: next.leaseMs });
    else if (next.type === 'reset') send({ type: 'reset', toolName: tool, worker: next.worker });
    else if (next.type === 'end')
      send({ type: 'probe_ended', toolName: tool, token: tokens[next.index % tokens.length] as string, outcome: next.outcome });
    else if (next.type === 'repeat') {
      const earlier = sent[next.index % Math.max(1, sent.length)];
      if (earlier) send(earlier);
    } else {
      const { type: _type, behind, openForMs, retryAfterMs, ...rest } = next;
      const generation = Math.max(0, (state?.generation ?? 0) - behind);
      const extras = { ...(openForMs === undefined ? {} : { openForMs }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
      send({ type: 'report', toolName: tool, sequence: (sequence += 1), generation, ...rest, ...extras });
    }
  }
  return transitions;
}

const sequences = fc.array(step, { maxLength: 60 });

/** Checks every transition of every sequence. */
const always = (holds: (transition: Transition) => boolean): void =>
  fc.assert(
    fc.property(sequences, (steps) => {
      expect(run(steps).filter((transition) => !holds(transition))).toEqual([]);
    }),
    { numRuns: 400 },
  );

describe('a fleet’s circuit', () => {
  test('has at most one active probe: none is granted while one is active, or while it is closed', () => {
    always(
      ({ before, after, now }) =>
        after.probe?.kind !== 'granted' || (before?.state === 'open' && timeOf(before, now) >= (before.probe?.leaseUntil ?? 0)),
    );
  });

  test('gives every probe a unique token', () => {
    fc.assert(
      fc.property(sequences, (steps) => {
        const tokens = run(steps).flatMap(({ after }) => (after.probe?.kind === 'granted' ? [after.probe.token] : []));
        expect(new Set(tokens).size).toBe(tokens.length);
      }),
    );
  });

  test('has generations that never decrease, and increase with every change of state or probe', () => {
    always(({ before, after }) => {
      const generation = before?.generation ?? 0;
      const changed = (before?.state ?? 'closed') !== after.state.state || before?.probe?.token !== after.state.probe?.token;
      return changed ? after.state.generation > generation : after.state.generation >= generation;
    });
  });

  test('is closed only by the holder of the active probe or by a reset', () => {
    always(({ before, after, message, now }) => {
      if (before?.state !== 'open' || after.state.state !== 'closed' || message.type === 'reset') return true;
      const isHolder = message.type === 'probe_ended' && message.outcome === 'success' && message.token === before.probe?.token;
      return isHolder && timeOf(before, now) < (before.probe?.leaseUntil ?? 0);
    });
  });

  test('is opened only by workers that know the latest closing', () => {
    always(({ before, after, message, informed }) => {
      if ((before?.state ?? 'closed') !== 'closed' || after.state.state !== 'open') return true;
      if (message.type !== 'report') return false;
      if (after.state.cause === 'retry_after')
        return message.generation >= (before?.closedGeneration ?? 0) && (message.retryAfterMs ?? 0) >= settings.minRetryAfterMs;
      // When a single worker has voted `open` for long enough, the next report of any worker opens the circuit.
      const { by = [] } = after.state;
      return by.length > 0 && by.every((worker) => informed.has(worker));
    });
  });

  test('is not changed by a duplicate report', () => {
    always(({ after, message, now }) => {
      if (message.type !== 'report' || !after.state.members.some(({ worker }) => worker === message.worker)) return true;
      return isDeepStrictEqual(stepFleetCircuit(after.state, message, now, settings).state, after.state);
    });
  });

  test('waits no longer than requested, and has only the workers whose votes have not expired', () => {
    always(({ after: { circuit, state } }) => {
      const waits = circuit.openForMs ?? 0;
      return waits <= 400 && state.members.length <= 3 && (circuit.state !== 'closed' || circuit.openForMs === undefined);
    });
  });
});

test('a coordinator that has lost its state continues after the highest reported generation', () => {
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
