/** Proves what the first pages say that Holdfast does not do, where no test of a package does. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defineTool, type Effect, ToolExecutionService } from '@holdfast/core';
import { replayTurn } from '@holdfast/core/replay';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { root } from './pages.ts';

type Failure = () => Error;

const refused: Failure = () => Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:80'), { code: 'ECONNREFUSED' });
const throttled: Failure = () => Object.assign(new Error('Too Many Requests'), { status: 429 });
const lost: Failure = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

/** How often a tool was started that fails once. */
async function starts(profile: 'adaptive' | 'spec', effect: Effect | undefined, failure: Failure): Promise<number> {
  const system = manualSystem();
  let started = 0;
  const tool = defineTool({
    name: 'tool',
    ...(effect !== undefined && { effect }),
    run: () => {
      started += 1;
      if (started === 1) throw failure();
      return 'done';
    },
  });
  const tools = new ToolExecutionService({ profile, tools: [tool], system, seed: 'first pages' });
  await system.until(tools.executeTool({ toolName: 'tool' }));
  return started;
}

test('every call is run: nothing is cached, and no fault is injected', async () => {
  let runs = 0;
  const output = { found: true };
  const tool = defineTool({ name: 'find', effect: 'read', run: () => ((runs += 1), output) });
  const tools = new ToolExecutionService({ profile: 'adaptive', tools: [tool] });
  const results = await tools.executeToolBatch(Array.from({ length: 200 }, () => ({ toolName: 'find', arguments: { word: 'tea' } })));
  expect(runs).toBe(200);
  expect(results.every((result) => result.status === 'success' && result.output === output && result.attempts === 1)).toBe(true);
});

describe('a failure', () => {
  test.each(['read', 'idempotent', 'unsafe', undefined] as const)(
    'that proves that nothing happened is repeated: effect %s',
    async (effect) => {
      for (const profile of ['adaptive', 'spec'] as const)
        for (const failure of [refused, throttled]) expect(await starts(profile, effect, failure)).toBe(2);
    },
  );

  test.each([
    ['adaptive', 'read', 2],
    ['adaptive', 'idempotent', 2],
    ['adaptive', 'unsafe', 1],
    ['adaptive', undefined, 1],
    ['spec', 'read', 2],
    ['spec', 'idempotent', 2],
    ['spec', 'unsafe', 1],
    ['spec', undefined, 2],
  ] as const)('that may have taken effect, in %s with effect %s: %i starts', async (profile, effect, expected) => {
    expect(await starts(profile, effect, lost)).toBe(expected);
  });
});

test.each(['idempotent', 'unsafe', undefined] as const)('a slow tool is not hedged unless it is declared read: %s', async (effect) => {
  const attemptsOf = async (declared: Effect | undefined): Promise<number> => {
    const system = manualSystem();
    const run = (): Promise<unknown> => new Promise((resolve) => system.setTimer(1_000, () => resolve('late')));
    const tool = defineTool({ name: 'slow', ...(declared !== undefined && { effect: declared }), hedge: { afterMs: 100 }, run });
    const tools = new ToolExecutionService({ tools: [tool], system, seed: 'first pages' });
    return (await system.until(tools.executeTool({ toolName: 'slow' }))).attempts;
  };
  expect([await attemptsOf(effect), await attemptsOf('read')]).toEqual([1, 2]);
});

test('a replay under other settings calls no tool', async () => {
  let runs = 0;
  const failing = (): never => {
    runs += 1;
    throw throttled();
  };
  const system = manualSystem();
  const tools = new ToolExecutionService({ tools: [defineTool({ name: 'busy', run: failing })], system, seed: 'first pages' });
  const { trace } = await system.until(tools.executeTurn({ calls: [{ toolName: 'busy' }] }));
  const before = runs;
  expect(replayTurn(trace, { policy: { retry: { maxAttempts: 9 } } }).report.outcome).toBe('failed');
  expect(before).toBeGreaterThan(1);
  expect(runs).toBe(before);
});

test('a program opens no connection on its own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-first-pages-'));
  try {
    const spy = `import net from 'node:net'; const connect = net.Socket.prototype.connect;
      net.Socket.prototype.connect = function (...args) { console.error('connects', JSON.stringify(args)); return connect.apply(this, args); };`;
    writeFileSync(join(folder, 'spy.mjs'), spy);
    writeFileSync(join(folder, 'tool.mjs'), `export default () => 'found';\n`);
    writeFileSync(join(folder, 'holdfast.yaml'), 'version: 1\ntools:\n  - id: find\n    run: { module: ./tool.mjs }\n');
    writeFileSync(join(folder, 'turn.yaml'), 'calls: [{ call_id: a, tool_id: find }]\n');
    const args = ['--import', join(folder, 'spy.mjs'), join(root, 'apps/cli/bin/holdfast.mjs'), 'run', 'turn.yaml'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    expect(stdout).toContain('success');
    expect(stderr).not.toContain('connects');
    const probe = ['--import', join(folder, 'spy.mjs'), '--eval', "fetch('http://127.0.0.1:65123/').catch(() => {})"];
    expect((await promisify(execFile)(process.execPath, probe)).stderr).toContain('connects');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
