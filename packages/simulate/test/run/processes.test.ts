import { describe, expect, it } from 'vitest';
import type { Contender, LabClient, LabRun, World } from '../../src/index.ts';
import { holdfast, none, scenarios, simulate } from '../../src/index.ts';
import { oracle } from '../../src/peers/index.ts';

const inProcesses = (world: World, processes: number, durationMs = 60_000): World => ({ ...world, processes, durationMs });

/** Notes which process ran each turn. */
function watched(contender: Contender): {
  readonly contender: Contender;
  readonly runs: LabRun[];
  readonly processOf: Map<string, number>;
} {
  const runs: LabRun[] = [];
  const processOf = new Map<string, number>();
  const start = (run: LabRun): LabClient => {
    const index = runs.push(run) - 1;
    const client = contender.start(run);
    return {
      ...client,
      turn(turn, done) {
        processOf.set(turn.id, index);
        client.turn(turn, done);
      },
    };
  };
  return { contender: { ...contender, start }, runs, processOf };
}

describe('processes of a world', () => {
  it('change nothing for a contender without state', () => {
    const [one, sixty] = [1, 60].map((processes) => simulate(inProcesses(scenarios.mixed_effects, processes), none, 'a'));
    expect(sixty).toEqual(one);
  });

  it('each have their own client, seed and draws, and about as many turns', () => {
    const { contender, runs, processOf } = watched(none);
    simulate(inProcesses(scenarios.outage, 20), contender, 'a');
    expect(runs).toHaveLength(20);
    expect(runs[0]?.seed).toBe('a');
    expect(new Set(runs.map(({ seed }) => seed)).size).toBe(20);
    expect(new Set(runs.map((run) => run.draw('x'))).size).toBe(20);
    const turns = runs.map((_, index) => [...processOf.values()].filter((process) => process === index).length);
    // 6,000 turns: 300 each, give or take five standard deviations.
    expect(Math.min(...turns)).toBeGreaterThan(215);
    expect(Math.max(...turns)).toBeLessThan(385);
  });

  it('run the same turns, whatever the contender', () => {
    const [one, other] = [none, holdfast('spec')].map((contender) => {
      const seen = watched(contender);
      simulate(inProcesses(scenarios.outage, 7, 20_000), seen.contender, 'a');
      return seen.processOf;
    });
    expect(other).toEqual(one);
  });

  it('keep their agents', () => {
    const world: World = {
      ...scenarios.nominal,
      agents: [1, 5].map((count) => ({
        count,
        arrivals: { kind: 'closed', think: { kind: 'exponential', meanMs: 1_000 } },
        turn: [{ toolName: 'search' }],
        deadlineMs: 60_000,
      })),
    };
    const { contender, processOf } = watched(none);
    simulate(inProcesses(world, 4), contender, 'a');
    const processesOf = (agent: string) => [
      ...new Set([...processOf].filter(([id]) => id.startsWith(agent)).map(([, process]) => process)),
    ];
    expect(['turn-1-1-', 'turn-2-1-', 'turn-2-2-', 'turn-2-3-', 'turn-2-4-', 'turn-2-5-'].map(processesOf)).toEqual([
      [0],
      [1],
      [2],
      [3],
      [0],
      [1],
    ]);
  });

  it('share no circuit', () => {
    const openings = (processes: number): number =>
      simulate(
        inProcesses({ ...scenarios.outage, faults: [{ service: 'search', fromMs: 10_000, forMs: 20_000, kind: 'outage' }] }, processes),
        holdfast('spec'),
        'a',
      ).notes['circuit_openings'] ?? 0;
    expect(openings(1)).toBe(1);
    expect(openings(8)).toBe(8);
  });

  it('share a contender that knows the future', () => {
    const { contender, runs } = watched(oracle);
    const world = inProcesses(scenarios.outage, 50, 20_000);
    expect(simulate(world, contender, 'a')).toEqual(simulate({ ...world, processes: 1 }, oracle, 'a'));
    expect(runs).toHaveLength(1);
  });
});
