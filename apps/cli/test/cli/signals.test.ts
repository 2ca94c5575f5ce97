import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { files } from './fixtures.ts';
import { Folder, isAlive, lines } from './program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let folder: Folder;
beforeAll(() => {
  folder = new Folder().write(files);
});
afterAll(() => folder.remove());

const pidOf = (): number => Number(readFileSync(folder.at('sleeper.pid'), 'utf8'));

/** Polls until there is a value, since a child process may not have written its file yet. */
async function poll<Value>(read: () => Value | undefined): Promise<Value> {
  for (;;) {
    try {
      const found = read();
      if (found !== undefined) return found;
    } catch {
      // Not there yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('Ctrl-C', () => {
  test('cancels the turn, prints the results so far, stops every child process, and exits with 130', async () => {
    const { child, ended, printed } = folder.start(['run', 'sleep.json', '--turn-id', 'cancelled']);
    await printed('sleeper: attempt 1');
    const pid = await poll(() => pidOf() || undefined);
    expect(isAlive(pid)).toBe(true);
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain('SIGINT: cancelling the turn');
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'cancelled',
      results: [{ output: { greeting: 'Hello world' } }, { status: 'error' }],
    });
    expect(isAlive(pid)).toBe(false);
    const turns = await folder.run(['turns', '-o', 'json']);
    expect(lines(turns.stdout)).toMatchObject([{ turn_id: 'cancelled', outcome: 'cancelled', state: 'completed' }]);
  });

  test('completes the trace with --output json', async () => {
    const { child, ended, printed } = folder.start(['run', 'hang.json', '-o', 'json', '--store', 'none']);
    await new Promise<void>((resolve) => child.stdout?.on('data', (text: string) => text.includes('"hang"') && resolve()));
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(lines(stdout).map(({ event_type: type }) => type)).toContain('TurnCancelled');
    expect(lines(stdout).at(-1)).toMatchObject({ event_type: 'TurnCompleted', outcome: 'cancelled' });
    await expect(printed('cancelling')).resolves.toBeUndefined();
  });

  test('quits at once if pressed twice, and leaves no child process behind', async () => {
    folder.write({ 'sleeper.pid': '' });
    const { child, ended, printed } = folder.start(['run', 'stubborn.json', '--store', 'none']);
    await printed('stubborn: attempt 1');
    const pid = await poll(() => pidOf() || undefined);
    child.kill('SIGINT');
    await printed('press Ctrl-C again to quit at once');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    await poll(() => (isAlive(pid) ? undefined : true));
  });

  test('SIGTERM cancels too, and exits with 143', async () => {
    const { child, ended, printed } = folder.start(['run', 'hang.json', '--store', 'none']);
    await printed('hang: attempt 1');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
  });
});

test('after kill -9 the trace shows the turn as interrupted, and no child process is left', async () => {
  folder.write({ 'sleeper.pid': '' });
  const { child, ended, printed } = folder.start(['run', 'sleep.json', '--turn-id', 'killed']);
  await printed('sleeper: attempt 1');
  const pid = await poll(() => pidOf() || undefined);
  // Give the store time to write.
  await new Promise((resolve) => setTimeout(resolve, 500));
  child.kill('SIGKILL');
  expect((await ended).signal).toBe('SIGKILL');
  const { code, stdout } = await folder.run(['trace', 'kill']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/INTERRUPTED/);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('No result for: sleeper');
  const turns = await folder.run(['turns', '-n', '1']);
  expect(turns.stdout).toContain('INTERRUPTED');
  const replay = await folder.run(['replay', 'killed']);
  expect(replay.code).toBe(2);
  expect(replay.stderr).toContain('interrupted');
  await poll(() => (isAlive(pid) ? undefined : true));
});
