import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Contender, LabRun, LabTurn, World } from '../../src/index.ts';
import { holdfast, none, scenarios, simulate, startSimulation } from '../../src/index.ts';
import { smallWorld } from '../support/small-worlds.ts';

const contenders: readonly Contender[] = [none, holdfast('spec'), holdfast('service'), holdfast('adaptive')];

/** What a contender receives, and what it does. */
interface Watched {
  readonly turns: LabTurn[];
  ended: number;
  requests: number;
  answered: number;
}

function watched(contender: Contender): { readonly contender: Contender; readonly seen: Watched } {
  const seen: Watched = { turns: [], ended: 0, requests: 0, answered: 0 };
  const start = (run: LabRun) => {
    const send: LabRun['send'] = (call, toolName, settle) => {
      seen.requests += 1;
      return run.send(call, toolName, (answer) => {
        seen.answered += 1;
        settle(answer);
      });
    };
    const client = contender.start({ ...run, send });
    return {
      ...client,
      turn(turn: LabTurn, done: Parameters<typeof client.turn>[1]) {
        seen.turns.push(turn);
        client.turn(turn, (result) => {
          seen.ended += 1;
          done(result);
        });
      },
    };
  };
  return { contender: { name: contender.name, start }, seen };
}

const short = (world: World): World => ({ ...world, durationMs: 140_000 });

