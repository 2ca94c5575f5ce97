import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { sharedCircuitsContract } from '@holdfast/core/testing';
import { postgresSharedCircuits, type PostgresSharedCircuitsOptions } from '../src/index.ts';
import { freshSchema, useServer } from './support/server.ts';

const { server } = useServer();

describe('the contract of shared circuits', () => {
  const schema = freshSchema();
  const contract = sharedCircuitsContract({
    open: (settings) => postgresSharedCircuits({ url: server().url, schema, ...settings }),
    wait: sleep,
  });
  for (const { name, run } of contract) test(name, run);
});

describe('a fleet', () => {
  const coordinators = (
    count: number,
    options: Partial<PostgresSharedCircuitsOptions> = {},
  ): ReturnType<typeof postgresSharedCircuits>[] => {
    const schema = freshSchema();
    const opened = Array.from({ length: count }, () => postgresSharedCircuits({ url: server().url, schema, ...options }));
    onTestFinished(async () => {
      for (const coordinator of opened) await coordinator.close?.();
    });
    return opened;
  };
  const open = { toolName: 'flight search', generation: 0, successes: 0, failures: 5, state: 'open', openForMs: 30 } as const;

  test('of several workers that request the probe of a circuit at once, exactly one gets it', async () => {
    const fleet = coordinators(4);
    const reports = ['one', 'two'].map((worker) => ({ ...open, worker, sequence: 1 }));
    expect(await fleet[0]!.report(reports)).toMatchObject([{ state: 'closed' }, { state: 'open' }]);
    await sleep(60);
    const asked = Array.from({ length: 200 }, (_, n) =>
      fleet[n % fleet.length]!.acquireProbe({ toolName: 'flight search', worker: `worker-${String(n % 4)}`, leaseMs: 5_000 }),
    );
    const answers = await Promise.all(asked);
    expect(answers.filter(({ kind }) => kind === 'granted')).toHaveLength(1);
    expect(answers.filter(({ kind }) => kind === 'refused')).toHaveLength(199);
  });

  test('several processes with an empty database create the tables once', async () => {
    const fleet = coordinators(5);
    const reports = fleet.map((coordinator, n) =>
      coordinator.report([{ ...open, state: 'closed', worker: `worker-${String(n)}`, sequence: 1 }]),
    );
    expect((await Promise.all(reports)).flat().map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => 'closed'));
  });

  test('batches about the same tools in different orders cause no deadlock', async () => {
    const fleet = coordinators(3);
    const tools = Array.from({ length: 12 }, (_, n) => `tool-${String(n)}`);
    const rounds = Array.from({ length: 8 }, (_, round) =>
      fleet.map((coordinator, n) => {
        const order = (round + n) % 2 === 0 ? tools : tools.toReversed();
        return coordinator.report(
          order.map((tool) => ({ ...open, state: 'closed', tool, worker: `worker-${String(n)}`, sequence: round + 1 })),
        );
      }),
    );
    const answers = await Promise.all(rounds.flat());
    expect(answers.every((circuits) => circuits.length === tools.length)).toBe(true);
  });

  test('a request to a server that hangs ends within the time limit, and the next one works', async () => {
    const [coordinator] = coordinators(1, { connectTimeoutMs: 500, statementTimeoutMs: 100 });
    const report = { ...open, state: 'closed', worker: 'worker', sequence: 1 } as const;
    await vi.waitFor(() => coordinator!.report([report]), 20_000);
    server().pause();
    try {
      await expect(coordinator!.report([{ ...report, sequence: 2 }])).rejects.toThrow(/time/i);
    } finally {
      server().resume();
    }
    await vi.waitFor(
      async () => expect(await coordinator!.report([{ ...report, sequence: 3 }])).toMatchObject([{ state: 'closed' }]),
      20_000,
    );
  });

  test.each([
    [{ quorum: 2 }, 'postgresSharedCircuits.quorum must be a share from 0 to below 1, got 2.'],
    [{ url: 'mysql://here' }, 'postgres://'],
    [{ schema: '' }, "postgresSharedCircuits.schema must be a name of 1 to 40 bytes without quotes, got ''."],
    [{ qorum: 0.5 }, "postgresSharedCircuits has no setting 'qorum'. Did you mean 'quorum'?"],
    [{ connections: 2 }, 'postgresSharedCircuits.connections must be left out: one connection is used, got 2.'],
  ])('%j is an invalid option', (options, message) => {
    expect(() => postgresSharedCircuits({ url: server().url, ...options })).toThrow(message);
  });
});
