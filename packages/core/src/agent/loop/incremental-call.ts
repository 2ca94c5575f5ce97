/** Owns answering one call of an incremental turn: it waits for its dependencies and a slot, and runs as a separate turn within the shared time limit. */
import type { ToolResult } from '../../engine/call/result.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import type { CallExecutor } from './call-executors.ts';
import type { RecordedAnswer } from './record-result.ts';
import { recordResult } from './record-result.ts';
import type { IncrementalTurn, WaitEnd } from './incremental-turn.ts';
import type { ReadArguments, ReadModelCall } from './model-call.ts';
import type { PreparedCall } from './prepare-call.ts';
import { prepareCall, refusalOf } from './prepare-call.ts';
import type { Refusal } from './refusal.ts';
import { refusedResult } from './refusal.ts';
import { causesOf, failedDependencyRefusal, runCall, unknownDependencyRefusal, turnOf } from './run-calls.ts';
import type { AnswerScope, RunState } from './run-state.ts';
import { openScope } from './run-state.ts';

export interface CallOptions {
  readonly signal: CancelSignal | undefined;
  readonly execute: CallExecutor | undefined;
  /** The arguments as already read by the framework. */
  readonly known: ReadArguments | undefined;
}

export async function answerIncrementally(
  state: RunState,
  incremental: IncrementalTurn,
  read: ReadModelCall,
  options: CallOptions,
): Promise<RecordedAnswer> {
  let call = prepareCall(state, read, options.known);
  let ran = false;
  let result: ToolResult | undefined;
  try {
    const early = call.refusal ?? missingSibling(state, incremental, read) ?? missingExecutors(state, options);
    const waited = early ? undefined : incremental.enter(read.dependsOn, options.signal);
    const end = typeof waited === 'object' ? await waited : waited;
    ran = end === 'ready';
    // While the call waited, the run may have been stopped or the same call may have failed too often.
    if (typeof waited === 'object') call = { ...call, refusal: refusalOf(state, call) };
    const refusal = early ?? (ran ? (failedDependency(incremental, read) ?? call.refusal) : whyNotRun(end, read));
    if (refusal) call = { ...call, refusal };
    const scope = openScope(state, incremental.answer, state.context.system.now());
    result = await run(state, scope, call, options);
    return recordResult(state, scope, call, result);
  } finally {
    incremental.leave(
      read.callId,
      result ?? refusedResult(read.toolName, read.callId, failedDependencyRefusal(read.toolName, [read.callId])),
      ran,
    );
  }
}

function missingSibling({ context }: RunState, incremental: IncrementalTurn, { dependsOn }: ReadModelCall): Refusal | undefined {
  const missing = dependsOn.find((callId) => !incremental.grouping.mayArrive(callId));
  return missing === undefined ? undefined : unknownDependencyRefusal(context.redact(missing));
}

function missingExecutors({ options }: RunState, { execute }: CallOptions): Refusal | undefined {
  if (!execute || options.executors) return undefined;
  return { code: 'INVALID_CALL', message: "'execute' is set, but the run has no 'executors'", advice: 'Continue without it.' };
}

function failedDependency(incremental: IncrementalTurn, { toolName, dependsOn }: ReadModelCall): Refusal | undefined {
  for (const callId of dependsOn) {
    const result = incremental.resultOf(callId);
    if (result && result.status !== 'success') return failedDependencyRefusal(toolName, causesOf(callId, result.error.causedBy));
  }
  return undefined;
}

function whyNotRun(end: WaitEnd | undefined, { dependsOn }: ReadModelCall): Refusal {
  switch (end) {
    case 'deadline':
      return {
        code: 'TURN_DEADLINE',
        message: 'Turn deadline reached before the tool was run',
        advice: 'Continue with the available results, or call it again in a new turn.',
      };
    case 'cancelled':
      return { code: 'CANCELLED', message: 'Cancelled by the caller', advice: 'Do not repeat it unless you are asked to.' };
    default:
      return { ...unknownDependencyRefusal(dependsOn.join(', ')), message: 'Not run: it depends on calls that were not made' };
  }
}

async function run(state: RunState, scope: AnswerScope, call: PreparedCall, { signal, execute }: CallOptions): Promise<ToolResult> {
  const { context, options } = state;
  const { toolName, callId } = call.read;
  const idempotencyKey = execute ? `${context.nextExecution()}-${callId}` : undefined;
  const unregister = execute && idempotencyKey !== undefined ? options.executors?.register(idempotencyKey, toolName, execute) : undefined;
  try {
    return await runCall(context, call, { ...turnOf(state, scope, context.system.now()), signal, idempotencyKey });
  } finally {
    unregister?.();
  }
}
