/** `holdfast explain`: why a call ended as it did. */
import type { Action } from '../action.ts';
import { suggest } from '@holdfast/core/internal/plain';
import type { GlobalOptions } from '../config.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { findTurn } from '../find-turn.ts';
import { withHistory } from '../store.ts';
import type { TraceStore } from '../store/trace-store.ts';
import { foldTurn, type TurnView } from '@holdfast/core/turn-view';
import { renderExplain } from '../view/explain/explain.ts';

interface ExplainOptions extends GlobalOptions {
  readonly turn?: string;
  readonly run?: number;
}

export const execute: Action<string, ExplainOptions> = async (call, options, console) => {
  const view = await withHistory(options, console, (store) => findTurnWithCall(store, call, options));
  for (const line of renderExplain(view, call, console.surface())) console.out.writeLine(line);
  return exitCodes.ok;
};

async function findTurnWithCall(store: TraceStore, call: string, { turn, run }: ExplainOptions): Promise<TurnView> {
  const { events } = await findTurn(store, turn, run);
  const view = foldTurn(events);
  if (view.calls.some(({ callId }) => callId === call)) return view;
  const place = turn === undefined ? await store.findCall(call) : undefined;
  if (place) return foldTurn((await findTurn(store, place.turnId, place.run)).events);
  const ids = view.calls.map(({ callId }) => callId);
  const near = suggest(call, ids);
  throw new UsageError(
    `turn ${view.turnId} has no call '${call}'.${near === undefined ? ` Its calls: ${ids.join(', ')}` : ` Did you mean '${near}'?`}`,
  );
}