describe('a run', () => {
  it.each(contenders.map((contender) => [contender.name, contender] as const))(
    'of %s gives the same bytes again, whatever ran in between',
    (_name, contender) => {
      const world = {
        ...scenarios.flapping,
        durationMs: 60_000,
        faults: [{ ...scenarios.flapping.faults[0], fromMs: 5_000, forMs: 30_000 }],
      } as World;
      const first = JSON.stringify(simulate(world, contender, 'seed'));
      expect(JSON.stringify(simulate(world, contender, 'seed'))).toBe(first);
      simulate({ ...scenarios.mixed_effects, durationMs: 10_000 }, holdfast('adaptive'), 'other');
      expect(JSON.stringify(simulate(world, contender, 'seed'))).toBe(first);
      expect(JSON.stringify(simulate(world, contender, 'another'))).not.toBe(first);
    },
  );

  it('opens no connection', () => {
    const [connect, request] = [vi.spyOn(Socket.prototype, 'connect'), vi.spyOn(globalThis, 'fetch')];
    expect(simulate({ ...scenarios.outage, durationMs: 20_000 }, holdfast('adaptive'), 'seed').requests).toBeGreaterThan(0);
    expect([connect.mock.calls, request.mock.calls]).toEqual([[], []]);
    vi.restoreAllMocks();
  });

  it('is plain JSON', () => {
    const metrics = simulate(short(scenarios.outage), holdfast('adaptive'), '1');
    expect(JSON.parse(JSON.stringify(metrics))).toEqual(metrics);
  });

  it('gives every contender the same turns', () => {
    const turnsOf = (contender: Contender) => {
      const { contender: spied, seen } = watched(contender);
      simulate(
        {
          ...scenarios.cascade,
          durationMs: 20_000,
          faults: [{ service: 'hotels', fromMs: 5_000, forMs: 5_000, kind: 'permanent', share: 0.3 }],
        },
        spied,
        '1',
      );
      return seen.turns.map(({ id, startedAt, calls }) => ({
        id,
        startedAt,
        calls: calls.map((call) => ({ key: call.key, hopeless: 'hopeless' in call && call.hopeless !== undefined })),
      }));
    };
    const [first, ...others] = contenders.map(turnsOf);
    expect(first?.length).toBeGreaterThan(500);
    for (const other of others) expect(other).toEqual(first);
  });

  it('gives every contender the same answers, call by call', () => {
    const answersOf = (contender: Contender) => {
      const answers = new Map<number, number>();
      const start = (run: LabRun) =>
        contender.start({
          ...run,
          send: (call, toolName, settle) => {
            const sentAt = run.now();
            return run.send(call, toolName, (answer) => {
              if (!answers.has(call.key)) answers.set(call.key, Math.round((run.now() - sentAt) * 1e6));
              settle(answer);
            });
          },
        });
      // Enough capacity for all: no request waits in a queue.
      const world = {
        ...scenarios.random_failures,
        durationMs: 10_000,
        services: { search: { ...scenarios.random_failures.services['search'], servers: 1_000 } },
      } as World;
      simulate(world, { name: 'spied', start }, '1');
      return answers;
    };
    const plain = answersOf(none);
    const engine = answersOf(holdfast({ profile: 'spec', policy: { breaker: false, retry: { maxTotalTimeMs: 60_000 } } }));
    expect(engine.size).toBe(plain.size);
    expect([...engine].filter(([key, took]) => plain.get(key) !== took)).toEqual([]);
  });

  it('counts every turn, call and request once', () => {
    fc.assert(
      fc.property(smallWorld, fc.nat(1_000), fc.constantFrom(...contenders), (world, seed, contender) => {
        const { contender: spied, seen } = watched(contender);
        const metrics = simulate(world, spied, String(seed));
        expect(metrics.turns).toBe(seen.turns.length);
        // Turns without a result until the end are ended by the world; no turn has two results.
        expect(seen.ended).toBeLessThanOrEqual(seen.turns.length);
        expect(metrics.calls).toBe(seen.turns.reduce((sum, { calls }) => sum + calls.length, 0));
        expect(metrics.requests).toBe(seen.requests);
        expect(
          seen.turns.reduce(
            (sum, { calls }) => sum + calls.reduce((sent, call) => sent + (call as unknown as { sent: number }).sent, 0),
            0,
          ),
        ).toBe(seen.requests);
        expect(seen.answered).toBeLessThanOrEqual(seen.requests);
        const { begun, requests, waiting, success } = metrics.series;
        expect(begun.reduce((sum, each) => sum + each, 0)).toBe(metrics.turns);
        expect(requests.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(metrics.requests);
        expect(waiting.every((open) => open >= 0 && open <= metrics.turns)).toBe(true);
        const shares = [metrics.success, metrics.callSuccess, metrics.during, ...success].filter((each) => each !== null);
        expect(shares.every((each) => each >= 0 && each <= 1)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('of Holdfast ends every turn by its deadline', () => {
    fc.assert(
      fc.property(smallWorld, fc.nat(1_000), fc.constantFrom('spec' as const, 'adaptive' as const), (world, seed, profile) => {
        const late: string[] = [];
        let open = 0;
        const start = (run: LabRun) => {
          const client = holdfast(profile).start(run);
          return {
            turn(turn: LabTurn, done: Parameters<typeof client.turn>[1]) {
              open += 1;
              client.turn(turn, (result) => {
                open -= 1;
                if (run.now() > turn.deadlineAt + 1e-6) late.push(turn.id);
                done(result);
              });
            },
          };
        };
        simulate(world, { name: 'watched', start }, String(seed));
        expect(late).toEqual([]);
        expect(open).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it('can be run step by step', () => {
    const simulation = startSimulation({ ...scenarios.nominal, durationMs: 5_000 }, none, '1');
    let steps = 0;
    while (simulation.step()) steps += 1;
    expect(steps).toBeGreaterThan(1_000);
    expect(simulation.step()).toBe(false);
    expect(simulation.metrics()).toEqual(simulate({ ...scenarios.nominal, durationMs: 5_000 }, none, '1'));
  });
});

describe('agents that think between turns', () => {
  const world = (timeoutMs: number): World => ({
    ...scenarios.nominal,
    durationMs: 10_000,
    agents: [
      {
        count: 3,
        arrivals: { kind: 'closed', think: { kind: 'constant', ms: 400 } },
        turn: [{ toolName: 'search' }],
        deadlineMs: timeoutMs,
      },
    ],
    services: { search: { servers: 10, latency: { kind: 'constant', ms: 100 } } },
  });

  it('begin the next turn after the think time', () => {
    // One turn per 500 ms each, after a first think time of at most 400 ms.
    expect(simulate(world(60_000), none, '1').turns).toBe(60);
  });

  it('give up at the deadline on a contender that does not answer', () => {
    const silent: Contender = { name: 'silent', start: () => ({ turn: () => {} }) };
    const metrics = simulate(world(600), silent, '1');
    // One turn per second each.
    expect(metrics.turns).toBe(30);
    expect(metrics.success).toBe(0);
    expect(metrics.failedWaitMs).toBeCloseTo(600);
  });
});
