/** A fleet's circuits on a real Restate: the contract, many concurrent calls, a killed prober, a coordinator that is killed or hangs. */
import { createServer, type Http2Server } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createEndpointHandler } from '@restatedev/restate-sdk';
import { registerDeployment } from '@holdfast/durable';
import { startRestateServer, type RestateServer } from '@holdfast/durable/testing';
import type { CircuitReport, FleetCircuit, SharedCircuits } from '@holdfast/core/fleet';
import { sharedCircuitsContract } from '@holdfast/core/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { circuitObject } from '../src/circuits/circuit-object.ts';
import { restateSharedCircuits } from '../src/circuits/restate-shared-circuits.ts';
import { startCircuitWorker, type CircuitWorker } from './support/circuit-worker.ts';
import { until } from './support/observe.ts';

const OPEN_MS = 1_000;
/** What a busy machine may add to a wait of 50 ms, or of none. */
const SLACK_MS = 2_000;

let server: RestateServer;
let endpoint: Http2Server;
let fleet: readonly CircuitWorker[];
let coordinator: SharedCircuits;

const silent = (): void => undefined;

/** The contract tests use the contract's settings; those of the fleet have their own. */
const contractSettings = { aloneMs: 0, voteLifetimeMs: 2_500, openMs: 60_000, minRetryAfterMs: 1_000 };

beforeAll(async () => {
  server = await startRestateServer();
  const services = [circuitObject({ aloneMs: 0 }), circuitObject({ ...contractSettings, objectName: 'contract_circuit' })];
  endpoint = createServer(createEndpointHandler({ services, logger: silent })).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  const { port } = endpoint.address() as AddressInfo;
  await registerDeployment({ adminUrl: server.adminUrl, url: `http://127.0.0.1:${port}` });
  coordinator = restateSharedCircuits({ ingressUrl: server.ingressUrl, timeoutMs: 5_000 });
  const sharing = { reportEveryMs: 100, probeTimeoutMs: 5_000, reportTimeoutMs: 5_000 };
  const start = (name: string): Promise<CircuitWorker> =>
    startCircuitWorker(name, { ingressUrl: server.ingressUrl, sharing, openMs: OPEN_MS });
  fleet = await Promise.all(['w1', 'w2', 'w3'].map(start));
});

afterAll(async () => {
  await Promise.all(fleet.map((worker) => worker.kill()));
  await server.stop();
  endpoint.close();
});

/** The state of the fleet's circuit, read by a worker without reports. */
const fleetCircuit = async (tool: string): Promise<FleetCircuit | undefined> => {
  const report: CircuitReport = {
    toolName: tool,
    worker: 'observer',
    sequence: 0,
    generation: 0,
    successes: 0,
    failures: 0,
    state: 'closed',
  };
  return (await coordinator.report([report]))[0];
};

const circuitsOf = (workers: readonly CircuitWorker[], tool: string): Promise<readonly (string | undefined)[]> =>
  Promise.all(workers.map(async (worker) => (await worker.look(tool)).circuit));

const runsOf = async (workers: readonly CircuitWorker[], tool: string): Promise<number> =>
  (await Promise.all(workers.map((worker) => worker.look(tool)))).reduce((sum, { runs }) => sum + runs, 0);

const all = async (workers: readonly CircuitWorker[], state: string, tool: string): Promise<void> => {
  await until(async () => (await circuitsOf(workers, tool)).every((circuit) => circuit === state), `all circuits of ${tool} are ${state}`);
};

/** Makes the tool fail at these workers until the fleet's circuit is open. */
const openedBy = async (workers: readonly CircuitWorker[], tool: string): Promise<void> => {
  for (const worker of workers) {
    await worker.behave(tool, { does: 'fail' });
    await worker.call(tool, 5);
  }
  await until(async () => (await fleetCircuit(tool))?.state !== 'closed', `the fleet's circuit of ${tool} is open`);
};

const allWork = async (tool: string): Promise<void> => {
  for (const worker of fleet) {
    await worker.behave(tool, { does: 'answer', afterMs: 0 });
    await worker.call(tool);
  }
  await wait(300);
};

/** The sum over all workers. */
const storm = (workers: readonly CircuitWorker[], tool: string, count: number): ReturnType<typeof runStorm> =>
  runStorm(workers, tool, count);

async function runStorm(
  workers: readonly CircuitWorker[],
  tool: string,
  count: number,
): Promise<{ succeeded: number; refused: number; failed: number }> {
  const shares = workers.map((worker, index) => worker.call(tool, Math.ceil((count - index) / workers.length)));
  const sum = { succeeded: 0, refused: 0, failed: 0 };
  for (const { succeeded, refused, failed } of await Promise.all(shares)) {
    sum.succeeded += succeeded;
    sum.refused += refused;
    sum.failed += failed;
  }
  return sum;
}

describe('passes the contract:', () => {
  const open = (): SharedCircuits =>
    restateSharedCircuits({ ingressUrl: server.ingressUrl, objectName: 'contract_circuit', timeoutMs: 10_000 });
  for (const { name, run } of sharedCircuitsContract({ open, wait })) test.concurrent(name, run);
});

