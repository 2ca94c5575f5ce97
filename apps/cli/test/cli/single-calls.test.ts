/** replay, whatif and tune for calls outside of turns, as MCP clients make them. */
import { writeFileSync } from 'node:fs';
import { defineTool, ToolExecutionService } from '@holdfast/core';
import { sqliteStore } from '@holdfast/store-sqlite';
import { afterAll, expect, test } from 'vitest';
import { runCommandLine } from '../../src/program.ts';
import { Folder, lines } from './program.ts';
import { createRecorder } from './recorder.ts';

const folder = new Folder();
afterAll(() => folder.remove());

/** Calls outside of turns, as MCP clients make them: every third attempt fails. */
async function recordSingleCalls(path: string): Promise<void> {
  let requests = 0;
  const busy = Object.assign(new Error('busy'), { status: 503 });
  const run = (): number => {
    if (++requests % 3 === 1) throw busy;
    return requests;
  };
  const store = sqliteStore({ path });
  const flaky = defineTool({ name: 'flaky', run });
  const service = new ToolExecutionService({ tools: [flaky], store, policy: { retry: { initialDelayMs: 2, jitter: 'none' } } });
  for (let index = 0; index < 20; index++) await service.executeTool({ toolName: 'flaky', callId: `c${index}` });
  await service.close();
  await store.close();
}

test('replay, whatif and tune work for single calls', async () => {
  const store = folder.at('calls.db');
  await recordSingleCalls(store);
  const here = async (...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> => {
    const { console, output } = createRecorder(100, 'unicode');
    const code = await runCommandLine([...args, '--store', store], console);
    return { code, ...output() };
  };
  const replayed = await here('replay');
  expect(replayed).toMatchObject({ code: 0, stderr: '' });
  expect(replayed.stdout).toContain('as recorded');
  expect(lines((await here('replay', '-o', 'json')).stdout).at(-1)).toMatchObject({ event_type: 'CallCompleted', ends_turn: true });
  const policy = folder.at('once.yaml');
  const once = 'defaults: { retry_policy: { max_attempts: 1 }, circuit_breaker: false }\n';
  writeFileSync(policy, once);
  const [answer] = lines((await here('whatif', '-p', policy, '-o', 'json')).stdout);
  expect(answer).toMatchObject({
    total: { calls: 20, recorded: { succeeded: 20, requests: 30 }, changed: { requests: { low: 20, high: 20 } } },
    left_out: [],
  });
  const [tuned] = lines((await here('tune', 'flaky', '--candidates', '1', '-o', 'json')).stdout);
  expect(tuned).toMatchObject({ tool_id: 'flaky', fitted: { calls: 20, attempts: 30 }, left_out: [] });
});

test('`memory` of a policy changes nothing in a what-if, which says so', async () => {
  const store = folder.at('memory.db');
  await recordSingleCalls(store);
  const whatIf = async (name: string, memory: string): Promise<{ readonly stdout: string; readonly stderr: string }> => {
    writeFileSync(folder.at(name), `${memory}defaults: { retry_policy: { max_attempts: 1 }, circuit_breaker: false }\n`);
    const { console, output } = createRecorder(100, 'unicode');
    expect(await runCommandLine(['whatif', '-p', folder.at(name), '-o', 'json', '--store', store], console)).toBe(0);
    return output();
  };
  const [without, on, off] = [
    await whatIf('policy.yaml', ''),
    await whatIf('on.yaml', 'memory: on\n'),
    await whatIf('off.yaml', 'memory: off\n'),
  ];
  expect([on.stdout, off.stdout]).toEqual([without.stdout, without.stdout]);
  expect(without.stderr).toBe('');
  expect(on.stderr).toContain("'memory' changes nothing here");
});
