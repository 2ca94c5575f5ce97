/** How many it takes, and when one is enough. */
import { describe, expect, test } from 'vitest';
import {
  completeFleetSettings,
  stepFleetCircuit,
  type CircuitReport,
  type FleetCircuitSettings,
  type FleetCircuitState,
} from '../../src/fleet/index.ts';

/** Reports, each with its moment; answers how the circuit stands after each. */
function statesAfter(
  reports: readonly (readonly [at: number, worker: string, state: CircuitReport['state']])[],
  settings?: FleetCircuitSettings,
): readonly string[] {
  let state: FleetCircuitState | undefined;
  return reports.map(([at, worker, own], index) => {
    const report: CircuitReport = {
      tool: 'search',
      worker,
      sequence: index + 1,
      generation: state?.generation ?? 0,
      successes: own === 'closed' ? 1 : 0,
      failures: own === 'open' ? 5 : 0,
      state: own,
    };
    const step = stepFleetCircuit(state, { type: 'report', ...report }, at, settings);
    ({ state } = step);
    return step.circuit.state;
  });
}

describe('a worker that nobody is heard of beside', () => {
  test('is a quorum when it has said so for two seconds', () => {
    expect(
      statesAfter([
        [0, 'a', 'open'],
        [1_000, 'a', 'open'],
        [2_000, 'a', 'open'],
      ]),
    ).toEqual(['closed', 'closed', 'open']);
  });

  test('is none when the others come meanwhile', () => {
    expect(
      statesAfter([
        [0, 'a', 'open'],
        [1_000, 'b', 'closed'],
        [1_001, 'c', 'closed'],
        [3_000, 'a', 'open'],
      ]),
    ).toEqual(['closed', 'closed', 'closed', 'closed']);
  });

  test('begins anew when it has worked between', () => {
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

describe('of two workers', () => {
  test('one is not more than half', () => {
    expect(
      statesAfter([
        [0, 'a', 'closed'],
        [1, 'b', 'open'],
        [9_000, 'b', 'open'],
      ]),
    ).toEqual(['closed', 'closed', 'closed']);
  });

  test('both are', () => {
    expect(
      statesAfter([
        [0, 'a', 'open'],
        [1, 'b', 'open'],
      ]),
    ).toEqual(['closed', 'open']);
  });

  test('one is enough where a smaller share is set', () => {
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

test('a half-open circuit, and an open one whose period is over, say nothing', () => {
  expect(
    statesAfter([
      [0, 'a', 'half_open'],
      [1, 'b', 'open'],
      [2_001, 'b', 'open'],
    ]),
  ).toEqual(['closed', 'closed', 'open']);
});

test.each([
  [{ quorum: 1 }, /quorum/],
  [{ quorum: -0.1 }, /quorum/],
  [{ voteLifetimeMs: 0 }, /voteLifetimeMs/],
  [{ aloneMs: -1 }, /aloneMs/],
  [{ openMs: Number.NaN }, /openMs/],
  [{ qourum: 0.5 }, /qourum/],
])('settings that are none are refused: %o', (settings, message) => {
  expect(() => completeFleetSettings(settings as never)).toThrow(message);
});