test('one failing worker of three opens nothing; two open the circuit for all; then one of 200 calls is the probe', async () => {
  const [one, two, three] = fleet as [CircuitWorker, CircuitWorker, CircuitWorker];
  await allWork('storm');
  await one.behave('storm', { does: 'fail' });
  await one.call('storm', 5);
  await wait(500);
  expect(await circuitsOf(fleet, 'storm')).toEqual(['open', 'closed', 'closed']);

  await two.behave('storm', { does: 'fail' });
  await two.call('storm', 5);
  await all([three], 'open', 'storm');
  expect((await three.look('storm')).changes).toMatchObject([
    { event_type: 'CircuitBreakerOpened', reason: 'fleet', fleet_cause: 'quorum', fleet_by: ['w1', 'w2'] },
  ]);

  await all(fleet, 'half_open', 'storm');
  for (const worker of fleet) await worker.behave('storm', { does: 'answer', afterMs: 300 });
  const before = await runsOf(fleet, 'storm');
  expect(await storm(fleet, 'storm', 200)).toEqual({ succeeded: 1, refused: 199, failed: 0 });
  expect(await runsOf(fleet, 'storm')).toBe(before + 1);
  await all(fleet, 'closed', 'storm');
});

test('a Retry-After at one worker holds all at once', async () => {
  const [one, two, three] = fleet as [CircuitWorker, CircuitWorker, CircuitWorker];
  await allWork('quota');
  await one.behave('quota', { does: 'fail', retryAfterS: 30 });
  await one.call('quota');
  await all([two, three], 'open', 'quota');
  expect((await two.look('quota')).changes).toMatchObject([{ reason: 'fleet', fleet_cause: 'retry_after', fleet_by: ['w1'] }]);
  expect(await storm([two, three], 'quota', 20)).toEqual({ succeeded: 0, refused: 20, failed: 0 });
});

test('an engine that hangs or is killed: local circuits decide, no call waits longer than the limit, and sharing resumes', async () => {
  const [one] = await Promise.all(
    ['hurried'].map((name) =>
      startCircuitWorker(name, {
        ingressUrl: server.ingressUrl,
        sharing: { reportEveryMs: 100, reportTimeoutMs: 300, maxPauseMs: 300 },
        openMs: OPEN_MS,
      }),
    ),
  );
  const worker = one as CircuitWorker;
  try {
    const away = async (tool: string, leave: () => unknown, comeBack: () => unknown): Promise<void> => {
      await worker.call(tool);
      await openedBy([worker], tool);
      await leave();
      await all([worker], 'half_open', tool);
      await worker.behave(tool, { does: 'answer', afterMs: 0 });
      const probe = await worker.call(tool);
      expect(probe).toMatchObject({ succeeded: 1, refused: 0, failed: 0 });
      expect(probe.maxMs).toBeLessThan(50 + SLACK_MS);
      expect((await worker.call(tool, 50)).maxMs).toBeLessThan(SLACK_MS);
      expect((await worker.look(tool)).circuit).toBe('closed');
      await comeBack();
      // Its calls close the fleet's circuit, too.
      await until(async () => {
        await worker.call(tool);
        return (await fleetCircuit(tool).catch(() => undefined))?.state === 'closed';
      }, 'the fleet knows that the tool works');
    };
    const [pid = 0] = server.pids;
    await away(
      'away',
      () => process.kill(pid, 'SIGSTOP'),
      () => process.kill(pid, 'SIGCONT'),
    );
    expect((await worker.look('away')).faults.length).toBeGreaterThan(0);
    await away(
      'lost',
      () => server.kill(),
      () => server.restart(),
    );
  } finally {
    await worker.kill();
  }
});

test('a killed prober: after its lease exactly one other call is the probe', async () => {
  await allWork('orphan');
  await openedBy(fleet, 'orphan');
  await all(fleet, 'half_open', 'orphan');
  const before = await Promise.all(fleet.map(async (worker) => (await worker.look('orphan')).runs));
  for (const worker of fleet) await worker.behave('orphan', { does: 'hang' });
  for (const worker of fleet) void worker.call('orphan', 20);
  const prober = await until(async () => {
    const runs = await Promise.all(fleet.map(async (worker) => (await worker.look('orphan')).runs));
    const begun = fleet.filter((_, index) => (runs[index] ?? 0) > (before[index] ?? 0));
    expect(begun.length).toBeLessThanOrEqual(1);
    return begun[0];
  }, 'one probes');
  await prober.kill();
  const rest = fleet.filter((worker) => worker !== prober);
  for (const worker of rest) await worker.behave('orphan', { does: 'answer', afterMs: 300 });
  const runs = await runsOf(rest, 'orphan');
  expect(await storm(rest, 'orphan', 40)).toEqual({ succeeded: 0, refused: 40, failed: 0 });
  expect((await fleetCircuit('orphan'))?.state).toBe('half_open');
  await all(rest, 'half_open', 'orphan');
  expect(await storm(rest, 'orphan', 200)).toEqual({ succeeded: 1, refused: 199, failed: 0 });
  expect(await runsOf(rest, 'orphan')).toBe(runs + 1);
  await all(rest, 'closed', 'orphan');
});
