/** Owns creating the run of a turn's call: its settings and its ids. */
import { createCallState } from '../../engine/call/state.ts';
import { settingsLookup } from '../drivers/call-settings.ts';
import type { CallStart } from '../drivers/effect-loop.ts';
import { CallRun } from '../drivers/host.ts';
import type { ToolSettings } from '../../engine/settings/settings.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';
import { capturedArguments } from './single-call.ts';
import type { ServiceContext } from './service-context.ts';

/** What the calls of one turn share. */
export interface CallsOfTurn {
  readonly turnId: string;
  readonly trace: Trace;
  readonly seed: string;
  /** Settings of unknown tools. */
  readonly base: ToolSettings;
  readonly settingsOf: (toolName: string) => ToolSettings | undefined;
  readonly deadlineAt: number | undefined;
  readonly allowance: { left: number | null };
  /** Identifies this run of the turn: idempotency keys begin with it. */
  readonly execution: string;
  /** By call key: the caller's id of the call, if it differs. */
  readonly callIds?: ReadonlyMap<string, string> | undefined;
}

export function openCall(
  context: ServiceContext,
  turn: CallsOfTurn,
  { node: { callId: callKey, call }, arguments: args, problem }: CallStart,
  onSettled: CallRun['onSettled'],
  now: number,
): CallRun {
  const { turnId, trace, seed, base, deadlineAt, allowance, execution } = turn;
  const spec = {
    turnId,
    seed,
    callKey,
    callId: turn.callIds?.get(callKey) ?? callKey,
    toolName: call.toolName,
    optional: call.optional ?? false,
    critical: call.critical ?? false,
    settingsOf: settingsLookup(turn.settingsOf, call),
    deadlineAt,
    allowance,
    idempotencyKey: call.idempotencyKey ?? `${execution}-${callKey}`,
    capturedArguments: capturedArguments(context, args),
  };
  return new CallRun(createCallState(spec, base, now), trace, args, problem, onSettled);
}
