import { ref } from '@holdfast/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attemptOf } from './support/tool-log.ts';
import { startFleet, type Fleet } from './support/fleet.ts';
import { query, until } from './support/observe.ts';
import { outputsOf, sevenCalls, sevenOutputs } from './support/plans.ts';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet();
});

afterAll(() => fleet.stop());

const begunOf = (turnId: string): readonly string[] =>
  fleet
    .toolLog()
    .filter((entry) => entry.turnId === turnId && entry.phase === 'begin')
    .map(attemptOf);

describe('a worker that is lost during a turn', () => {
  test('a running attempt is repeated, with the same number and idempotency key; ended ones are not', async () => {
    const first = await fleet.one();
    const gate = fleet.gate('lost');
    const turn = fleet.client.run({
      turnId: 'lost',
      calls: [
        { callId: 'A', toolName: 'work' },
        { callId: 'S', toolName: 'shaky' },
        { callId: 'B', toolName: 'work', arguments: { until: gate.path, a: ref('A') } },
        { callId: 'C', toolName: 'work', arguments: { b: ref('B'), s: ref('S') } },
      ],
    });
    await fleet.seen(({ turnId, callId }) => turnId === 'lost' && callId === 'B', 'B has begun');
    await until(async () => (await journaled('lost')).includes('S#2'), 'the journal has the retry of S');
    await fleet.kill(first);
    gate.open();
    await fleet.start();
    expect(outputsOf(await turn)).toEqual({ A: { by: 'A' }, S: { by: 'S', attempt: 2 }, B: { by: 'B' }, C: { by: 'C' } });
    expect(begunOf('lost').toSorted()).toEqual([
      'lost A work#1',
      'lost B work#1',
      'lost B work#1',
      'lost C work#1',
      'lost S shaky#1',
      'lost S shaky#2',
    ]);
    const keys = fleet.toolLog().filter(({ turnId, callId }) => turnId === 'lost' && callId === 'B');
    expect(new Set(keys.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  test('a running unsafe attempt is not repeated, and its outcome is reported as unknown', async () => {
    const first = await fleet.one();
    const turn = fleet.client.run({
      turnId: 'unsafe',
      calls: [
        { callId: 'P', toolName: 'pay', arguments: { ms: 30_000 } },
        { callId: 'A', toolName: 'work' },
      ],
    });
    await fleet.seen(({ turnId, callId }) => turnId === 'unsafe' && callId === 'P', 'it pays');
    await fleet.kill(first);
    await fleet.start();
    expect(outputsOf(await turn)).toEqual({ P: 'OUTCOME_UNKNOWN', A: { by: 'A' } });
    expect(begunOf('unsafe').filter((attempt) => attempt.includes('pay'))).toEqual(['unsafe P pay#1']);
  });

  test('before the deadline: another worker answers at the deadline with the finished calls', async () => {
    const workers = await Promise.all([fleet.one(), fleet.start()]);
    const before = performance.now();
    const turn = fleet.client.run({
      turnId: 'deadline',
      timeoutMs: 2000,
      calls: [
        { callId: 'A', toolName: 'work' },
        { callId: 'H', toolName: 'hang' },
      ],
    });
    const { pid } = await fleet.seen((entry) => entry.turnId === 'deadline' && entry.callId === 'H', 'H hangs');
    await until(async () => (await journaled('deadline')).includes('A#1'), 'the journal has A');
    await fleet.kill(...workers.filter((worker) => worker.pid === pid));
    const result = await turn;
    expect(result.outcome).toBe('deadline');
    expect(result.results.map(({ status }) => status)).toEqual(['success', 'timeout']);
    // The deadline is the engine's; calling another worker may take a little longer.
    expect(performance.now() - before).toBeGreaterThanOrEqual(2000);
    expect(performance.now() - before).toBeLessThan(8000);
  });

  test('with several first calls: finished ones are not repeated', async () => {
    const first = await fleet.one();
    const gate = fleet.gate('eager');
    const calls = Array.from({ length: 8 }, (_, index) => ({
      callId: `C${index}`,
      toolName: 'work',
      arguments: index % 2 === 0 ? {} : { until: gate.path },
    }));
    const turn = fleet.client.run({ turnId: 'eager', calls });
    await until(
      async () => (await journaled('eager')).filter((name) => name.startsWith('C')).length === 4,
      'the journal has the quick ones',
    );
    await fleet.kill(first);
    gate.open();
    await fleet.start();
    expect((await turn).outcome).toBe('success');
    const begun = begunOf('eager');
    for (const { callId, arguments: args } of calls) {
      const times = begun.filter((attempt) => attempt.includes(` ${callId} `)).length;
      expect([callId, times]).toEqual([callId, args.until === undefined ? 1 : 2]);
    }
  });

  test('is replaced by one with fewer tools: missing tools are reported', async () => {
    const first = await fleet.one();
    const gate = fleet.gate('version');
    const turn = fleet.client.run({
      turnId: 'version',
      calls: [
        { callId: 'A', toolName: 'work' },
        { callId: 'B', toolName: 'work', arguments: { until: gate.path, a: ref('A') } },
        { callId: 'C', toolName: 'spare', dependsOn: ['B'], optional: true },
        { callId: 'D', toolName: 'work', dependsOn: ['B'] },
      ],
    });
    await fleet.seen(({ turnId, callId }) => turnId === 'version' && callId === 'B', 'B has begun');
    await fleet.kill(first);
    gate.open();
    // `broken` names `spare` as its alternative, so a service without `spare` lacks both.
    const second = await fleet.start({ without: ['spare', 'broken'] });
    expect(outputsOf(await turn)).toEqual({ A: { by: 'A' }, B: { by: 'B' }, C: 'UNKNOWN_TOOL', D: { by: 'D' } });
    await fleet.kill(second);
  });

  test('shuts down: turns that do not end in time move to another worker', async () => {
    await fleet.kill();
    const workers = await Promise.all([fleet.start({ drainMs: 50 }), fleet.start({ drainMs: 50 })]);
    const gate = fleet.gate('moved');
    const turn = fleet.client.run({ turnId: 'moved', calls: [{ callId: 'A', toolName: 'work', arguments: { until: gate.path } }] });
    const { pid } = await fleet.seen(({ turnId }) => turnId === 'moved', 'A has begun');
    const leaving = workers.find((worker) => worker.pid === pid);
    expect(await leaving?.end()).toBe(false);
    gate.open();
    expect((await turn).outcome).toBe('success');
    expect(fleet.toolLog().filter((entry) => entry.turnId === 'moved' && entry.phase === 'end' && entry.pid !== pid)).toHaveLength(1);
  });
});

describe('a fleet without workers', () => {
  test('has its turns paused after the last retry, until they are resumed', async () => {
    await fleet.kill();
    const first = await fleet.start({ pauseAfterRetries: 2 });
    // Restate keeps what the workers of a service reported last.
    await fleet.register();
    const gate = fleet.gate('paused');
    const turn = fleet.client.run({ turnId: 'paused', calls: [{ callId: 'A', toolName: 'work', arguments: { until: gate.path } }] });
    await fleet.seen(({ turnId }) => turnId === 'paused', 'A has begun');
    await fleet.kill(first);
    await until(async () => (await fleet.client.state('paused')) === 'paused', 'the turn is paused');
    expect(await fleet.client.paused()).toMatchObject([{ turnId: 'paused' }]);
    gate.open();
    await fleet.start();
    await fleet.register();
    expect(await fleet.client.resume('paused')).toBe(true);
    expect((await turn).outcome).toBe('success');
    expect(await fleet.client.resume('paused')).toBe(false);
  });
});

describe('a server that is killed', () => {
  test('and restarted completes all turns; none starts again', async () => {
    const workers = await Promise.all([fleet.one(), fleet.start()]);
    const turns = Array.from({ length: 10 }, (_, index) => fleet.client.run(sevenCalls(`server-${index}`, 100)));
    await until(
      () => fleet.toolLog().filter(({ turnId, phase }) => turnId.startsWith('server-') && phase === 'end').length > 15,
      'turns are under way',
    );
    await fleet.server.kill();
    await fleet.server.restart();
    for (const result of await Promise.all(turns)) {
      expect(result.outcome).toBe('success');
      expect(outputsOf(result)).toEqual(sevenOutputs);
    }
    const said = workers.flatMap(({ logs }) => logs.map(({ message }) => message));
    expect(said.filter((message) => /mismatch|journal/i.test(message))).toEqual([]);
  });
});

/** The steps whose results are in the journal of a turn. */
async function journaled(turnId: string): Promise<readonly string[]> {
  const sql = `SELECT j.index, j.entry_type, j.name, j.entry_json FROM sys_journal j JOIN sys_invocation i ON i.id = j.id WHERE i.target_service_key = '${turnId}' AND i.target_handler_name = 'run'`;
  const rows = await query(fleet.server.adminUrl, sql);
  const completion = /"Run":\{"completion_id":(\d+)/;
  const idOf = ({ entry_json: json }: (typeof rows)[number]): string | undefined => completion.exec(String(json))?.[1];
  const names = new Map(rows.filter(({ entry_type: type }) => type === 'Command: Run').map((row) => [idOf(row), String(row['name'])]));
  return rows.filter(({ entry_type: type }) => type === 'Notification: Run').map((row) => names.get(idOf(row)) ?? '');
}
