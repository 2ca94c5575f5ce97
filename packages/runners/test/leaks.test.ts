/** Calls that are stopped at any moment leave nothing running: no process, no grandchild, no worker, no socket, no listener. */
import { getEventListeners } from 'node:events';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import type { Runner, ToolResult } from '@holdfast/core';
import { httpRunner, mcpServer, processRunner, workerRunner } from '../src/index.ts';
import { childrenNamed, isAlive, until } from './support/processes.ts';
import { startWeb } from './support/web.ts';

const limit = { timeout: 120_000 };
const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const active = (kind: string): number => process.getActiveResourcesInfo().filter((name) => name === kind).length;

/** Including those that are idle and do not keep the process alive. */
function openSockets(): number {
  return readdirSync('/proc/self/fd').filter((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}

/** Pseudo-random times that are the same in every run. */
function* moments(maxMs: number): Generator<number, never> {
  for (let state = 12_345; ; state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) yield state % maxMs;
}

interface Stopping {
  readonly calls: number;
  readonly atOnce: number;
  readonly maxMs: number;
}

/** Runs calls, half of them stopped by the caller and half by their time limit; returns how they ended. */
async function stopAll(run: Runner<never>, { calls, atOnce, maxMs }: Stopping): Promise<ReadonlySet<string>> {
  const tool = defineTool({ name: 'tool', run: run as never, retry: { maxAttempts: 1 }, breaker: false });
  const service = new ToolExecutionService({ tools: [tool] });
  const random = moments(maxMs);
  const results: ToolResult[] = [];
  const signals: AbortSignal[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < calls; index = next++) {
      const controller = new AbortController();
      signals.push(controller.signal);
      const afterMs = random.next().value;
      const byCaller = index % 2 === 0;
      const call = { toolName: 'tool', arguments: {}, policy: { timeoutMs: byCaller ? 60_000 : afterMs + 1 } };
      const answer = service.executeTool(call, { signal: controller.signal });
      if (byCaller) {
        await wait(afterMs);
        controller.abort(new Error('enough'));
      }
      results.push(await answer);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await service.close();
  expect(results).toHaveLength(calls);
  expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
  await until('all slots are free', () => service.getToolHealth('tool')?.inFlight === 0);
  return new Set(results.map(({ status, error }) => error?.code ?? status));
}

/** Running processes of any user with this text in their command line. */
function processesWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((id) => {
      try {
        return id > 0 && isAlive(id) && readFileSync(`/proc/${id}/cmdline`, 'latin1').includes(text);
      } catch {
        return false;
      }
    });
}

it('200 processes with grandchildren, stopped at any time', limit, async () => {
  // A duration that no other process sleeps, so that it identifies these.
  const mark = `98${process.pid}.125`;
  // They hold no pipe of this process open: only the process group shows that they run.
  const quiet = `sleep ${mark} < /dev/null > /dev/null 2>&1 &`;
  const family = `${quiet} sh -c '${quiet} wait' < /dev/null > /dev/null 2>&1 & wait`;
  const run = processRunner({ command: 'sh', args: ['-c', family], stdin: 'none', graceMs: 200 });
  const ends = await stopAll(run, { calls: 200, atOnce: 10, maxMs: 60 });
  expect([...ends].toSorted()).toEqual(['CANCELLED', 'TOOL_TIMEOUT']);
  await until('the last process is gone', () => processesWith(mark).length === 0);
});

it('workers that listen, are busy, or are idle', limit, async () => {
  const before = active('MessagePort');
  for (const name of ['slow', 'spin', 'default']) {
    const run = workerRunner({ module: fixture('worker-tool.mjs'), export: name, keepIdle: 2 });
    await stopAll(run, { calls: 30, atOnce: 3, maxMs: 120 });
    await until(`the workers of ${name} are gone`, () => active('MessagePort') === before);
  }
});

it('HTTP requests before, during and after their response', limit, async () => {
  const web = await startWeb('web.mjs');
  const before = openSockets();
  for (const path of ['hang', 'hangbody', 'hangerror', 'seen', 'cut']) {
    const run = httpRunner({ url: `http://127.0.0.1:${web.port}/${path}`, allowedHosts: ['127.0.0.1'] });
    await stopAll(run, { calls: 60, atOnce: 10, maxMs: 30 });
    await until(`the sockets of ${path} are closed`, () => openSockets() === before);
  }
  await web.stop();
});

it('MCP servers that answer, never answer, or hang', limit, async () => {
  for (const name of ['echo', 'never', 'spin', 'die']) {
    const server = mcpServer({
      command: process.execPath,
      args: [fixture('mcp-faulty.mjs'), ''],
      graceMs: 100,
      healthTimeoutMs: 200,
      restartDelayMs: 5,
    });
    await stopAll(server.tool(name), { calls: 20, atOnce: 4, maxMs: 150 });
    await server.close();
    await until(`the server of ${name} is gone`, () => childrenNamed('mcp-faulty.mjs').length === 0);
  }
});
