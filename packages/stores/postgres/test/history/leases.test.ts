/** What only one process may do is done by one at a time, however its holder ends; what a holder of before hands over counts no more. */
import { expect, test } from 'vitest';
import { cellsAt, nothing, start, turnOf } from './batch-data.ts';
import { startProgram, until } from './programs.ts';
import { freshSchema, historyIn, postgres, queryIn, usePostgres } from './server.ts';

usePostgres();

/** Long enough for a busy machine to renew it. */
const leaseMs = 1_200;

test('one process holds it; the other gets it when it is released, with another term', async () => {
  const schema = freshSchema();
  await historyIn(schema).flush();
  const told: string[] = [];
  const [one, other] = ['one', 'other'].map((name) =>
    historyIn(schema, { leaseMs }).lease('alerts', {
      onGained: () => void told.push(`${name} gained`),
      onLost: () => void told.push(`${name} lost`),
    }),
  );
  await until(() => one?.isHeld() === true || other?.isHeld() === true);
  await new Promise((resolve) => setTimeout(resolve, leaseMs));
  expect(one?.isHeld()).toBe(other?.isHeld() === false);
  const [holder, follower] = one?.isHeld() === true ? [one, other] : [other, one];
  const term = holder?.term ?? 0;
  expect([term > 0, follower?.isPresumed()]).toEqual([true, false]);
  await holder?.release();
  await until(() => follower?.isHeld() === true, leaseMs * 5);
  expect(holder?.isHeld()).toBe(false);
  expect(follower?.term).toBe(term + 1);
  expect(told.slice(-2).map((text) => text.split(' ')[1])).toEqual(['gained', 'gained']);
});

test('a killed holder is replaced, and a suspended one notices before it acts', { timeout: 60_000 }, async () => {
  const schema = freshSchema();
  const history = historyIn(schema, { leaseMs });
  await history.flush();
  const follow = async (signal: 'SIGKILL' | 'SIGSTOP'): Promise<void> => {
    const program = startProgram('hold-lease', postgres().url, schema, signal, String(leaseMs));
    await until(() => program.lines.at(-1)?.startsWith('held') === true);
    const lease = history.lease(signal);
    await new Promise((resolve) => setTimeout(resolve, leaseMs));
    expect(lease.isHeld()).toBe(false);
    program.child.kill(signal);
    await until(() => lease.isHeld());
    const heldSince = Date.now();
    expect(lease.term).toBeGreaterThan(1);
    if (signal === 'SIGKILL') return;
    program.child.kill('SIGCONT');
    await until(() => Number(program.lines.at(-1)?.split(' ')[1]) > heldSince + leaseMs);
    const after = program.lines.filter((line) => Number(line.split(' ')[1]) > heldSince);
    expect(after.length).toBeGreaterThan(10);
    expect(after.filter((line) => line.startsWith('held'))).toEqual([]);
  };
  await Promise.all([follow('SIGKILL'), follow('SIGSTOP')]);
});

test('the cursor and the batch are written in one transaction, by the holder only', async () => {
  const schema = freshSchema();
  const options = { leaseMs: 60_000, now: () => start };
  const [first, second] = [historyIn(schema, options), historyIn(schema, options)];
  const calls = async (): Promise<number> => {
    const series = await second.series('work', { since: start, until: start + 10_000, stepMs: 10_000 });
    return series.get(start)?.counts.first_try ?? 0;
  };
  const before = first.lease('follow');
  await until(() => before.isHeld());
  expect(await first.cursor('follow')).toBeUndefined();
  first.write(cellsAt('work', start, 1), { lease: before, cursor: 'one' });
  first.write({ ...nothing, turns: [turnOf('t', start)] }, { lease: before, cursor: 'two' });
  expect(await first.cursor('follow')).toBe('two');
  await first.alerts.saveState('engine', 'first', start, before);

  // As if it had stood still for longer than the lease lasts.
  await queryIn(`UPDATE "${schema}".history_leases SET expires_at = now() - interval '1 second'`);
  const lease = second.lease('follow');
  await until(() => lease.isHeld());
  expect(lease.term).toBe(2);
  await second.alerts.saveState('engine', 'second', start, lease);
  first.write(cellsAt('work', start, 100), { lease: before, cursor: 'three' });
  await first.alerts.saveState('engine', 'first again', start, before);
  await first.flush();
  expect([await second.cursor('follow'), await calls(), await second.alerts.state('engine')]).toEqual(['two', 1, 'second']);
  second.write(cellsAt('work', start, 2), { lease, cursor: 'three' });
  expect([await second.cursor('follow'), await calls()]).toEqual(['three', 3]);
  expect(first.status()).toEqual({ ok: true, dropped: 0 });
});

test('while the server is down no process holds it for certain; the last holder gets another term later', { timeout: 60_000 }, async () => {
  const lost: number[] = [];
  const schema = freshSchema();
  await historyIn(schema).flush();
  const history = historyIn(schema, { leaseMs });
  const lease = history.lease('alerts', { onLost: () => void lost.push(lease.term) });
  await until(() => lease.isHeld());
  const { term } = lease;
  lost.length = 0;
  await postgres().kill();
  await until(() => !lease.isHeld(), 5 * leaseMs);
  await until(() => lost.length === 1, 5 * leaseMs);
  expect(lease.isPresumed()).toBe(true);
  await postgres().restart();
  await until(() => lease.isHeld());
  expect([lease.term > term, lost]).toEqual([true, [term]]);
});
