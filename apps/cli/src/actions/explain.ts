/** `holdfast explain`: why a call ended as it did. */
import type { Action } from '../action.ts';
import type { TraceEvent } from '@holdfast/core';
import { suggest } from '@holdfast/core/internal/plain';
import { foldTurn, type CallView } from '@holdfast/core/turn-view';
import type { GlobalOptions } from '../config.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { callToExplain } from '../find-call.ts';
import { findTurn, type FoundTurn } from '../find-turn.ts';
import { withHistory } from '../store.ts';
import type { TraceStore } from '../store/trace-store.ts';
import { describeCounterfactuals } from '../view/explain/counterfactuals.ts';
import type { Console } from '../terminal/console.ts';
import { renderExplain } from '../view/explain/explain.ts';
import { renderValidations, type FailedValidation } from '../view/explain/validations.ts';

interface ExplainOptions extends GlobalOptions {
  readonly turn?: string;
  readonly run?: number;
  readonly output: 'auto' | 'json';
}

export const execute: Action<string | undefined, ExplainOptions> = async (given, options, console) => {
  const found = await withHistory(options, console, (store) => findTurnWithCall(store, given, options));
  const failures = found.events.filter((event) => event.event_type === 'ResponseValidationFailed');
  if (given === undefined && failures.length > 0) return explainValidations(found, failures, options, console);
  const view = foldTurn(found.events);
  const call = given === undefined ? callToExplain(view) : view.calls.find(({ callId }) => callId === given);
  if (call === undefined) {
    throw new UsageError(`no call of turn ${view.turnId} failed. Name one: ${view.calls.map(({ callId }) => callId).join(', ')}`);
  }
  if (options.output === 'json') console.out.writeLine(JSON.stringify(callData(found, call)));
  else for (const line of renderExplain(view, call.callId, console.surface())) console.out.writeLine(line);
  return exitCodes.ok;
};

/** Exchanges with a model are recorded outside of turns, so their failures are of no call. */
function explainValidations(
  { summary }: FoundTurn,
  failures: readonly FailedValidation[],
  options: ExplainOptions,
  console: Console,
): number {
  const { turnId, run } = summary;
  if (options.output === 'json') {
    console.out.writeLine(JSON.stringify({ turn_id: turnId, run, failed_validations: failures.map(withoutPlace) }));
  } else for (const line of renderValidations(failures, console.surface())) console.out.writeLine(line);
  return exitCodes.ok;
}

async function findTurnWithCall(store: TraceStore, call: string | undefined, { turn, run }: ExplainOptions): Promise<FoundTurn> {
  const found = await findTurn(store, turn, run);
  const ids = foldTurn(found.events).calls.map(({ callId }) => callId);
  if (call === undefined || ids.includes(call)) return found;
  const place = turn === undefined ? await store.findCall(call) : undefined;
  if (place) return findTurn(store, place.turnId, place.run);
  const near = suggest(call, ids);
  throw new UsageError(
    `turn ${found.summary.turnId} has no call '${call}'.${near === undefined ? ` Its calls: ${ids.join(', ')}` : ` Did you mean '${near}'?`}`,
  );
}

function callData({ summary, events }: FoundTurn, { callId, toolName, status, attempts, decisions }: CallView): unknown {
  const ofCall = events.filter((event) => 'call_id' in event && event.call_id === callId);
  return {
    turn_id: summary.turnId,
    run: summary.run,
    call_id: callId,
    tool_id: toolName,
    status,
    attempts,
    decisions: decisions.map((decision) => ({
      ...withoutPlace(ofCall.find(({ seq }) => seq === decision.seq)),
      would_have_changed: describeCounterfactuals(decision),
    })),
    result: withoutPlace(ofCall.find(({ event_type: type }) => type === 'CallCompleted')),
  };
}

/** The fields that the document has once. */
const shared: ReadonlySet<string> = new Set(['event_type', 'turn_id', 'call_id']);

const withoutPlace = (event: TraceEvent | undefined): object | undefined =>
  event === undefined ? undefined : Object.fromEntries(Object.entries(event).filter(([key]) => !shared.has(key)));
