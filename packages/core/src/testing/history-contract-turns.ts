/** Owns the part of the history contract that is about turns: found as a naive search finds them, page for page. */
import type { FactsQuery, KeptHistory } from '../projections/history/kept-history.ts';
import { checkSame, checkThat, type HistoryCaseBody, start, tidied } from './history-contract-case.ts';
import { nothing, numbers, turnOf, type TurnWrite } from './history-contract-data.ts';

const day = 86_400_000;

type Asked = Omit<FactsQuery, 'limit'>;

function randomTurn(draw: (below: number) => number, turnId: string): TurnWrite {
  const some = (...names: readonly string[]): readonly string[] => names.filter(() => draw(2) === 0);
  const tools = some('a', 'b', 'c');
  const summary = ['Completed a', '100 % of b failed', 'Völlig_kaputt', 'nul \0 and \ud800'][draw(4)] ?? '';
  return turnOf(
    turnId,
    start + draw(6),
    {
      tools: tools.length === 0 ? ['a'] : tools,
      codes: some('X', 'Y'),
      retries: draw(3),
      used_alternative: draw(2) === 0,
      deadline_missed: draw(2) === 0,
      repaired: draw(2) === 0,
    },
    { outcome: draw(2) === 0 ? 'success' : 'failed', summary },
  );
}

function randomQuery(draw: (below: number) => number): Asked {
  const perhaps = <Value>(...values: readonly Value[]): Value | undefined => values[draw(values.length * 3)];
  return {
    toolName: perhaps('a', 'b', 'none'),
    code: perhaps('X', 'Y'),
    outcome: perhaps(['failed'], ['success', 'failed']),
    retried: perhaps(true, false),
    deadline: perhaps(true, false),
    repaired: perhaps(true, false),
    alternative: perhaps(true, false),
    text: perhaps('turn-1', 'completed', '%', '_', 'b fail'),
    since: perhaps(start + 2),
    before: perhaps(start + 4),
  };
}

function passes({ turn_id, started_at, outcome, summary = '', facts }: TurnWrite, asked: Asked): boolean {
  const { toolName: tool, code, retried, deadline, repaired, alternative, text, since = 0, before = Infinity } = asked;
  const same = (wanted: boolean | undefined, is: boolean): boolean => wanted === undefined || wanted === is;
  return (
    (tool === undefined || facts.tools.includes(tool)) &&
    (code === undefined || facts.codes.includes(code)) &&
    (asked.outcome === undefined || (outcome !== undefined && asked.outcome.includes(outcome))) &&
    same(retried, facts.retries > 0) &&
    same(deadline, facts.deadline_missed) &&
    same(repaired, facts.repaired) &&
    same(alternative, facts.used_alternative) &&
    (text === undefined || turn_id.startsWith(text) || summary.toLowerCase().includes(text.toLowerCase())) &&
    started_at >= since &&
    started_at < before
  );
}

/** The ids of all pages, in their order. */
async function pages(history: KeptHistory, asked: Asked, limit: number): Promise<readonly string[]> {
  const found: string[] = [];
  let after: FactsQuery['after'];
  for (;;) {
    const page = await history.turns({ ...asked, limit, after });
    found.push(...page.map(({ turn_id }) => turn_id));
    const last = page.at(-1);
    if (!last || page.length < limit) return found;
    after = { startedAt: last.started_at, id: last.id };
    checkThat(found.length <= 10_000, 'paging does not end');
  }
}

export const turnCases: Readonly<Record<string, HistoryCaseBody>> = {
  'every filter, page for page': async ({ history }) => {
    const draw = numbers(11);
    const turns = Array.from({ length: 40 }, (_, index) => randomTurn(draw, `turn-${String(index)}`));
    history.write({ ...nothing, turns });
    for (let round = 0; round < 60; round += 1) {
      const asked = randomQuery(draw);
      const found = await pages(history, asked, 1 + draw(7));
      const expected = turns.filter((turn) => passes(turn, asked)).map(({ turn_id }) => turn_id);
      checkSame(found.toSorted(), expected.toSorted(), `turns by ${JSON.stringify(asked)}`);
      const starts = found.map((id) => turns.find(({ turn_id }) => turn_id === id)?.started_at ?? 0);
      checkSame(
        starts,
        starts.toSorted((one, other) => other - one),
        'not newest first',
      );
    }
  },
  'piece by piece, every turn is in one piece': async ({ history }) => {
    const turns = Array.from({ length: 25 }, (_, index) => turnOf(`turn-${String(index)}`, start + Math.floor(index / 4)));
    history.write({ ...nothing, turns });
    const found: string[] = [];
    let after: FactsQuery['after'];
    for (;;) {
      const downTo = await history.turnsBack(after, 7);
      const piece = await history.turns({ limit: 100, after, downTo, text: 'turn-' });
      found.push(...piece.map(({ turn_id }) => turn_id));
      if (!downTo) break;
      checkSame(piece.length, 7, 'turns of a piece');
      after = downTo;
    }
    checkSame(found, await pages(history, {}, 100), 'all pieces');
    checkSame(found.length, 25, 'turns of all pieces');
  },
  'a turn that is written again is the same turn, with what is known now': async ({ history }) => {
    const { ended_at: _ended, outcome: _outcome, ...running } = turnOf('t', start, {}, { events: 1 });
    history.write({ ...nothing, turns: [running] });
    const ended = turnOf('t', start, { tools: ['work', 'more'], retries: 2 });
    history.write({ ...nothing, turns: [ended] });
    checkSame((await history.turns({ limit: 10 })).length, 1, 'turns');
    checkSame((await history.turns({ limit: 10, toolName: 'more' })).length, 1, 'turns by a tool that it used later');
    const { id, ...facts } = (await history.facts('t', start)) ?? { id: 0 };
    checkThat(id > 0, 'a turn has no number');
    checkSame(facts, ended, 'what is known of it');
    checkSame(await history.facts('t', start + 1), undefined, 'a turn that began at another time');
  },
  'any id is kept': async ({ history }) => {
    const ids = ['nul \0', 'half \ud800', '\u0001marked', 'long '.repeat(2_000)];
    history.write({ ...nothing, turns: ids.map((id) => turnOf(id, start)) });
    for (const id of ids) checkSame((await history.facts(id, start))?.turn_id, id, 'the id of a turn');
    checkSame((await history.turns({ limit: 10, text: 'long long' })).length, 1, 'turns by the begin of their id');
  },
  'old turns are deleted, with their names': async (scene) => {
    const { history } = scene;
    const old = Array.from({ length: 500 }, (_, index) => turnOf(`old-${String(index)}`, start - 3 * day + index));
    history.write({ ...nothing, turns: [...old, turnOf('new', start)] });
    await tidied(history);
    checkSame(await pages(history, {}, 1_000), ['new'], 'turns');
    checkSame(await pages(history, { toolName: 'work' }, 1_000), ['new'], 'turns by their tool');
  },
};
