/** `holdfast turns`: lists recorded turns. */
import type { Action } from '../action.ts';
import type { TurnSummary } from '@holdfast/core/store';
import { isControlTurnId } from '@holdfast/core/internal';
import type { GlobalOptions } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { withHistory } from '../store.ts';
import type { TraceStore } from '../store/trace-store.ts';
import { renderTable } from '../terminal/table.ts';
import { type Cell, type Tone, cell } from '../view/text/cell.ts';
import { formatDuration, pluralize } from '../view/text/format.ts';
import { howToBegin } from '../how-to-begin.ts';

interface TurnsOptions extends GlobalOptions {
  readonly limit: number;
  readonly since?: number;
  readonly outcome?: string;
  readonly output: 'auto' | 'json';
}

export const execute: Action<undefined, TurnsOptions> = async (_none, options, console) => {
  const turns = await withHistory(options, console, (store) => listTurns(store, options));
  if (options.output === 'json') for (const turn of turns) console.out.writeLine(JSON.stringify(turnData(turn)));
  else if (turns.length === 0 && (options.since ?? options.outcome) !== undefined) console.note('No turn matches.');
  else if (turns.length === 0) console.note(`The store has no turns yet.\n${howToBegin()}`);
  else
    for (const line of renderTable(
      ['turn', 'run', 'started', 'outcome', 'time', 'calls', 'summary'],
      turns.map(turnRow),
      console.surface(),
    ))
      console.out.writeLine(line);
  return exitCodes.ok;
};

const pageSize = 200;

/** The outcome, or why there is none. */
const endOf = ({ turnId, outcome, state }: TurnSummary): string => (isControlTurnId(turnId) ? 'no turn' : (outcome ?? state));

async function listTurns(store: TraceStore, { limit, since, outcome }: TurnsOptions): Promise<readonly TurnSummary[]> {
  const query = since === undefined ? {} : { since };
  if (outcome === undefined) return store.listTurns({ ...query, limit });
  const found: TurnSummary[] = [];
  let page = await store.listTurns({ ...query, limit: pageSize });
  for (let last = page.at(-1); last !== undefined && found.length < limit; last = page.at(-1)) {
    found.push(...page.filter((turn) => endOf(turn) === outcome));
    // oxlint-disable-next-line no-await-in-loop -- a page begins where the one before ended
    page = await store.listTurns({ ...query, limit: pageSize, after: last });
  }
  return found.slice(0, limit);
}

const tones: Readonly<Record<string, Tone>> = { success: 'good', running: 'active', failed: 'bad', 'no turn': 'dim' };

function turnRow(turn: TurnSummary): readonly Cell[] {
  const { turnId, run, startedAt, endedAt, calls, events, summary } = turn;
  const label = endOf(turn) === 'interrupted' ? 'INTERRUPTED' : endOf(turn);
  return [
    cell(turnId, 'strong'),
    cell(run, 'dim'),
    cell(localTime(startedAt)),
    cell(label, tones[label] ?? 'warn'),
    cell(endedAt === undefined ? '' : formatDuration(endedAt - startedAt)),
    cell(isControlTurnId(turnId) ? '' : calls),
    cell(summary ?? (isControlTurnId(turnId) ? `${pluralize(events, 'event')} outside of turns` : ''), 'dim'),
  ];
}

function turnData({ turnId, run, startedAt, endedAt, state, outcome, calls, events, summary }: TurnSummary): unknown {
  const ended = endedAt === undefined ? {} : { ended_at: new Date(endedAt).toISOString() };
  return { turn_id: turnId, run, started_at: new Date(startedAt).toISOString(), ...ended, state, outcome, calls, events, summary };
}

/** `2026-11-21 10:30:45` in the user's time zone. */
function localTime(epochMs: number): string {
  const at = new Date(epochMs);
  const pad = (value: number): string => String(value).padStart(2, '0');
  const day = [at.getFullYear(), pad(at.getMonth() + 1), pad(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(pad).join(':')}`;
}
