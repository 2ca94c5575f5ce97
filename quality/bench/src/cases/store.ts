import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, ToolExecutionService, type AnyTool } from '@holdfast/core';
import { sqliteStore } from '@holdfast/store-sqlite';
import type { Entrant } from '../timing/race.ts';
import { holdfastRace, type Heat } from './holdfast-race.ts';

const off = 'no store';
const on = 'SQLite store';

type Service = ToolExecutionService<readonly AnyTool[]>;

/** Consecutive calls before the event loop turns: their events are about one transaction of the store. */
const callsPerTurn = 32;

export const store = holdfastRace({
  name: 'store',
  title: 'A call whose trace is kept in SQLite against one whose trace is not',
  what:
    '`sqliteStore({ path })` with its default durability, on the disk of the temporary folder; a new file. ' +
    'It writes on a thread of its own: the time of a call holds the making of the text, and what the two threads cost each other. ' +
    'Calls without a pause outrun it: then up to some 20,000 events wait, which it writes while the calls without a store are timed.',
  inspect() {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
    const kept = sqliteStore({ path: join(folder, 'trace.db') });
    const tool = defineTool({ name: 'bare', run: async () => 1 });
    const service = new ToolExecutionService({ tools: [tool], store: kept });
    return {
      async call() {
        for (let calls = 0; calls < callsPerTurn; calls += 1) await service.executeTool({ toolName: 'bare', arguments: {} });
      },
      callsInOne: callsPerTurn,
      async close() {
        await service.close();
        await kept.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
  async heats() {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
    const kept = sqliteStore({ path: join(folder, 'trace.db') });
    const tools = [defineTool({ name: 'bare', run: async () => 1 }), defineTool({ name: 'waiting', run: () => sleep(1, 1) })];
    const services: readonly (readonly [string, Service])[] = [
      [off, new ToolExecutionService<readonly AnyTool[]>({ tools })],
      [on, new ToolExecutionService<readonly AnyTool[]>({ tools, store: kept })],
    ];
    const heat = (title: string, callOf: (service: Service) => Entrant['call'], callsInOne = 1): Heat => ({
      title,
      reference: off,
      entrants: services.map(([name, service]) => ({ name, call: callOf(service), callsInOne })),
      targets: [{ of: on, to: off, atMost: 1.3, wanted: `${title}: ≤ 1.3 × without` }],
      effort: { callsPerTurn, rounds: 15, samples: 1, sampleMs: 100, counts: 'p50' },
    });
    const heats = [
      heat('the tool is `async () => 1`', (service) => () => service.executeTool({ toolName: 'bare', arguments: {} })),
      heat('the tool waits 1 ms', (service) => () => service.executeTool({ toolName: 'waiting', arguments: {} })),
      heat(
        'the tool waits 1 ms, 16 calls at once',
        (service) => () => Promise.all(Array.from({ length: 16 }, () => service.executeTool({ toolName: 'waiting', arguments: {} }))),
        16,
      ),
    ];
    return {
      heats,
      async close() {
        const { written, buffered, fileBytes } = await kept.stats();
        const { dropped } = kept.status();
        for (const [, service] of services) await service.close();
        await kept.close();
        rmSync(folder, { recursive: true });
        return [
          `The store wrote ${written.toLocaleString('en')} events (${Math.round(fileBytes / 2 ** 20)} MB); ${buffered.toLocaleString('en')} were waiting at the end, ${dropped} were dropped.`,
        ];
      },
    };
  },
});
