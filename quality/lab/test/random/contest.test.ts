import { callContender, none, type AgentGroup, type Contender, type World } from '@holdfast/simulate';
import { describe, expect, it } from 'vitest';
import { contest, runsFor } from '../../src/random/contest.ts';
import { verdictOf } from '../../src/random/verdict.ts';

const world: World = {
  name: 'small',
  durationMs: 20_000,
  agents: [{ count: 1, arrivals: { kind: 'open', ratePerSecond: 50 }, turn: [{ toolName: 'tool' }], deadlineMs: 10_000 }],
  services: { service: { servers: 50, latency: { kind: 'constant', ms: 100 } } },
  tools: { tool: { service: 'service', effect: 'read' } },
  faults: [{ service: 'service', fromMs: 5_000, forMs: 2_000, kind: 'outage' }],
};

/** Sends each call until it succeeds, and the first time after a delay. */
const stubborn = (name: string, delayMs: number): Contender =>
  callContender({
    name,
    start: (run) => (call, _turn, done) => {
      const attempt = (): void => void run.send(call, call.plan.toolName, ({ ok }) => (ok ? done(true) : void run.setTimer(500, attempt)));
      run.setTimer(delayMs, attempt);
      return undefined;
    },
  });

const played = contest(world, ['a', 'b'], [() => none, () => stubborn('patient', 0), () => stubborn('late', 150)]);

describe('a contest', () => {
  it('adds up the turns of all seeds', () => {
    const [bare, patient] = played.entries;
    // 2,000 turns are expected, and a tenth of them begins during the outage.
    expect(Math.abs((bare?.turns ?? 0) - 2_000)).toBeLessThan(230);
    expect(bare?.requests).toBe(bare?.calls);
    expect(patient).toMatchObject({ turns: bare?.turns, succeeded: bare?.turns, duplicates: 0 });
    expect((bare?.succeeded ?? 0) / (bare?.turns ?? 1)).toBeCloseTo(0.9, 1);
  });

  it('compares the times of turns that both answered: rescued ones do not count', () => {
    const [, patient, late] = played.entries;
    expect(patient?.beside?.p99Ms).toBeCloseTo(100);
    expect(patient?.beside?.noneP99Ms).toBeCloseTo(100);
    expect(late?.beside?.p99Ms).toBeCloseTo(250);
  });

  it('leaves out turns that can never succeed', () => {
    const poisoned: World = {
      ...world,
      faults: [{ service: 'service', fromMs: 0, forMs: 20_000, kind: 'permanent', share: 0.3, status: 500 }],
    };
    const [bare] = contest(poisoned, ['a'], [() => none]).entries;
    expect(bare?.succeeded).toBe(bare?.turns);
    expect(bare?.turns).toBeLessThan((bare?.calls ?? 0) * 0.8);
  });

  const loops: AgentGroup = {
    count: 10,
    arrivals: { kind: 'closed', think: { kind: 'constant', ms: 500 } },
    turn: [{ toolName: 'tool' }],
    deadlineMs: 10_000,
  };

  it('compares all answers where agents wait for theirs', () => {
    const [bare, late] = contest({ ...world, faults: [], agents: [loops] }, ['a'], [() => none, () => stubborn('late', 200)]).entries;
    expect(late?.beside).toEqual({ p99Ms: expect.closeTo(300) as number, noneP99Ms: expect.closeTo(100) as number });
    expect(late?.turns).toBeLessThan(bare?.turns ?? 0);
  });

  it('takes the slowest answers for the rescued ones there', () => {
    const [bare, patient] = contest({ ...world, agents: [loops] }, ['a'], [() => none, () => stubborn('patient', 0)]).entries;
    // Ten of its turns take the two seconds of the outage.
    expect(patient?.succeeded).toBe(patient?.turns);
    expect((bare?.succeeded ?? 0) / (bare?.turns ?? 1)).toBeLessThan(0.95);
    expect(patient?.beside?.p99Ms).toBeCloseTo(100);
  });

  it('takes more runs where there are few turns', () => {
    expect(runsFor(world)).toBe(6);
    expect(runsFor({ ...world, durationMs: 60_000 })).toBe(2);
    expect(runsFor({ ...world, durationMs: 600_000 })).toBe(1);
    expect(runsFor({ ...world, durationMs: 1_000 })).toBe(24);
    // Ten agents with a turn every 600 ms: 333 turns.
    expect(runsFor({ ...world, agents: [loops] })).toBe(18);
  });
});

describe('a verdict', () => {
  const [bare, patient, late] = played.entries as [(typeof played.entries)[0], (typeof played.entries)[0], (typeof played.entries)[0]];

  it('measures regret against none and against the best', () => {
    const verdict = verdictOf({ ...played, entries: [bare, { ...late, succeeded: bare.succeeded - 100 }, patient] }, 'late');
    expect(verdict?.regret.none).toBeCloseTo(100 / bare.turns);
    expect(verdict?.best.contender).toBe('patient');
    expect(verdict?.regret.best).toBeCloseTo((patient.succeeded - bare.succeeded + 100) / bare.turns);
    expect(verdict?.p99Ratio).toBeCloseTo(2.5);
  });

  it('knows the cheapest of those with the same success', () => {
    const verdict = verdictOf({ ...played, entries: [bare, patient, { ...late, requests: late.requests * 2 }] }, 'late');
    expect(verdict?.cheapest).toBeCloseTo(patient.requests / patient.calls);
    // It is the only one with its success.
    expect(verdictOf({ ...played, entries: [bare, { ...late, requests: late.requests * 2 }] }, 'late')?.cheapest).toBeCloseTo(
      (2 * late.requests) / late.calls,
    );
  });

  it('has no rival but none where a tool is unsafe', () => {
    const unsafe = { ...world, tools: { tool: { service: 'service', effect: 'unsafe' } } } as const;
    expect(verdictOf({ ...played, world: unsafe, entries: [bare, patient, { ...late, succeeded: 0 }] }, 'late')?.best.contender).toBe(
      'none',
    );
  });
});
