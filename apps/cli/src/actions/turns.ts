/** `holdfast turns`: lists recorded turns. */
import type { Action } from '../action.ts';
import type { TurnSummary } from '@holdfast/core/store';
import type { GlobalOptions } from '../config.ts';
import { programName } from '../terminal/program-name.ts';
import { exitCodes } from '../exit-codes.ts';
import { withHistory } from '../store.ts';
import { renderTable } from '../terminal/table.ts';
import { type Cell, type Tone, cell } from '../view/text/cell.ts';
import { duration } from '../view/text/format.ts';

interface TurnsOptions extends GlobalOptions {
  readonly limit: number;
  readonly output: 'auto' | 'json';
}

export const act: Action<undefined, TurnsOptions> = async (_none, options, console) => {
  const turns = await withHistory(options, console, (store) => store.listTurns({ limit: options.limit }));
  if (options.output === 'json') for (const turn of turns) console.out.line(JSON.stringify(turnData(turn)));
  else if (turns.length === 0) console.note(`The store holds no turn yet. Run one: ${programName()} run <turn.yaml>`);
  else
    for (const line of renderTable(
      ['turn', 'run', 'started', 'outcome', 'time', 'calls', 'summary'],
      turns.map(turnRow),
      console.surface(),
    ))
      console.out.line(line);
  return exitCodes.ok;
};

const tones: Readonly<Record<string, Tone>> = { success: 'good', running: 'active', failed: 'bad' };

function turnRow({ turnId, run, startedAt, endedAt, state, outcome, calls, summary }: TurnSummary): readonly Cell[] {
  const told = outcome ?? (state === 'interrupted' ? 'INTERRUPTED' : state);
  return [
    cell(turnId, 'strong'),
    cell(run, 'dim'),
    cell(localTime(startedAt)),
    cell(told, tones[told] ?? 'warn'),
    cell(endedAt === undefined ? '' : duration(endedAt - startedAt)),
    cell(calls),
    cell(summary ?? '', 'dim'),
  ];
}

function turnData({ turnId, run, startedAt, endedAt, state, outcome, calls, events, summary }: TurnSummary): unknown {
  const ended = endedAt === undefined ? {} : { ended_at: new Date(endedAt).toISOString() };
  return { turn_id: turnId, run, started_at: new Date(startedAt).toISOString(), ...ended, state, outcome, calls, events, summary };
}

/** `2026-11-21 10:30:45` in the user's time zone. */
function localTime(epochMs: number): string {
  const at = new Date(epochMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}
