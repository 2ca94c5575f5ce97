/** Owns answering one call of a gathered turn: it waits for its dependencies and a slot, and runs as a turn of its own within the shared time. */
import type { ToolResult } from '../../engine/call/result.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import type { CallExecutor } from './call-executors.ts';
import type { Conclusion } from './record-result.ts';
import { concludeSafely } from './record-result.ts';
import type { GatheredTurn, WaitEnd } from './incremental-turn.ts';
import type { ReadArguments, ReadModelCall } from './model-call.ts';
import type { PreparedCall } from './prepare-call.ts';
import { prepareCall, refusalOf } from './prepare-call.ts';
import type { Refusal } from './refusal.ts';
import { refusedResult } from './refusal.ts';
import { causesOf, lostRefusal, runCalls, strangerRefusal, turnOf } from './run-calls.ts';
import type { AnswerScope, RunState } from './run-state.ts';
import { openScope } from './run-state.ts';

export interface OneCall {
  readonly signal: CancelSignal | undefined;
  readonly execute: CallExecutor | undefined;
  /** What the framework has read of the arguments. */
  readonly known: ReadArguments | undefined;
}

export async function answerGathered(state: RunState, gathered: GatheredTurn, read: ReadModelCall, one: OneCall): Promise<Conclusion> {
  let call = prepareCall(state, read, one.known);
  let ran = false;
  let result: ToolResult | undefined;
  try {
    const own = call.refusal ?? missingSibling(state, gathered, read) ?? missingExecutors(state, one);
    const waited = own ? undefined : gathered.enter(read.dependsOn, one.signal);
    const end = typeof waited === 'object' ? await waited : waited;
    ran = end === 'ready';
    // While it waited, the run may have been stopped, and the same call may have failed too often.
    if (typeof waited === 'object') call = { ...call, refusal: refusalOf(state, call) };
    const refusal = own ?? (ran ? (failedDependency(gathered, read) ?? call.refusal) : whyNotRun(end, read));
    if (refusal) call = { ...call, refusal };
    const scope = openScope(state, gathered.answer, state.kit.system.now());
    result = await run(state, scope, call, one);
    return concludeSafely(state, scope, call, result);
  } finally {
    gathered.leave(read.callId, result ?? refusedResult(read.toolName, read.callId, lostRefusal(read.toolName, [read.callId])), ran);
  }
}

function missingSibling({ kit }: RunState, gathered: GatheredTurn, { dependsOn }: ReadModelCall): Refusal | undefined {
  const missing = dependsOn.find((callId) => !gathered.members.mayCome(callId));
  return missing === undefined ? undefined : strangerRefusal(kit.redact(missing));
}

function missingExecutors({ options }: RunState, { execute }: OneCall): Refusal | undefined {
  if (!execute || options.executors) return undefined;
  return { code: 'INVALID_CALL', message: "'execute' was given, but the run has no 'executors'", advice: 'Go on without it.' };
}

function failedDependency(gathered: GatheredTurn, { toolName, dependsOn }: ReadModelCall): Refusal | undefined {
  for (const callId of dependsOn) {
    const result = gathered.resultOf(callId);
    if (result && result.status !== 'success') return lostRefusal(toolName, causesOf(callId, result.error.causedBy));
  }
  return undefined;
}

function whyNotRun(end: WaitEnd | undefined, { dependsOn }: ReadModelCall): Refusal {
  switch (end) {
    case 'deadline':
      return {
        code: 'TURN_DEADLINE',
        message: 'Turn deadline reached before the tool was run',
        advice: 'Go on with what there is, or call it again in a new turn.',
      };
    case 'cancelled':
      return { code: 'CANCELLED', message: 'Cancelled by the caller', advice: 'Do not repeat it unless you are asked to.' };
    default:
      return { ...strangerRefusal(dependsOn.join(', ')), message: 'Not run: the calls that it waits for did not come' };
  }
}

async function run(state: RunState, scope: AnswerScope, call: PreparedCall, { signal, execute }: OneCall): Promise<ToolResult> {
  const { kit, options } = state;
  const { toolName, callId } = call.read;
  const idempotencyKey = execute ? `${kit.nextExecution()}-${callId}` : undefined;
  const takeBack = execute && idempotencyKey !== undefined ? options.executors?.lend(idempotencyKey, toolName, execute) : undefined;
  try {
    const turn = { ...turnOf(state, scope, kit.system.now()), signal, idempotencyKey };
    const [result] = await runCalls(kit, [{ key: callId, call, dependsOn: [] }], turn);
    return result as ToolResult;
  } finally {
    takeBack?.();
  }
}
