import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test, vi } from 'vitest';
import { machineName } from '../src/writer-identity.ts';
import { freshPath, storeAt } from './support/paths.ts';
import { start } from './support/processes.ts';

// Real processes and files take their time on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

interface Check {
  readonly name: string;
  readonly flushed: number;
}

/** Everything that a killed or ended writer reported as flushed is there, and every run is a complete beginning of its turn. */
async function checkFile(path: string, writers: readonly Check[]): Promise<void> {
  const store = storeAt(path);
  expect(await store.checkIntegrity()).toEqual([]);
  for (const { name, flushed } of writers) {
    for (let n = 0; n <= flushed; n += 1) {
      expect((await store.readTurn(`${name}-${String(n)}`))?.at(-1)?.event_type).toBe('TurnCompleted');
    }
  }
  for (const turn of await store.listTurns({ limit: 100_000 })) {
    const seqs = (await store.readTurn(turn.turnId))?.map((event) => event.seq) ?? [];
    expect(seqs).toEqual(Array.from({ length: turn.events }, (_, index) => index + 1));
    expect(turn.state).not.toBe('running');
  }
  await store.close();
}

const lastFlushed = (lines: readonly string[]): number => Number(lines.findLast((line) => line.startsWith('flushed'))?.split(' ')[1] ?? -1);

describe('kill -9', () => {
  test(
    '25 writers killed at random moments, two at a time on one file: all flushed events are there, no turn is incomplete',
    { timeout: 120_000 },
    async () => {
      const path = freshPath();
      const checks: Check[] = [];
      for (let round = 0; checks.length < 26; round += 1) {
        const names = [`left-${String(round)}`, `right-${String(round)}`];
        const programs = names.map((name) => start('write-turns', [path, name, '0', round % 2 === 0 ? '0' : 'Infinity']));
        // Beyond the first turn, so that there is something to lose however soon they are killed.
        await Promise.all(programs.map((program) => program.line((line) => /^flushed [^0]/.test(line))));
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
        for (const program of programs) program.child.kill('SIGKILL');
        await Promise.all(programs.map((program) => program.ended));
        programs.forEach(({ lines }, index) => checks.push({ name: names[index] ?? '', flushed: lastFlushed(lines) }));
      }
      await checkFile(path, checks);
      expect(checks.reduce((sum, { flushed }) => sum + flushed, 0)).toBeGreaterThan(100);
    },
  );

  test('the turn of a killed process is interrupted, that of a living one is running', async () => {
    const path = freshPath();
    const program = start('end-without-close', [path, 'hang']);
    await program.line((line) => line === 'flushed');
    const store = storeAt(path);
    expect((await store.listTurns())[0]?.state).toBe('running');
    program.child.kill('SIGKILL');
    await program.ended;
    expect(await store.listTurns()).toMatchObject([{ state: 'interrupted', events: 302, seenAt: expect.any(Number) as unknown }]);
  });

  test('on another machine the heartbeat decides, and a reused pid is not the writer', async () => {
    const path = freshPath();
    const program = start('end-without-close', [path, 'hang']);
    await program.line((line) => line === 'flushed');
    const store = storeAt(path);
    const state = async (change: string): Promise<unknown> => {
      const database = new DatabaseSync(path);
      database.exec(`UPDATE writers SET ${change}`);
      database.close();
      return (await store.listTurns())[0]?.state;
    };
    const old = Date.now() - 61_000;
    expect(await state(`heartbeat_at = ${String(old)}`)).toBe('running');
    expect(await state(`machine = 'elsewhere'`)).toBe('interrupted');
    expect(await state(`heartbeat_at = ${String(Date.now())}`)).toBe('running');
    const machine = machineName();
    expect(await state(`machine = '${machine}'`)).toBe('running');
    expect(await state(`process_start = '1'`)).toBe('interrupted');
  });
});

describe('the end of a process', () => {
  const ends = [
    ['natural', 0],
    ['exit', 3],
    ['busy', 3],
    ['error', 1],
  ] as const;
  test.each([
    ...ends.map(([how, code]) => [how, 'the caller’s thread', code, 'Infinity'] as const),
    ...ends.map(([how, code]) => [how, 'a thread of its own', code, '0'] as const),
  ])('%s, with %s: what is queued is written, and the process is not kept alive', async (how, _, code, threadAfter) => {
    const path = freshPath();
    const began = performance.now();
    const program = start('end-without-close', [path, how, threadAfter]);
    expect((await program.ended).code).toBe(code);
    expect(performance.now() - began).toBeLessThan(10_000);
    const store = storeAt(path);
    expect(await store.listTurns()).toMatchObject([{ turnId: how, state: 'interrupted', events: 302 }]);
  });
});

describe('several processes', () => {
  test('four writers on one new file: no event is lost or assigned to another turn', async () => {
    const path = freshPath();
    const names = ['one', 'two', 'three', 'four'];
    const programs = names.map((name, n) => start('write-turns', [path, name, '150', n % 2 === 0 ? '0' : 'Infinity']));
    for (const program of programs) expect((await program.ended).code, program.errors.join('')).toBe(0);
    for (const program of programs) expect(program.lines.at(-1)).toBe('dropped 0');
    await checkFile(
      path,
      names.map((name) => ({ name, flushed: 149 })),
    );
    const store = storeAt(path);
    expect((await store.stats()).turns).toBe(600);
  });
});
