/** Owns the cases of the history contract about all other records: circuits, clusters, failures, changes, alerts. */
import { checkSame, checkThat, type HistoryCaseBody, start, tidyAndFlush } from './history-contract-case.ts';
import { cellsAt, change, circuitChange, cluster, failure, nothing, slowCall, turnOf } from './history-contract-data.ts';

const day = 86_400_000;

export const recordCases: Readonly<Record<string, HistoryCaseBody>> = {
  'written records can be read': async ({ history }) => {
    const stored = cluster('00ff');
    history.write({
      cells: cellsAt('work', start, 4).cells,
      turns: [turnOf('t', start)],
      circuitChanges: [circuitChange(3, 0)],
      clusters: [stored],
      failures: Array.from({ length: 30 }, (_, index) => failure(index)),
      slowCalls: [1, 30, 20].map(slowCall),
      changes: [change(7, 0)],
    });
    checkSame(await history.circuitChanges('work', start), [circuitChange(3, 0).change], 'changes of the circuit');
    checkSame(await history.circuitChangeBefore('work', start), undefined, 'the change before the first');
    checkSame((await history.circuitChangeBefore('work', start + 1))?.id, 3, 'the change before now');
    checkSame(await history.lastCircuitChanges(), [circuitChange(3, 0)], 'the last change of each circuit');
    checkSame(await history.clusters(10), [stored], 'clusters');
    const latest = Array.from({ length: 20 }, (_, index) => failure(29 - index).failure);
    checkSame(await history.failures('work', 0), latest, 'the latest failures');
    checkSame((await history.failures('work', start + 28)).length, 2, 'failures since then');
    checkSame(
      (await history.slowCalls('work', start, 2)).map(({ duration_ms }) => duration_ms),
      [30, 20],
      'the slowest calls',
    );
    checkSame(await history.changes(5), [change(7, 0)], 'changes');
    checkSame(await history.lastIds(), { change: 7, circuitChange: 3 }, 'the last ids');
    checkSame(history.status(), { ok: true, dropped: 0 }, 'status');
  },
  'an update of a circuit change does not alter the order of changes': async ({ history }) => {
    const [opened, later, updated] = [circuitChange(3, 0), circuitChange(4, 1_000), circuitChange(3, 0, 'opened, with the reason')];
    for (const each of [opened, later, updated]) history.write({ ...nothing, circuitChanges: [each] });
    checkSame(await history.lastCircuitChanges(), [later], 'the last change');
    checkSame(await history.circuitChanges('work', start), [updated.change, later.change], 'changes');
  },
  'a tool without records has an empty history': async ({ history }) => {
    checkSame((await history.series('none', { since: 0, until: start, stepMs: 10_000 })).size, 0, 'cells');
    checkSame(await history.circuitChanges('none', 0), [], 'changes of a circuit');
    checkSame([await history.failures('none', 0), await history.slowCalls('none', 0, 5)], [[], []], 'failures and slow calls');
    checkSame(await history.lastIds(), { change: 0, circuitChange: 0 }, 'the last ids');
  },
  'the latest clusters are read, oldest first': async ({ history }) => {
    const clusters = [5, 1, 4, 2, 3].map((n) => cluster(`sig-${String(n)}`, { last_seen: start + n }));
    history.write({ ...nothing, clusters });
    checkSame(
      (await history.clusters(3)).map(({ signature }) => signature),
      ['sig-3', 'sig-4', 'sig-5'],
      'clusters',
    );
  },
  'writes to a cluster are added to it': async ({ history }) => {
    const [hour, next] = [String(start / 3_600_000), String(start / 3_600_000 + 1)];
    history.write({ ...nothing, clusters: [cluster('a')] });
    const later = cluster('a', { count: 3, last_seen: start + 3_600_000, hours: { [hour]: 1, [next]: 2 }, calls_failed: 2, sample: 'x 9' });
    history.write({ ...nothing, clusters: [later] });
    const [sum] = await history.clusters(5);
    const { count, hours, strategies, calls_failed: failed, first_seen: first, sample } = sum ?? cluster('none');
    checkSame(
      { count, hours, strategies, failed, first, sample },
      {
        count: 5,
        hours: { [hour]: 3, [next]: 2 },
        strategies: [{ strategy: 'retry', tried: 4, succeeded: 2 }],
        failed: 3,
        first: start,
        sample: 'x 9',
      },
      'the sum',
    );
  },
  'records older than the retention are deleted': async (scene) => {
    const { history } = scene;
    const everything = {
      ...nothing,
      circuitChanges: [circuitChange(1, 0)],
      clusters: [cluster('a')],
      failures: Array.from({ length: 30 }, (_, index) => failure(index)),
      slowCalls: [slowCall(5)],
      changes: [change(1, 0)],
    };
    history.write(everything);
    await tidyAndFlush(history);
    const before = [
      (await history.circuitChanges('work', 0)).length,
      (await history.clusters(5)).length,
      (await history.failures('work', 0)).length,
      (await history.slowCalls('work', 0, 5)).length,
      (await history.changes(5)).length,
    ];
    checkSame(before, [1, 1, 20, 1, 1], 'records before the deletion');
    scene.now = start + 3 * day;
    await tidyAndFlush(history);
    const left = [
      await history.circuitChanges('work', 0),
      await history.clusters(5),
      await history.failures('work', 0),
      await history.slowCalls('work', 0, 5),
      await history.changes(5),
    ];
    checkSame(left, [[], [], [], [], []], 'records after the deletion');
  },
  'alert events, deliveries and states are stored': async ({ history: { alerts } }) => {
    const event = { atMs: start, kind: 'firing', fingerprint: 'f', name: 'Name', tool_id: 'work', text: 'nul \0', by: 'operator' };
    const first = await alerts.addEvent(event);
    const second = await alerts.addEvent({ atMs: start + 1, kind: 'silenced', name: 's', text: 'text' });
    checkThat(second.id > first.id, 'ids do not increase');
    checkSame(await alerts.events({ limit: 5 }), [second, { ...event, id: first.id }], 'events, newest first');
    checkSame(await alerts.events({ limit: 5, before: second.id }), [{ ...event, id: first.id }], 'events before one');
    checkSame((await alerts.events({ limit: 1 })).length, 1, 'events up to a limit');

    const waiting = { key: 'k', atMs: start, receiver: 'ops', body: '{"status":"waiting"}' };
    const id = await alerts.saveDelivery(waiting);
    await alerts.saveDelivery({ ...waiting, key: 'other', receiver: 'desk' });
    checkSame(await alerts.saveDelivery({ ...waiting, body: '{"status":"sent"}' }), id, 'the id of an updated delivery');
    const sent = { ...waiting, body: '{"status":"sent"}', id };
    checkSame((await alerts.deliveries({ limit: 5 })).length, 2, 'deliveries');
    checkSame(await alerts.deliveries({ limit: 5, receiver: 'ops' }), [sent], 'deliveries to one receiver');

    checkSame(await alerts.state('engine'), undefined, 'a state that was never saved');
    await alerts.saveState('engine', '{"a":1}', start);
    await alerts.saveState('engine', '{"a":2}', start + 1);
    checkSame(await alerts.state('engine'), '{"a":2}', 'the state');
  },
  'writes after close are ignored': async ({ history }) => {
    history.write({ ...nothing, turns: [turnOf('t', start)] });
    await history.close();
    history.write({ ...nothing, turns: [turnOf('late', start)] });
    await history.flush();
    checkSame(await history.turns({ limit: 5 }), [], 'turns of a closed history');
    await history.close();
  },
};
