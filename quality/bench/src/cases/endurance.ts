import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { connectionLost } from '../contenders/contender.ts';
import type { Report } from '../report/report.ts';
import { eventLoopTurn } from '../timing/loop.ts';
import type { Case } from './case.ts';

const callsPerTurn = 100;
/** One run of the tool in this many fails and is retried. */
const failureEvery = 100;
/** Bytes per call by which the heap may grow between the first reading and the last. */
const growthAllowed = 1;

interface Look {
  readonly calls: number;
  readonly heapBytes: number;
  readonly resources: number;
  readonly listeners: number;
}

export const endurance: Case = {
  name: 'endurance',
  async run({ quick }): Promise<Report> {
    const stops = quick ? [100_000, 200_000, 300_000] : [100_000, 500_000, 1_000_000];
    const { before, looks, maxListeners } = await endure(stops);
    const first = looks[0] ?? before;
    const last = looks.at(-1) ?? before;
    const growth = (last.heapBytes - first.heapBytes) / (last.calls - first.calls);
    return {
      name: 'endurance',
      title: `${last.calls.toLocaleString('en')} calls leave nothing behind`,
      what: `Calls one after another, all under one \`AbortSignal\` of the caller; one in ${failureEvery} fails once and is tried again. The heap is read after a full collection, a second after the last call.`,
      tables: [
        {
          columns: ['', 'heap', 'open resources', 'listeners on the signal'],
          rows: [before, ...looks].map(({ calls, heapBytes, resources, listeners }) => [
            `after ${calls.toLocaleString('en')} calls`,
            `${(heapBytes / 2 ** 20).toFixed(2)} MB`,
            String(resources),
            String(listeners),
          ]),
        },
      ],
      targets: [
        {
          wanted: `heap grows by less than ${growthAllowed} byte per call`,
          seen: `${growth.toFixed(3)} bytes per call`,
          met: growth < growthAllowed,
        },
        {
          wanted: 'no more timers and other open resources than before',
          seen: `${last.resources} after, ${before.resources} before`,
          met: last.resources <= before.resources,
        },
        { wanted: 'no listener left on the signal', seen: String(last.listeners), met: last.listeners === 0 },
      ],
      notes: [`While calls ran, the signal had at most ${maxListeners} listener${maxListeners === 1 ? '' : 's'}.`],
      figures: { before, looks },
    };
  },
};

interface Endured {
  readonly before: Look;
  readonly looks: readonly Look[];
  readonly maxListeners: number;
}

async function endure(stops: readonly number[]): Promise<Endured> {
  const { signal } = new AbortController();
  let runs = 0;
  let maxListeners = 0;
  const run = async (): Promise<number> => {
    runs += 1;
    if (runs % failureEvery === 0) throw connectionLost();
    if (runs % failureEvery === 1) maxListeners = Math.max(maxListeners, getEventListeners(signal, 'abort').length);
    return runs;
  };
  const tool = defineTool({ name: 'work', run, retry: { strategy: 'constant_backoff', initialDelayMs: 0 } });
  const service = new ToolExecutionService({ tools: [tool] });
  const look = async (calls: number): Promise<Look> => {
    await sleep(1_000);
    globalThis.gc?.();
    await eventLoopTurn();
    globalThis.gc?.();
    return {
      calls,
      heapBytes: process.memoryUsage().heapUsed,
      resources: process.getActiveResourcesInfo().length,
      listeners: getEventListeners(signal, 'abort').length,
    };
  };
  const before = await look(0);
  const looks: Look[] = [];
  let calls = 0;
  for (const stop of stops) {
    while (calls < stop) {
      const { status } = await service.executeTool({ toolName: 'work', arguments: {} }, { signal });
      if (status !== 'success') throw new Error(`Call ${calls} ended with ${status}.`);
      calls += 1;
      if (calls % callsPerTurn === 0) await eventLoopTurn();
    }
    looks.push(await look(calls));
  }
  return { before, looks, maxListeners };
}
