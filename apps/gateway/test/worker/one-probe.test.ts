/** A fleet of services and either keeper of their circuits: in every open period, one call of the whole fleet is the probe. */
import { setTimeout as wait } from 'node:timers/promises';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { shareCircuits, type SharedCircuits } from '@holdfast/core/fleet';
import { circuitObject, createTurnWorker, type TurnWorker } from '@holdfast/durable';
import { startRestateServer, type RestateServer } from '@holdfast/durable/testing';
import { parseManifest } from '@holdfast/manifest';
import { startPostgres, type PostgresServer } from '@holdfast/store-postgres/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedCircuitsOf } from '../../src/engine/shared-circuits.ts';

let restate: RestateServer;
let postgres: PostgresServer;
let worker: TurnWorker;

beforeAll(async () => {
  [restate, postgres] = await Promise.all([startRestateServer(), startPostgres()]);
  const service = new ToolExecutionService({ tools: [] });
  worker = await createTurnWorker({ service, services: [circuitObject()], register: { adminUrl: restate.adminUrl } });
}, 60_000);

afterAll(async () => {
  await worker.close();
  await Promise.all([restate.stop(), postgres.stop()]);
});

/** The coordinator as a manifest sets it up. */
async function coordinatorOf(keeper: 'restate' | 'postgres'): Promise<SharedCircuits> {
  const { password, plain } = splitUrl(postgres.url);
  process.env['ONE_PROBE_PASSWORD'] = password;
  const text = [
    'version: 1',
    "tools: [{ id: any, run: { http: { url: 'http://127.0.0.1:9' } } }]",
    `store: { postgres: { url: '${plain}', password: { env: ONE_PROBE_PASSWORD } } }`,
    `engine: { restate: { ingress: '${restate.ingressUrl}', admin: '${restate.adminUrl}' } }`,
    `shared_circuits: ${keeper}`,
  ].join('\n');
  const { manifest, problems } = parseManifest(text);
  const coordinator = manifest && (await sharedCircuitsOf(manifest));
  if (!coordinator) throw new Error(JSON.stringify(problems));
  return coordinator;
}

function splitUrl(text: string): { readonly plain: string; readonly password: string } {
  const url = new URL(text);
  const { password } = url;
  url.password = '';
  return { plain: url.href, password: decodeURIComponent(password) };
}

const openMs = 700;
const periods = 8;

// Each waits for most of its time, so they run side by side.
test.concurrent.each([
  ['postgres', 2],
  ['postgres', 4],
  ['postgres', 8],
  ['restate', 2],
  ['restate', 4],
  ['restate', 8],
] as const)('%s keeps the circuits of %d services: 8 of 8 periods have one probe', { timeout: 90_000 }, async (keeper, count) => {
  const toolName = `down-${keeper}-${count}`;
  const runs: number[] = [];
  const faults: string[] = [];
  const tool = defineTool({
    name: toolName,
    run: () => {
      runs.push(performance.now());
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    },
  });
  const coordinators = await Promise.all(Array.from({ length: count }, () => coordinatorOf(keeper)));
  const services = coordinators.map(
    (coordinator) =>
      new ToolExecutionService({
        tools: [tool],
        policy: { retry: { maxAttempts: 1 }, breaker: { openMs } },
        sharedCircuits: shareCircuits(coordinator),
        onFault: ({ name, error }) => void faults.push(`${name}: ${error}`),
      }),
  );
  let isOver = false;
  const calling = services.map(async (service) => {
    while (!isOver) {
      await service.executeTool({ toolName });
      await wait(10 + Math.random() * 20);
    }
  });
  // Until the fleet has one circuit, each service has its own.
  const observer = async (): Promise<string | undefined> =>
    (
      await coordinators[0]?.report([
        { toolName, worker: 'observer', sequence: 0, generation: 0, successes: 0, failures: 0, state: 'closed' },
      ])
    )?.[0]?.state;
  while ((await observer()) === 'closed') await wait(50);
  await wait(openMs / 2);
  const before = runs.length;
  const began = performance.now();
  while (runs.length < before + periods && performance.now() - began < 60_000) await wait(20);
  // What would be a second probe of the last period has time to start.
  await wait(openMs / 2);
  isOver = true;
  await Promise.all(calling);
  await Promise.all(services.map((service) => service.close()));
  await Promise.all(coordinators.map(async (coordinator) => coordinator.close?.()));
  const probes = runs.slice(before);
  const gaps = probes.slice(1).map((at, index) => Math.round(at - (probes[index] ?? 0)));
  expect({ probes: probes.length, tooClose: gaps.filter((gap) => gap < openMs * 0.9), faults }).toEqual({
    probes: periods,
    tooClose: [],
    faults: [],
  });
});
