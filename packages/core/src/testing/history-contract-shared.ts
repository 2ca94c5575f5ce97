/** Owns the cases of the history contract about several processes with one history. */
import { checkSame, type HistoryCaseBody, start, tidyAndFlush } from './history-contract-case.ts';
import { cellsAt, change, circuitChange, cluster, nothing, numbers, sumOf, turnOf } from './history-contract-data.ts';

const second = 1_000;
const hour = 3_600_000;

export const sharedCases: Readonly<Record<string, HistoryCaseBody>> = {
  'another process reads the records of this one': async ({ history, other }) => {
    history.write({ ...cellsAt('work', start, 4), turns: [turnOf('t', start)], clusters: [cluster('a')] });
    await history.flush();
    const another = await other();
    const series = await another.series('work', { since: start, until: start + hour, stepMs: 10 * second });
    checkSame(series.get(start)?.counts.first_try, 4, 'calls');
    checkSame(
      (await another.turns({ limit: 5 })).map(({ turn_id }) => turn_id),
      ['t'],
      'turns',
    );
    checkSame(await another.clusters(5), [cluster('a')], 'clusters');
  },
  'cells of two processes add up, whichever process rolls them up': async (scene) => {
    const both = [scene.history, await scene.other()];
    const draw = numbers(3);
    let expected = 0;
    for (let round = 0; round < 120; round += 1) {
      scene.now += 2_500;
      const writer = both[draw(2)];
      const calls = 1 + draw(4);
      writer?.write(cellsAt('work', Math.floor((scene.now - draw(9_000)) / second) * second, calls));
      expected += calls;
      if (draw(8) === 0) await writer?.flush();
      if (draw(8) === 0) await tidyAndFlush(both[draw(2)] ?? scene.history);
    }
    for (const each of both) await tidyAndFlush(each);
    for (const stepMs of [60 * second, hour])
      for (const each of both) {
        const series = await each.series('work', { since: start - hour, until: start + 2 * hour, stepMs });
        checkSame(sumOf(series).counts.first_try, expected, `calls in steps of ${String(stepMs)} ms`);
      }
  },
  'clusters of two processes add up': async ({ history, other }) => {
    const another = await other();
    for (let round = 0; round < 5; round += 1) {
      history.write({ ...nothing, clusters: [cluster('a'), cluster('one')] });
      another.write({ ...nothing, clusters: [cluster('other'), cluster('a', { count: 1 })] });
    }
    await history.flush();
    await another.flush();
    const counts = (await history.clusters(5)).map(({ signature, count }): readonly [string, number] => [signature, count]);
    checkSame(Object.fromEntries(counts), { a: 15, one: 10, other: 10 }, 'failures');
  },
  'changes with the same id from two processes are all stored': async ({ history, other }) => {
    const another = await other();
    history.write({ ...nothing, circuitChanges: [circuitChange(3, 1)], changes: [change(7, 1)] });
    await history.flush();
    another.write({ ...nothing, circuitChanges: [circuitChange(3, 2)], changes: [change(7, 2)] });
    await another.flush();
    // An update of the same changes.
    another.write({ ...nothing, circuitChanges: [circuitChange(3, 2, 'updated')], changes: [change(7, 2, 'updated')] });
    await another.flush();
    checkSame(
      (await history.circuitChanges('work', start)).map(({ message }) => message),
      ['opened', 'updated'],
      'changes of the circuit',
    );
    checkSame(
      (await history.changes(5)).map(({ text }) => text),
      ['updated', 'Change 7'],
      'changes',
    );
  },
};
