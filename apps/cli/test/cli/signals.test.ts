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

/** The first answer that is not empty; a program that was started has not always written its file yet. */
async function eventually<Value>(look: () => Value | undefined): Promise<Value> {
  for (;;) {
    try {
      const found = look();
      if (found !== undefined) return found;
    } catch {
      // Not there yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('ctrl-C', () => {
  test('cancels the turn, tells what there is, ends every program, and ends with 130', async () => {
    const { child, ended, said } = folder.start(['run', 'sleep.json', '--turn-id', 'cancelled']);
    await said('sleeper: attempt 1');
    const pid = await eventually(() => pidOf() || undefined);
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

  test('keeps the trace whole with --output json', async () => {
    const { child, ended, said } = folder.start(['run', 'hang.json', '-o', 'json', '--store', 'none']);
    await new Promise<void>((resolve) => child.stdout?.on('data', (text: string) => text.includes('"hang"') && resolve()));
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(lines(stdout).map(({ event_type: type }) => type)).toContain('TurnCancelled');
    expect(lines(stdout).at(-1)).toMatchObject({ event_type: 'TurnCompleted', outcome: 'cancelled' });
    await expect(said('cancelling')).resolves.toBeUndefined();
  });

  test('twice ends at once, whatever still runs, and nothing is left behind', async () => {
    folder.write({ 'sleeper.pid': '' });
    const { child, ended, said } = folder.start(['run', 'stubborn.json', '--store', 'none']);
    await said('stubborn: attempt 1');
    const pid = await eventually(() => pidOf() || undefined);
    child.kill('SIGINT');
    await said('press Ctrl-C again to quit at once');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    await eventually(() => (isAlive(pid) ? undefined : true));
  });

  test('SIGTERM cancels as well, and ends with 143', async () => {
    const { child, ended, said } = folder.start(['run', 'hang.json', '--store', 'none']);
    await said('hang: attempt 1');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
  });
});

test('kill -9 in the middle of a turn leaves a trace that says so, and no program behind', async () => {
  folder.write({ 'sleeper.pid': '' });
  const { child, ended, said } = folder.start(['run', 'sleep.json', '--turn-id', 'killed']);
  await said('sleeper: attempt 1');
  const pid = await eventually(() => pidOf() || undefined);
  // What was written to the store before is not taken along.
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
  await eventually(() => (isAlive(pid) ? undefined : true));
});
