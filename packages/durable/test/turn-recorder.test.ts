/** The record of a finished turn: what happens to its events when the store, Restate or the worker is lost at its end. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { defineTool, memoryStore, ToolExecutionService, type TraceEvent } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { createTurnClient, createTurnWorker, type TurnWorker } from '@holdfast/durable';
import { startRestateServer, startTcpBalancer, type RestateServer, type TcpBalancer } from '@holdfast/durable/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTurnRecorder, messagesOf } from '../src/turns/turn-recorder.ts';
import { addressesOf } from './support/addresses.ts';
import { until } from './support/observe.ts';

let server: RestateServer;
let balancer: TcpBalancer;

beforeAll(async () => {
  server = await startRestateServer();
  balancer = await startTcpBalancer();
});

afterAll(async () => {
  await balancer.stop();
  await server.stop();
});

/** A store that can be away: what is appended meanwhile is in its memory only. */
function awayStore(): { readonly store: Store; isAway: boolean } {
  const kept = memoryStore();
  const waiting: TraceEvent[] = [];
  const scene = {
    isAway: true,
    store: {
      ...kept,
      append: (events: readonly TraceEvent[]) => void waiting.push(...events),
      flush: async () => {
        if (!scene.isAway) kept.append(waiting.splice(0));
      },
      status: () => ({ ok: !scene.isAway, dropped: 0 }),
    },
  };
  return scene;
}

const working: { readonly worker: TurnWorker; readonly service: ToolExecutionService }[] = [];

async function start(store: Store, serviceName: string): Promise<() => Promise<void>> {
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'hello', run: () => 'hello' })], store });
  const record = { store, ingressUrl: server.ingressUrl };
  const worker = await createTurnWorker({ service, serviceName, record, drainMs: 0 });
  working.push({ worker, service });
  balancer.use([worker.port]);
  return async () => {
    await worker.close();
    await service.close();
  };
}

async function register(): Promise<void> {
  const { registerDeployment } = await import('@holdfast/durable');
  await registerDeployment({ adminUrl: server.adminUrl, url: balancer.url });
}

const plan = { turnId: 'late', calls: [{ callId: 'A', toolName: 'hello' }] };

test('a store that is away at the end delays the result for a moment; another worker writes the events, although the first one is gone', async () => {
  const lost = awayStore();
  const stop = await start(lost.store, 'away');
  await register();
  const client = createTurnClient({ ...addressesOf(server), serviceName: 'away' });
  const before = performance.now();
  expect((await client.run(plan)).outcome).toBe('success');
  expect(performance.now() - before).toBeLessThan(5000);
  await stop();
  const next = awayStore();
  await start(next.store, 'away');
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await next.store.listTurns()).toEqual([]);
  next.isAway = false;
  const turn = await until(async () => (await next.store.listTurns())[0], 'the record is written');
  expect(turn).toMatchObject({ turnId: 'late', state: 'completed', outcome: 'success' });
  const events = (await next.store.readTurn('late')) ?? [];
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
});

test('a store that works is all that a turn waits for', async () => {
  const { store } = awayStore();
  const kept = memoryStore();
  const requests: string[] = [];
  const stub = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(202).end('{}');
  });
  stub.listen(0, '127.0.0.1');
  await once(stub, 'listening');
  const ingressUrl = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
  const [event] = eventsOf(1);
  if (!event) throw new Error('no event');
  await createTurnRecorder({ store: kept, ingressUrl }, 'turns').settle('t', [event]);
  expect(requests).toEqual([]);
  await createTurnRecorder({ store, ingressUrl }, 'turns').settle('t', [event]);
  expect(requests).toEqual(['/turns/t/record/send']);
  stub.close();
  stub.closeAllConnections();
  await once(stub, 'close');
  // Neither takes the events: the turn must not end.
  await expect(createTurnRecorder({ store, ingressUrl }, 'turns').settle('t', [event])).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
  });
});

test('a store that hangs, fails or throws counts as away', async () => {
  const { store } = awayStore();
  const ways: readonly (() => Promise<void>)[] = [
    () => new Promise(() => undefined),
    () => Promise.reject(new Error('disk full')),
    () => {
      throw new Error('no store');
    },
  ];
  for (const flush of ways) {
    const recorder = createTurnRecorder(
      { store: { ...store, flush, status: () => ({ ok: true, dropped: 0 }) }, ingressUrl: 'http://127.0.0.1:9' },
      'turns',
    );
    await expect(recorder.settle('t', eventsOf(1))).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
  }
});

test('events of another turn, and what is no event, are refused for good', async () => {
  const recorder = createTurnRecorder({ store: memoryStore() }, 'turns');
  for (const text of ['', '{}', '{"events":[1]}', JSON.stringify({ events: eventsOf(1) })])
    await expect(recorder.take('other', text)).rejects.toMatchObject({ name: 'TerminalError' });
});

test('a large trace is several messages, each with the event that names the run', () => {
  const events = eventsOf(5);
  expect(messagesOf([])).toEqual([]);
  expect(messagesOf(events)).toHaveLength(1);
  const parts = messagesOf(events, 1000 + 2 * JSON.stringify(events[0]).length + 10).map(
    (text) => (JSON.parse(text) as { readonly events: readonly TraceEvent[] }).events,
  );
  expect(parts.map((part) => part.map(({ seq }) => seq))).toEqual([
    [1, 2],
    [1, 3],
    [1, 4],
    [1, 5],
  ]);
});

function eventsOf(count: number): readonly TraceEvent[] {
  return Array.from(
    { length: count },
    (_, index) => ({ turn_id: 't', seq: index + 1, event_type: 'TurnStarted' }) as unknown as TraceEvent,
  );
}
