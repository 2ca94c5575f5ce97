/** "Terminated" with work that runs outside this thread and would never stop by itself: a real thread, a real process, a short limit. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { processRunner, workerRunner } from '@holdfast/runners';
import { expect, onTestFinished, test } from 'vitest';

const limitMs = 1_500;
const settings = { name: 'flight_search', timeoutMs: limitMs, retry: { maxAttempts: 1 } } as const;

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Timed out waiting until ${what}`);
    await wait(20);
  }
}

async function runUntilTimeout(service: ToolExecutionService, args: unknown): Promise<void> {
  const result = await service.executeTool({ toolName: 'flight_search', arguments: args });
  expect(result).toMatchObject({
    status: 'timeout',
    attempts: 1,
    error: { code: 'TOOL_TIMEOUT', message: 'Tool timeout after 1.5s', classification: 'transient', retryable: true },
  });
  expect(result.executionTime).toBeGreaterThanOrEqual(limitMs);
}

test('a worker in an endless loop is terminated', { tags: ['S1-4.1'], timeout: 30_000 }, async () => {
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const run = workerRunner({ module: new URL('./fixtures/endless-worker.mjs', import.meta.url), export: 'searchFlights' });
  const service = new ToolExecutionService({ tools: [defineTool({ ...settings, run })] });
  onTestFinished(() => service.close());
  await runUntilTimeout(service, { counter });
  expect(Atomics.load(counter, 0)).not.toBe(0);
  await until('the thread has stopped', async () => {
    const before = Atomics.load(counter, 0);
    await wait(200);
    return Atomics.load(counter, 0) === before;
  });
  await until('its slot is free', () => service.getToolHealth('flight_search')?.inFlight === 0);
});

test('a process that ignores SIGTERM is killed, and its child with it', { tags: ['S1-4.1'], timeout: 30_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'acceptance-'));
  const file = join(folder, 'processes');
  const program = fileURLToPath(new URL('./fixtures/endless-program.mjs', import.meta.url));
  const run = processRunner({ command: process.execPath, args: [program, file], graceMs: 200 });
  const service = new ToolExecutionService({ tools: [defineTool({ ...settings, run })] });
  onTestFinished(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });
  await runUntilTimeout(service, {});
  const ids = readFileSync(file, 'utf8').split(' ').map(Number);
  expect(ids).toHaveLength(2);
  await until('both are dead', () => !ids.some(isAlive));
  await until('its slot is free', () => service.getToolHealth('flight_search')?.inFlight === 0);
});

/** A zombie counts as dead. */
function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${id}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
