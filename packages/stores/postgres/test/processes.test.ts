import { describe, expect, test } from 'vitest';
import { start } from './support/processes.ts';
import { freshSchema, useServer } from './support/server.ts';
import { sql } from './support/sql.ts';
import { turnEvents } from './support/turns.ts';
import { until } from './support/until.ts';

const { server, openStore } = useServer();

const lastFlushed = (lines: readonly string[]): number => Number(lines.findLast((line) => line.startsWith('flushed'))?.split(' ')[1] ?? -1);

describe('several processes on one database', () => {
  test('three that start together: the tables are created once, nothing is lost or mixed up, and the end of a process writes what waits', async () => {
    const schema = freshSchema();
    const names = ['one', 'two', 'three'];
    const programs = names.map((name) => start('write-turns', [server().url, schema, name, '40']));
    for (const program of programs) expect((await program.ended).code, program.errors.join('')).toBe(0);
    const store = openStore({ schema });
    for (const name of names) {
      for (let n = 0; n < 40; n += 1) {
        expect(await store.readTurn(`${name}-${String(n)}`)).toEqual(turnEvents(`${name}-${String(n)}`, 1_900_000_000_000 + n, n % 17));
      }
    }
    expect((await store.stats()).turns).toBe(120);
  });

  test('two that record the same runs at the same time write each once', async () => {
    const schema = freshSchema();
    const programs = ['1', '2'].map(() => start('write-turns', [server().url, schema, 'shared', '40', 'run']));
    for (const program of programs) expect((await program.ended).code, program.errors.join('')).toBe(0);
    const store = openStore({ schema });
    const turns = await store.listTurns({ limit: 1_000 });
    expect(turns).toHaveLength(40);
    for (const turn of turns) {
      const seqs = (await store.readTurn(turn.turnId))?.map((event) => event.seq) ?? [];
      expect(seqs).toEqual(Array.from({ length: turn.events }, (_, index) => index + 1));
      expect(turn.state).toBe('completed');
    }
  });

  test('kill -9: flushed events are there, no turn is incomplete, and its running turn is interrupted when its lease expires', async () => {
    const schema = freshSchema();
    const checks: { readonly name: string; readonly flushed: number }[] = [];
    for (let round = 0; round < 2; round += 1) {
      const names = [`left-${String(round)}`, `right-${String(round)}`];
      const programs = names.map((name) => start('write-turns', [server().url, schema, name, '0']));
      await Promise.all(programs.map((program) => program.line((line) => /^flushed [^0]/.test(line))));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
      for (const program of programs) program.child.kill('SIGKILL');
      await Promise.all(programs.map((program) => program.ended));
      programs.forEach(({ lines }, index) => checks.push({ name: names[index] ?? '', flushed: lastFlushed(lines) }));
    }
    const store = openStore({ schema });
    // What the server was in the middle of when its clients died is done, or undone.
    const others = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'holdfast' AND state <> 'idle' AND pid <> pg_backend_pid()`;
    await until(async () => (await sql(server().url, others)).length === 0);
    for (const { name, flushed } of checks) {
      for (let n = 0; n <= flushed; n += 1) {
        expect((await store.readTurn(`${name}-${String(n)}`))?.at(-1)?.event_type).toBe('TurnCompleted');
      }
    }
    await sql(server().url, `UPDATE ${schema}.writers SET heartbeat_at = now() - interval '31 seconds'`);
    for (const turn of await store.listTurns({ limit: 100_000 })) {
      const seqs = (await store.readTurn(turn.turnId))?.map((event) => event.seq) ?? [];
      expect(seqs).toEqual(Array.from({ length: turn.events }, (_, index) => index + 1));
      expect(turn.state).not.toBe('running');
    }
    expect(checks.reduce((sum, { flushed }) => sum + flushed, 0)).toBeGreaterThan(0);
  });
});
