/** Finds the turn that a user names: the latest, one by its id, or one by a prefix of its id. */
import { programName } from './terminal/program-name.ts';
import type { TraceEvent } from '@holdfast/core';
import type { TurnSummary } from '@holdfast/core/store';
import { isControlTurnId } from '@holdfast/core/internal';
import { suggest } from '@holdfast/core/internal/plain';
import { UsageError } from './exit-codes.ts';
import { checkReadable } from './store.ts';
import type { TraceStore } from './store/trace-store.ts';
import { howToBegin } from './how-to-begin.ts';

export interface FoundTurn {
  readonly summary: TurnSummary;
  readonly events: readonly TraceEvent[];
}

const maxCandidates = 200;

/** @throws UsageError when no turn matches, or several do. */
export async function findTurn(store: TraceStore, given: string | undefined, run?: number): Promise<FoundTurn> {
  const summary = given === undefined ? await findLatest(store) : await findById(store, given, run);
  const events = await store.readTurn(summary.turnId, run ?? summary.run);
  checkReadable(store);
  if (events === undefined || events.length === 0) {
    throw new UsageError(run === undefined ? `turn ${summary.turnId} has no events.` : `turn ${summary.turnId} has no run ${run}.`);
  }
  return { summary, events };
}

async function findLatest(store: TraceStore): Promise<TurnSummary> {
  const found = await store.listTurns({ limit: 20 });
  checkReadable(store);
  // What happened outside of turns may be the newest; it is shown if nothing else is there.
  const newest = found.find(({ turnId }) => !isControlTurnId(turnId)) ?? found[0];
  if (newest) return newest;
  throw new UsageError(`the store has no turns yet.\n${howToBegin()}`);
}

async function findById(store: TraceStore, given: string, run: number | undefined): Promise<TurnSummary> {
  const found = await store.findTurns(given, maxCandidates);
  checkReadable(store);
  const exact = found.filter(({ turnId }) => turnId === given);
  const same = run === undefined ? exact[0] : exact.find((summary) => summary.run === run);
  if (same ?? exact[0]) return (same ?? exact[0]) as TurnSummary;
  const ids = [...new Set(found.map(({ turnId }) => turnId))];
  const [first] = found;
  if (ids.length === 1 && first) return first;
  if (ids.length > 1) {
    const shown = ids.slice(0, 8).join(', ');
    throw new UsageError(`several turns start with '${given}': ${shown}${ids.length > 8 ? ' …' : ''}`);
  }
  const known = (await store.listTurns({ limit: maxCandidates })).map(({ turnId }) => turnId);
  const near = suggest(given, new Set(known));
  throw new UsageError(
    `there is no turn '${given}'.${near === undefined ? ` List them with: ${programName()} turns` : ` Did you mean '${near}'?`}`,
  );
}
