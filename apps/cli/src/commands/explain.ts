/** `holdfast explain`: why a call went the way it did. */
import type { Command } from 'commander';
import { suggest } from '@holdfast/core';
import type { SqliteStore } from '@holdfast/store-sqlite';
import type { GlobalOptions } from '../config.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { findTurn } from '../find-turn.ts';
import type { Program } from '../program.ts';
import { withHistory } from '../store.ts';
import { type TurnView, renderExplain, viewOf } from '../view/index.ts';
import { count } from './arguments.ts';

interface ExplainOptions extends GlobalOptions {
  readonly turn?: string;
  readonly run?: number;
}

export function addExplain(parent: Command, program: Program): void {
  parent
    .command('explain')
    .summary('explain every decision about a call')
    .description('Explains every decision about a call: what it was made from, what was checked, and what would have changed it.')
    .argument('<call>', 'id of the call')
    .option('-t, --turn <id>', 'id of the turn, or its beginning (default: the latest turn with such a call)')
    .option('--run <number>', 'which run, when the id was used more than once (default: the latest)', count)
    .action((call: string, _own: unknown, command: Command) =>
      program.perform(command, async (options: ExplainOptions, console) => {
        const view = await withHistory(options, console, (store) => viewWithCall(store, call, options));
        for (const line of renderExplain(view, call, console.surface())) console.out.line(line);
        return exitCodes.ok;
      }),
    );
}

async function viewWithCall(store: SqliteStore, call: string, { turn, run }: ExplainOptions): Promise<TurnView> {
  const { events } = await findTurn(store, turn, run);
  const view = viewOf(events);
  if (view.calls.some(({ callId }) => callId === call)) return view;
  const place = turn === undefined ? await store.findCall(call) : undefined;
  if (place) return viewOf((await findTurn(store, place.turnId, place.run)).events);
  const ids = view.calls.map(({ callId }) => callId);
  const near = suggest(call, ids);
  throw new UsageError(
    `turn ${view.turnId ?? ''} has no call '${call}'.${near === undefined ? ` Its calls: ${ids.join(', ')}` : ` Did you mean '${near}'?`}`,
  );
}
