/** How many workers are a quorum, and when one is enough. */
import { describe, expect, test } from 'vitest';
import {
  completeFleetSettings,
  stepFleetCircuit,
  type CircuitReport,
  type FleetCircuitMessage,
  type FleetCircuitSettings,
  type FleetCircuitState,
  type FleetCircuitStep,
} from '../../../src/distributed/fleet/index.ts';

/** Returns the state of the circuit after each report. */
function statesAfter(
  reports: readonly (readonly [at: number, worker: string, state: CircuitReport['state']])[],
  settings?: FleetCircuitSettings,
): readonly string[] {
  let state: FleetCircuitState | undefined;
  return reports.map(([at, worker, workerState], index) => {
    const report: CircuitReport = {
      toolName: 'search',
      worker,
      sequence: index + 1,
      generation: state?.generation ?? 0,
      successes: workerState === 'closed' ? 1 : 0,
      failures: workerState === 'open' ? 5 : 0,
      state: workerState,
    };
    const step = stepFleetCircuit(state, { type: 'report', ...report }, at, settings);
    ({ state } = step);
    return step.circuit.state;
  });
}

describe('a single worker', () => {
  test('is a quorum once it has voted `open` for two seconds', () => {
    expect(
      statesAfter([
        [0, 'a', 'open'],
        [1_000, 'a', 'open'],
        [2_000, 'a', 'open'],
      ]),
    ).toEqual(['closed', 'closed', 'open']);
  });

  test('is not a quorum when other workers report meanwhile', () => {
    expect(
      statesAfter([
        [0, 'a', 'open'],
        [1_000, 'b', 'closed'],
        [1_001, 'c', 'closed'],
        [3_000, 'a', 'open'],
      ]),
    ).toEqual(['closed', 'closed', 'closed', 'closed']);
  });

  test('starts over when its circuit was closed in between', () => {
    expect(
      statesAfter([
        [0, 'a', 'open'],
        [1_500, 'a', 'closed'],
        [2_500, 'a', 'open'],
        [4_500, 'a', 'open'],
      ]),
    ).toEqual(['closed', 'closed', 'closed', 'open']);
  });
});

test('an opening names at most eight workers', () => {
  const settings = completeFleetSettings({ quorum: 0.9 });
  const report = { type: 'report', toolName: 'search', generation: 0, successes: 0, failures: 5, state: 'open' } as const;
  let step = stepFleetCircuit(undefined, { ...report, state: 'closed', worker: 'a', sequence: 1 }, 0, settings);
  for (const worker of ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'a'])
    step = stepFleetCircuit(step.state, { ...report, worker, sequence: 2 }, 1, settings);
  expect([step.circuit.state, step.circuit.by?.join('')]).toEqual(['open', 'abcdefgh']);
});

describe('with two workers', () => {
  test('one is not a quorum', () => {
    expect(
      statesAfter([
        [0, 'a', 'closed'],
        [1, 'b', 'open'],
        [9_000, 'b', 'open'],
      ]),
    ).toEqual(['closed', 'closed', 'closed']);
  });

  test('both are a quorum', () => {
    expect(
      statesAfter([
        [0, 'a', 'open'],
        [1, 'b', 'open'],
      ]),
    ).toEqual(['closed', 'open']);
  });

  test('one is a quorum with a smaller share', () => {
    expect(
      statesAfter(
        [
          [0, 'a', 'closed'],
          [1, 'b', 'open'],
        ],
        completeFleetSettings({ quorum: 0.4 }),
      ),
    ).toEqual(['closed', 'open']);
  });
});

test('a half-open circuit, and an open one whose period is over, do not vote', () => {
  expect(
    statesAfter([
      [0, 'a', 'half_open'],
      [1, 'b', 'open'],
      [2_001, 'b', 'open'],
    ]),
  ).toEqual(['closed', 'closed', 'open']);
});

