/** Owns the cases of the history contract about turns: queries and pages have the same results as a naive search. */
import type { FactsQuery, KeptHistory } from '../projections/history/kept-history.ts';
import { checkSame, checkThat, type HistoryCaseBody, start, tidyAndFlush } from './history-contract-case.ts';
import { nothing, numbers, turnOf, type TurnWrite } from './history-contract-data.ts';

const day = 86_400_000;

type Filter = Omit<FactsQuery, 'limit'>;

function randomTurn(draw: (below: number) => number, turnId: string): TurnWrite {
  const some = (...names: readonly string[]): readonly string[] => names.filter(() => draw(2) === 0);
  const tools = some('a', 'b', 'c');
  const summary = ['Completed a', '100 % of b failed', 'Ünïcödé_failure', 'nul \0 and \ud800'][draw(4)] ?? '';
  return turnOf(
    turnId,
    start + draw(6),
    {
      tools: tools.length === 0 ? ['a'] : tools,
      codes: some('X', 'Y'),
      retries: draw(3),
      waited_ms: draw(3) * 1.5,
      used_alternative: draw(2) === 0,
      deadline_missed: draw(2) === 0,
      repaired: draw(2) === 0,
    },
    { outcome: draw(2) === 0 ? 'success' : 'failed', summary },
  );
}

function randomFilter(draw: (below: number) => number): Filter {
  const maybe = <Value>(...values: readonly Value[]): Value | undefined => values[draw(values.length * 3)];
  return {
    toolName: maybe('a', 'b', 'none'),
    code: maybe('X', 'Y'),
    outcome: maybe(['failed'], ['success', 'failed']),
    retried: maybe(true, false),
    deadline: maybe(true, false),
    repaired: maybe(true, false),
    alternative: maybe(true, false),
    text: maybe('turn-1', 'completed', '%', '_', 'b fail', 'x', 'a'),
    since: maybe(start + 2),
    before: maybe(start + 4),
  };
}

function matches({ turn_id, started_at, outcome, summary = '', facts }: TurnWrite, filter: Filter): boolean {
  const { toolName: tool, code, retried, deadline, repaired, alternative, text, since = 0, before = Infinity } = filter;
  const same = (expected: boolean | undefined, actual: boolean): boolean => expected === undefined || expected === actual;
  return (
    (tool === undefined || facts.tools.includes(tool)) &&
    (code === undefined || facts.codes.includes(code)) &&
    (filter.outcome === undefined || (outcome !== undefined && filter.outcome.includes(outcome))) &&
    same(retried, facts.retries > 0) &&
    same(deadline, facts.deadline_missed) &&
    same(repaired, facts.repaired) &&
    same(alternative, facts.used_alternative) &&
    (text === undefined ||
      turn_id.startsWith(text) ||
      [summary, ...facts.tools, ...facts.codes].some((each) => each.toLowerCase().includes(text.toLowerCase()))) &&
    started_at >= since &&
    started_at < before
  );
}

/** Returns the ids of all pages, in order. */
async function pages(history: KeptHistory, filter: Filter, limit: number): Promise<readonly string[]> {
  const found: string[] = [];
  let after: FactsQuery['after'];
  for (;;) {
    const page = await history.turns({ ...filter, limit, after });
    found.push(...page.map(({ turn_id }) => turn_id));
    const last = page.at(-1);
    if (!last || page.length < limit) return found;
    after = { startedAt: last.started_at, id: last.id };
    checkThat(found.length <= 10_000, 'paging does not end');
  }
}

export const turnCases: Readonly<Record<string, HistoryCaseBody>> = {
  'every filter and page size finds the same turns as a naive search': async ({ history }) => {
    const draw = numbers(11);
    const turns = Array.from({ length: 40 }, (_, index) => randomTurn(draw, `turn-${String(index)}`));
    history.write({ ...nothing, turns });
    for (let round = 0; round < 60; round += 1) {
      const filter = randomFilter(draw);
      const found = await pages(history, filter, 1 + draw(7));
      const expected = turns.filter((turn) => matches(turn, filter)).map(({ turn_id }) => turn_id);
      checkSame(found.toSorted(), expected.toSorted(), `turns by ${JSON.stringify(filter)}`);
      const starts = found.map((id) => turns.find(({ turn_id }) => turn_id === id)?.started_at ?? 0);
      checkSame(
        starts,
        starts.toSorted((a, b) => b - a),
        'not newest first',
      );
    }
  },
  'every turn is in exactly one range of `turnsBack`': async ({ history }) => {
    const turns = Array.from({ length: 25 }, (_, index) => turnOf(`turn-${String(index)}`, start + Math.floor(index / 4)));
    history.write({ ...nothing, turns });
    const found: string[] = [];
    let after: FactsQuery['after'];
    for (;;) {
      const downTo = await history.turnsBack(after, 7);
      const range = await history.turns({ limit: 100, after, downTo, text: 'turn-' });
      found.push(...range.map(({ turn_id }) => turn_id));
      if (!downTo) break;
      checkSame(range.length, 7, 'turns of a range');
      after = downTo;
    }
    checkSame(found, await pages(history, {}, 100), 'all ranges');
    checkSame(found.length, 25, 'turns of all ranges');
  },
  'another write of a turn updates it': async ({ history }) => {
    const { ended_at: _ended, outcome: _outcome, ...running } = turnOf('t', start, {}, { events: 1 });
    history.write({ ...nothing, turns: [running] });
    const ended = turnOf('t', start, { tools: ['work', 'more'], retries: 2 });
    history.write({ ...nothing, turns: [ended] });
    checkSame((await history.turns({ limit: 10 })).length, 1, 'turns');
    checkSame((await history.turns({ limit: 10, toolName: 'more' })).length, 1, 'turns by a tool that it used later');
    const { id, ...facts } = (await history.facts('t', start)) ?? { id: 0 };
    checkThat(id > 0, 'a turn has no id');
    checkSame(facts, ended, 'the facts of the turn');
    checkSame(await history.facts('t', start + 1), undefined, 'a turn with another start time');
  },
  'any id is stored': async ({ history }) => {
    const ids = ['nul \0', 'half \ud800', '\u0001marked', 'long '.repeat(2_000)];
    history.write({ ...nothing, turns: ids.map((id) => turnOf(id, start)) });
    for (const id of ids) checkSame((await history.facts(id, start))?.turn_id, id, 'the id of a turn');
    checkSame((await history.turns({ limit: 10, text: 'long long' })).length, 1, 'turns by the start of their id');
  },
  'turns older than the retention are deleted, with their tools': async (scene) => {
    const { history } = scene;
    const old = Array.from({ length: 500 }, (_, index) => turnOf(`old-${String(index)}`, start - 3 * day + index));
    history.write({ ...nothing, turns: [...old, turnOf('new', start)] });
    await tidyAndFlush(history);
    checkSame(await pages(history, {}, 1_000), ['new'], 'turns');
    checkSame(await pages(history, { toolName: 'work' }, 1_000), ['new'], 'turns by their tool');
  },
};
