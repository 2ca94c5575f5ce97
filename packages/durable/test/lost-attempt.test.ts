import { getEventListeners } from 'node:events';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { createRestateJournal, createTurnClient, createTurnWorker, type TurnWorker, type WorkerLogEntry } from '@holdfast/durable';
import { startRestateServer, type RestateServer } from '@holdfast/durable/testing';
import { workflow, type WorkflowContext } from '@restatedev/restate-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outputsOf } from './support/plans.ts';
import { until } from './support/observe.ts';
import { addressesOf } from './support/addresses.ts';

interface Begun {
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly answer: (output: string) => void;
}

const begun: Begun[] = [];
const quickRuns: string[] = [];
const logs: WorkerLogEntry[] = [];

const held = defineTool({
  name: 'held',
  timeoutMs: 600_000,
  concurrency: { limit: 1, queue: 5 },
  run: (_args: unknown, { callId, signal }) => new Promise<string>((answer) => begun.push({ callId, signal, answer })),
});

const quick = defineTool({
  name: 'quick',
  run: (_args: unknown, { callId }) => {
    quickRuns.push(callId);
    return 'quick';
  },
});

/** The number of listeners left by a wait, after each of several waits. */
const listening: number[] = [];

const waiting = async (context: WorkflowContext): Promise<readonly number[]> => {
  const { attemptCompletedSignal: signal } = context.request();
  const before = getEventListeners(signal, 'abort').length;
  const journal = createRestateJournal(context);
  for (const name of ['a', 'b', 'c']) {
    journal.step(name, () => Promise.resolve(name));
    await journal.next();
    await Promise.resolve();
    listening.push(getEventListeners(signal, 'abort').length - before);
  }
  return listening;
};

const service = new ToolExecutionService({ tools: [held, quick] });
let server: RestateServer;
let worker: TurnWorker;

beforeAll(async () => {
  server = await startRestateServer();
  worker = await createTurnWorker({
    service,
    services: [workflow({ name: 'waiting', handlers: { run: waiting } })],
    register: { adminUrl: server.adminUrl },
    onLog: (entry) => logs.push(entry),
    drainMs: 0,
  });
});

afterAll(async () => {
  await worker.close();
  await service.close();
  await server.stop();
});

test('a server that is lost during an attempt: running work is aborted and released; the same worker ends the turn later, once', async () => {
  const client = createTurnClient({ ...addressesOf(server), timeoutMs: 20_000 });
  const turn = client.run({
    turnId: 'lost',
    timeoutMs: null,
    calls: [
      { callId: 'Q', toolName: 'quick' },
      { callId: 'A', toolName: 'held', dependsOn: ['Q'] },
      { callId: 'B', toolName: 'held', dependsOn: ['Q'] },
    ],
  });
  const first = await until(() => begun[0], 'A is held');
  await until(() => service.getToolHealth('held')?.queued === 1, 'B waits for A');
  await server.kill();
  const before = performance.now();
  await until(() => first.signal.aborted, 'the attempt on A is aborted');
  // Because of the lost connection, not of a limit: the shortest limit is many times as long.
  expect(performance.now() - before).toBeLessThan(5000);
  expect(service.getToolHealth('held')).toMatchObject({ inFlight: 0, queued: 0 });
  expect(logs.map(({ message }) => message)).toEqual([expect.stringContaining('The connection to Restate was lost during a turn')]);

  await server.restart();
  const again = await until(() => begun[1], 'one of the two is held again');
  first.answer('too late');
  again.answer(`${again.callId} again`);
  const other = await until(() => begun[2], 'the other is held');
  other.answer(`${other.callId} again`);
  expect(outputsOf(await turn)).toEqual({ Q: 'quick', A: 'A again', B: 'B again' });
  expect(quickRuns).toEqual(['Q']);
  expect(
    begun
      .map(({ callId }) => callId)
      .slice(1)
      .toSorted(),
  ).toEqual(['A', 'B']);
  expect(service.getToolHealth('held')).toMatchObject({ inFlight: 0, queued: 0, orphaned: 0 });
});

test('a worker that closes before its turns end: running work is aborted and released', async () => {
  const before = begun.length;
  const said: WorkerLogEntry[] = [];
  const serviceName = 'leaving';
  const register = { adminUrl: server.adminUrl };
  const leaving = await createTurnWorker({ service, serviceName, register, onLog: (entry) => said.push(entry), drainMs: 20 });
  const client = createTurnClient({ ...addressesOf(server), serviceName });
  await client.submit({ turnId: 'left', timeoutMs: null, calls: [{ callId: 'A', toolName: 'held' }] });
  const { signal } = await until(() => begun[before], 'A is held');
  expect(await leaving.close()).toBe(false);
  await until(() => signal.aborted, 'the attempt on A is aborted');
  expect(service.getToolHealth('held')).toMatchObject({ inFlight: 0, queued: 0 });
  expect(said.map(({ message }) => message)).toEqual([expect.stringContaining('The connection to Restate was lost during a turn')]);
});

test('a wait leaves no listener on the signal of its attempt', async () => {
  await fetch(`${server.ingressUrl}/waiting/one/run`, { method: 'POST' });
  expect(listening).toEqual([0, 0, 0]);
});