describe('a sequence of messages', () => {
  const settings = completeFleetSettings({ aloneMs: 0 });
  const tool = 'search';
  const base = { type: 'report', toolName: tool, generation: 0, successes: 1, failures: 0, state: 'closed' } as const;
  const stepAll = (messages: readonly (readonly [at: number, message: FleetCircuitMessage])[]): readonly FleetCircuitStep[] => {
    let state: FleetCircuitState | undefined;
    return messages.map(([at, message]) => {
      const step = stepFleetCircuit(state, message, at, settings);
      ({ state } = step);
      return step;
    });
  };
  const open = (worker: string, sequence: number, extra: Partial<CircuitReport> = {}): FleetCircuitMessage => ({
    ...base,
    worker,
    sequence,
    successes: 0,
    failures: 5,
    state: 'open',
    ...extra,
  });

  test('after a closing one `open` vote is no quorum against the other workers', () => {
    const opening = stepAll([
      [0, { ...base, worker: 'c', sequence: 1 }],
      [1, open('a', 1, { openForMs: 100 })],
      [2, open('b', 1, { openForMs: 100 })],
      [200, { type: 'acquire_probe', toolName: tool, worker: 'c', leaseMs: 1_000 }],
    ]);
    const probe = opening.at(-1)?.probe;
    expect(probe?.kind).toBe('granted');
    const token = probe?.kind === 'granted' ? probe.token : '';
    const closed = stepFleetCircuit(
      opening.at(-1)?.state,
      { type: 'probe_ended', toolName: tool, token, outcome: 'success' },
      300,
      settings,
    );
    const { generation } = closed.circuit;
    expect(stepFleetCircuit(closed.state, open('a', 2, { generation }), 301, settings).circuit.state).toBe('closed');
  });

  test('an open circuit whose period is over does not vote', () => {
    const steps = stepAll([
      [0, { ...base, worker: 'c', sequence: 1 }],
      [1, open('a', 1, { openForMs: 100 })],
      [200, open('b', 1)],
    ]);
    expect(steps.at(-1)?.circuit.state).toBe('closed');
  });

  test('a shorter Retry-After does not shorten a wait, a longer one extends it', () => {
    const steps = stepAll([
      [0, { ...base, worker: 'a', sequence: 1, retryAfterMs: 60_000 }],
      [1_000, { ...base, worker: 'b', sequence: 1, retryAfterMs: 5_000 }],
      [2_000, { ...base, worker: 'c', sequence: 1, retryAfterMs: 90_000 }],
    ]);
    expect(steps.map(({ circuit }) => circuit.openForMs)).toEqual([60_000, 59_000, 90_000]);
  });

  test('clock skew does not make time pass', () => {
    const steps = stepAll([
      [10_000, open('a', 1, { openForMs: 1_000 })],
      [9_000, { ...base, worker: 'b', sequence: 1 }],
      [10_500, { ...base, worker: 'a', sequence: 2 }],
      [9_600, { ...base, worker: 'b', sequence: 2 }],
      [10_900, { ...base, worker: 'a', sequence: 3 }],
      [11_000, { ...base, worker: 'a', sequence: 4 }],
    ]);
    expect(steps.map(({ circuit }) => circuit.state)).toEqual(['open', 'open', 'open', 'open', 'open', 'half_open']);
  });

  test('every period keeps its remaining time when a clock is set back', () => {
    const steps = stepAll([
      [1_000_000, open('a', 1, { openForMs: 1_000 })],
      [500_000, { ...base, worker: 'b', sequence: 1 }],
      [500_900, { ...base, worker: 'b', sequence: 2 }],
      [501_000, { ...base, worker: 'b', sequence: 3 }],
    ]);
    expect(steps.map(({ circuit }) => circuit.openForMs)).toEqual([1_000, 1_000, 100, undefined]);
  });
});

test.each([
  [{ quorum: 1 }, /quorum/],
  [{ quorum: -0.1 }, /quorum/],
  [{ voteLifetimeMs: 0 }, /voteLifetimeMs/],
  [{ aloneMs: -1 }, /aloneMs/],
  [{ openMs: Number.NaN }, /openMs/],
  [{ qourum: 0.5 }, /qourum/],
])('invalid settings are rejected: %o', (settings, message) => {
  expect(() => completeFleetSettings(settings as never)).toThrow(message);
});
