import { sqliteStore } from '@holdfast/store-sqlite';
import { readdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { files } from './fixtures.ts';
import { Folder, lines } from './program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let folder: Folder;
beforeAll(() => {
  folder = new Folder().write(files);
});
afterAll(() => folder.remove());

describe.concurrent('a place of nothing', () => {
  test('in the environment is not set', async () => {
    const { code, stderr } = await folder.run(['run', 'ok.json', '--turn-id', 'no-place'], { env: { HOLDFAST_STORE: '' } });
    expect(code).toBe(0);
    expect(stderr).toContain('trace  .holdfast/trace.db');
  });

  test('as an argument is a usage error', async () => {
    const { code, stderr } = await folder.run(['run', 'ok.json', '--store', '']);
    expect(code).toBe(2);
    expect(stderr).toContain('Give a file, a database (postgres://…) or none.');
  });
});

describe.concurrent('a store that fails', () => {
  test('does not fail the turn, and is reported', async () => {
    // A file is in the place of the store's folder.
    folder.write({ blocked: 'a file' });
    const { code, stdout, stderr } = await folder.run(['run', 'ok.json', '--store', 'blocked/trace.db']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'success' });
    expect(stderr).toContain('the stored trace of this turn is incomplete');
    expect(stderr).toContain('blocked/trace.db');
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('is renamed if it is damaged', async () => {
    writeFileSync(folder.at('damaged.db'), Buffer.from(Array.from({ length: 8192 }, (_, index) => (index * 37) % 251)));
    const { code, stderr } = await folder.run(['run', 'ok.json', '--store', 'damaged.db', '--turn-id', 'after-damage']);
    expect(code).toBe(0);
    expect(stderr).toContain('damaged');
    expect(readdirSync(folder.path).some((name) => name.startsWith('damaged.db.corrupt-'))).toBe(true);
    const { stdout } = await folder.run(['turns', '--store', 'damaged.db', '-o', 'json']);
    expect(lines(stdout)).toMatchObject([{ turn_id: 'after-damage', state: 'completed', outcome: 'success' }]);
  });

  test.each([['turns'], ['trace'], ['whatif', '--policy', 'adaptive'], ['doctor']])('is named by %s if it is damaged', async (...args) => {
    const store = `no-database-${args[0]}.db`;
    writeFileSync(folder.at(store), Buffer.from(Array.from({ length: 8192 }, (_, index) => (index * 37) % 251)));
    const { stdout, stderr } = await folder.run([...args, '--store', store]);
    expect(stdout + stderr).toContain(`${store} cannot be read: file is not a database.`);
    expect(stdout + stderr).toContain('rename it');
    expect(stdout + stderr).not.toContain('bug in Holdfast');
  });

  test('is a usage error if the path can never work', async () => {
    const { code, stderr } = await folder.run(['run', 'ok.json', '--store', '.']);
    expect(code).toBe(2);
    expect(stderr).toContain('is a folder');
  });

  test.each([['trace'], ['explain', 'greet']])('makes %s fail if it does not exist', async (...args) => {
    const { code, stdout, stderr } = await folder.run([...args, '--store', 'nothing.db']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('there is no trace yet at nothing.db');
  });

  test('is not created by a read', async () => {
    await folder.run(['tools', '--store', 'unmade.db']);
    expect(readdirSync(folder.path)).not.toContain('unmade.db');
  });
});

test("a server's Retry-After holds a tool for 10 s at most, also for the next process", async () => {
  folder.write({
    'limited.yaml': `tools: [{ id: limited, run: { module: ./limited.mjs } }]`,
    'limited.mjs': `export default () => { throw Object.assign(new Error('busy'), { status: 429, headers: { 'retry-after': '3600' } }); };`,
    'limited.json': JSON.stringify({ calls: [{ call_id: 'limited', tool_id: 'limited' }] }),
  });
  const options = ['-c', 'limited.yaml', '--store', 'limited.db'];
  const { stdout: answer } = await folder.run(['run', 'limited.json', ...options]);
  expect(JSON.parse(answer)).toMatchObject({ results: [{ attempts: 1, error: { stopped_by: 'budget', retry_after_ms: 3_600_000 } }] });
  const store = sqliteStore({ path: folder.at('limited.db') });
  const circuit = (await store.loadCircuits()).get('limited');
  expect(circuit?.holdLeftMs).toBeGreaterThan(0);
  expect(circuit?.holdLeftMs).toBeLessThanOrEqual(10_000);
  // A program may take seconds to start.
  if (circuit) store.saveCircuits(new Map([['limited', { ...circuit, savedAtEpochMs: Date.now(), holdLeftMs: 60_000 }]]));
  await store.close();
  expect((await folder.run(['tools', ...options])).stdout).toMatch(/limited .* held for \d+\.\ds /u);
  const [tool] = lines((await folder.run(['tools', ...options, '-o', 'json'])).stdout);
  expect(tool).toMatchObject({ tool_id: 'limited', circuit_breaker_state: 'closed', held_ms: expect.any(Number) as number });
});

test('circuits survive the process, unless --fresh is given', async () => {
  const options = ['--store', 'circuits.db'];
  folder.write({
    'down.yaml': `tools: [{ id: down, run: { module: ./down.mjs }, retry_policy: { initial_delay_ms: 1 } }]`,
    'down.mjs': `export default () => { throw Object.assign(new Error('down'), { status: 503 }); };`,
    'down.json': JSON.stringify({ calls: [{ call_id: 'down', tool_id: 'down' }] }),
  });
  const run = (...more: readonly string[]) => folder.run(['run', 'down.json', '-c', 'down.yaml', ...options, ...more]);
  expect(JSON.parse((await run()).stdout)).toMatchObject({ results: [{ attempts: 5, error: { stopped_by: 'circuit' } }] });
  expect(JSON.parse((await run()).stdout)).toMatchObject({ results: [{ attempts: 0, error: { code: 'CIRCUIT_OPEN', retryable: false } }] });
  const { stdout } = await folder.run(['tools', '-c', 'down.yaml', ...options, '-o', 'json']);
  expect(lines(stdout)).toMatchObject([{ tool_id: 'down', circuit_breaker_state: 'open', max_attempts: 5 }]);
  expect(JSON.parse((await run('--fresh')).stdout)).toMatchObject({ results: [{ attempts: 5 }] });
});

test('what retries achieved is known to the next process, if memory is on', async () => {
  const turnOf = (calls: number): string =>
    JSON.stringify({
      concurrency: 1,
      calls: Array.from({ length: calls }, (_, index) => ({ call_id: `c${index}`, tool_id: 'useless', optional: true })),
    });
  folder.write({
    'useless.mjs': `export default () => { throw Object.assign(new Error('down'), { status: 503 }); };`,
    'many.json': turnOf(12),
    'one.json': turnOf(1),
  });
  for (const memory of ['on', 'off']) {
    folder.write({
      [`memory-${memory}.yaml`]: `memory: ${memory}
tools: [{ id: useless, run: { module: ./useless.mjs }, circuit_breaker: false, retry_policy: { max_attempts: 2, initial_delay_ms: 1 } }]`,
    });
    const options = ['--config', `memory-${memory}.yaml`, '--store', `memory-${memory}.db`];
    await folder.run(['run', 'many.json', ...options]);
    await folder.run(['run', 'one.json', '--turn-id', 'next', ...options]);
    const { stdout } = await folder.run(['trace', 'next', '-o', 'json', ...options]);
    expect(stdout.match(/0 of 1\d earlier retries helped/) !== null).toBe(memory === 'on');
  }
});
