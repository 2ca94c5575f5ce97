/** Owns the cases of the history contract about cells: every series has all counts, before and after a roll-up; old cells are deleted. */
import { checkSame, checkThat, type HistoryCaseBody, type HistoryScene, start, tidyAndFlush } from './history-contract-case.ts';
import { cellOf, cellsAt, nothing, numbers, sumOf } from './history-contract-data.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Calls that a case has written to one cell. */
interface Counted {
  readonly tool: string;
  readonly at: number;
  readonly calls: number;
}

/** Writes cells, advances time and runs maintenance, in random order. */
async function countAtRandom(scene: HistoryScene, seed: number, actions: number): Promise<readonly Counted[]> {
  const draw = numbers(seed);
  const counted: Counted[] = [];
  for (let action = 0; action < actions; action += 1) {
    const kind = draw(10);
    if (kind < 2) await tidyAndFlush(scene.history);
    else if (kind < 5) scene.now += [700, 9_000, 61_000, 700_000][draw(4)] ?? 0;
    else {
      const at = Math.floor((scene.now - draw(4_000)) / second) * second;
      const next = { tool: draw(2) === 0 ? 'one' : 'two', at, calls: 1 + draw(5) };
      scene.history.write(cellsAt(next.tool, at, next.calls));
      counted.push(next);
    }
  }
  return counted;
}

async function checkCounts({ history, now }: HistoryScene, counted: readonly Counted[]): Promise<void> {
  for (const stepMs of [10 * minute, 2 * hour]) {
    const since = Math.floor((start - hour) / stepMs) * stepMs;
    for (const tool of ['one', 'two']) {
      const series = await history.series(tool, { since, until: now + stepMs, stepMs });
      const { counts, calls } = sumOf(series);
      const expected = counted.filter((each) => each.tool === tool).reduce((sum, each) => sum + each.calls, 0);
      checkSame([counts.first_try, calls?.count ?? 0], [expected, expected], `calls of ${tool} in steps of ${String(stepMs)} ms`);
      for (const at of series.keys()) checkThat(at % stepMs === 0, `a step of ${String(stepMs)} ms starts at ${String(at)}`);
    }
  }
}

export const cellCases: Readonly<Record<string, HistoryCaseBody>> = {
  'a series is the same before and after a roll-up, for every step size': async (scene) => {
    const counted = await countAtRandom(scene, 7, 90);
    await checkCounts(scene, counted);
    scene.now += 3 * hour;
    for (let round = 0; round < 5; round += 1) await tidyAndFlush(scene.history);
    await checkCounts(scene, counted);
  },
  'each step of a series has the counts of its time': async (scene) => {
    const { history } = scene;
    for (let at = start; at < start + 30 * minute; at += 7 * second) {
      scene.now = at;
      history.write(cellsAt('work', at, 1));
      if (at % minute === 0) await tidyAndFlush(history);
    }
    await tidyAndFlush(history);
    for (const stepMs of [10 * second, 20 * second, 2 * minute, 10 * minute]) {
      const series = await history.series('work', { since: start, until: start + 30 * minute, stepMs });
      for (let at = start; at < start + 30 * minute; at += stepMs) {
        const expected = Math.ceil((at + stepMs - start) / (7 * second)) - Math.ceil((at - start) / (7 * second));
        checkSame(series.get(at)?.counts.first_try ?? 0, expected, `calls at ${String(at - start)} in steps of ${String(stepMs)} ms`);
      }
    }
  },
  'several cells of one second are merged': async ({ history }) => {
    history.write(cellsAt('work', start, 2, 10));
    history.write(cellsAt('work', start, 3, 500));
    const series = await history.series('work', { since: start, until: start + 10 * second, stepMs: 10 * second });
    const cell = series.get(start);
    checkSame([cell?.counts.first_try, cell?.counts.work_ms], [5, 1_520], 'counts');
    checkSame([cell?.calls?.count, cell?.calls?.min, cell?.calls?.max], [5, 10, 500], 'latencies');
    checkSame(cell?.errors.get('NETWORK_ERROR'), 5, 'errors');
  },
  'a late cell is not lost': async (scene) => {
    const { history } = scene;
    scene.now = start + hour;
    history.write(cellsAt('work', start + hour - minute, 1));
    await tidyAndFlush(history);
    history.write(cellsAt('work', start, 1));
    await tidyAndFlush(history);
    const series = await history.series('work', { since: start, until: start + 2 * hour, stepMs: hour });
    checkSame(sumOf(series).counts.first_try, 2, 'calls');
  },
  'a clock that was years ahead and was set back loses no cells': async (scene) => {
    const { history } = scene;
    scene.now = start + 3_000 * day;
    await tidyAndFlush(history);
    scene.now = start + minute;
    await tidyAndFlush(history);
    history.write(cellsAt('work', start + minute, 3));
    await tidyAndFlush(history);
    const series = await history.series('work', { since: start, until: start + hour, stepMs: minute });
    checkSame(series.get(start + minute)?.counts.first_try, 3, 'calls');
  },
  'fine steps are deleted after their roll-up, coarse ones after the retention': async (scene) => {
    const { history } = scene;
    const cells = Array.from({ length: 1_200 }, (_, index) => ({ toolName: 'work', at: start + index * second, cell: cellOf(1) }));
    history.write({ ...nothing, cells });
    const series = (stepMs: number): ReturnType<typeof history.series> =>
      history.series('work', { since: start, until: start + hour, stepMs });
    checkSame((await series(second)).size, 1_200, 'seconds before');
    scene.now = start + hour;
    for (let round = 0; round < 20; round += 1) await tidyAndFlush(history);
    checkSame((await series(second)).size, 0, 'seconds older than ten minutes');
    checkSame(sumOf(await series(10 * second)).counts.first_try, 1_200, 'calls in steps of ten seconds');
    scene.now = start + 3 * day;
    for (let round = 0; round < 20; round += 1) await tidyAndFlush(history);
    for (const stepMs of [10 * second, minute, 10 * minute]) checkSame((await series(stepMs)).size, 0, 'steps older than the retention');
  },
  'a thousand tools in one write are stored': async ({ history }) => {
    const cells = Array.from({ length: 1_000 }, (_, index) => ({ toolName: `tool-${String(index)}`, at: start, cell: cellOf(index + 1) }));
    history.write({ ...nothing, cells });
    for (const index of [0, 499, 999]) {
      const series = await history.series(`tool-${String(index)}`, { since: start, until: start + second, stepMs: second });
      checkSame(series.get(start)?.counts.first_try, index + 1, `calls of tool ${String(index)}`);
    }
  },
  'unusual names are stored': async ({ history }) => {
    const names = ['nul \0', 'half \ud800', '\u0001marked', 'ü'.repeat(200), 'quote \' " \\ {,}'];
    for (const [index, tool] of names.entries()) history.write(cellsAt(tool, start, index + 1));
    for (const [index, tool] of names.entries()) {
      const series = await history.series(tool, { since: start, until: start + second, stepMs: second });
      checkSame(series.get(start)?.counts.first_try, index + 1, `calls of ${JSON.stringify(tool)}`);
    }
  },
};
