/**
 * Owns running prepared calls as one turn: the dependents of refused calls are refused too, the others run as a plan.
 *
 * Invariant: one result per call, in call order. Arguments from a model are never references to another call's output.
 */
import type { ToolResult } from '../../engine/call/result.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import { crashFault, failedResult } from '../../runtime/service/single-call.ts';
import type { ServiceContext } from '../../runtime/service/service-context.ts';
import { runTurn } from '../../runtime/service/turn-execution.ts';
import type { TurnSettings } from '../../engine/settings/settings.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';
import type { PlanGraph } from '../../engine/turn/plan.ts';
import { checkPlan, independentGraph } from '../../engine/turn/plan.ts';
import type { PreparedCall } from './prepare-call.ts';
import type { Refusal } from './refusal.ts';
import { refusedResult } from './refusal.ts';
import type { AnswerScope, RunState } from './run-state.ts';
import { withoutUndefined } from '../../engine/plain/without-undefined.ts';

export interface TurnOfCalls {
  readonly turnId: string;
  readonly trace: Trace;
  readonly settings: TurnSettings;
  readonly signal: CancelSignal | undefined;
  /** Monotonic. */
  readonly startedAt: number;
  /** Key of the only call. @default unique to each run of a call */
  readonly idempotencyKey?: string | undefined;
}

/** Returns the settings for the turns of a run. */
export function turnSettingsOf({ context, options }: RunState): TurnSettings {
  return options.turn ? { ...context.turnSettings, ...withoutUndefined(options.turn) } : context.turnSettings;
}

/** Returns a turn that begins now and ends at the deadline of its answer. */
export function turnOf(state: RunState, { turnId, trace, answer }: AnswerScope, startedAt: number): Omit<TurnOfCalls, 'signal'> {
  const timeoutMs = answer.deadlineAt === undefined ? null : Math.max(answer.deadlineAt - startedAt, 0);
  const settings = turnSettingsOf(state);
  return { turnId, trace, startedAt, settings: settings.timeoutMs === timeoutMs ? settings : { ...settings, timeoutMs } };
}

/** A call with a unique key. */
export interface KeyedCall {
  /** Unique within the turn. */
  readonly key: string;
  readonly call: PreparedCall;
  readonly dependsOn: readonly string[];
}

/** Runs one call whose dependencies have results. */
export async function runCall(context: ServiceContext, call: PreparedCall, turn: TurnOfCalls): Promise<ToolResult> {
  const { toolName, callId } = call.read;
  const key = callId;
  if (call.refusal) return (await runCalls(context, [{ key, call, dependsOn: [] }], turn))[0] as ToolResult;
  const planned = { callId, toolName, dependsOn: none, idempotencyKey: turn.idempotencyKey, arguments: call.arguments };
  const { results } = await runTurn(context, { ...turn, graph: independentGraph([planned], [key]) });
  return results[0] ?? failedResult(call.read, crashFault(new Error('no result'), context.redact));
}

const none: readonly never[] = [];

export async function runCalls(context: ServiceContext, calls: readonly KeyedCall[], turn: TurnOfCalls): Promise<readonly ToolResult[]> {
  const refusals = findRefusals(context, calls);
  const runnable = refusals.size === 0 ? calls : calls.filter(({ key }) => !refusals.has(key));
  const results = await runGraph(context, runnable, turn);
  let next = 0;
  return calls.map(({ key, call: { read } }) => {
    const refusal = refusals.get(key);
    if (refusal) return refusedResult(read.toolName, read.callId, refusal);
    const result = results[next++];
    if (result?.callId === read.callId) return result;
    return result ? { ...result, callId: read.callId } : failedResult(read, crashFault(new Error('no result'), context.redact));
  });
}

/** The calls that are not run because they or their dependencies are refused. */
function findRefusals(context: ServiceContext, calls: readonly KeyedCall[]): ReadonlyMap<string, Refusal> {
  const refusals = new Map<string, Refusal>();
  if (calls.every(({ call, dependsOn }) => call.refusal === undefined && dependsOn.length === 0)) return refusals;
  const known = new Map(calls.map((call) => [call.key, call]));
  for (const { key, call, dependsOn } of calls) {
    const unknownName = dependsOn.find((name) => !known.has(name));
    if (call.refusal) refusals.set(key, call.refusal);
    else if (unknownName !== undefined) refusals.set(key, unknownDependencyRefusal(context.redact(unknownName)));
  }
  const dependents = dependentsOf(calls);
  // Iterating the keys of a map includes those added meanwhile.
  for (const key of refusals.keys()) {
    for (const { key: dependent, call } of dependents.get(key) ?? [])
      if (!refusals.has(dependent))
        refusals.set(dependent, failedDependencyRefusal(call.read.toolName, causesOf(key, refusals.get(key)?.causedBy)));
  }
  return refusals;
}

function dependentsOf(calls: readonly KeyedCall[]): ReadonlyMap<string, readonly KeyedCall[]> {
  const dependents = new Map<string, KeyedCall[]>();
  for (const call of calls) for (const name of call.dependsOn) push(dependents, name, call);
  return dependents;
}

function push<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** Longer chains are shortened to the nearest causes and the root cause. */
const MAX_CAUSES = 8;

/** Returns the causes of a call that fails because of `callId`, nearest first. */
export function causesOf(callId: string, causedBy: readonly string[] = []): readonly string[] {
  const causes = [callId, ...causedBy];
  return causes.length <= MAX_CAUSES ? causes : [...causes.slice(0, MAX_CAUSES - 1), ...causes.slice(-1)];
}

export function unknownDependencyRefusal(name: string): Refusal {
  return {
    code: 'DEPENDENCY_FAILED',
    message: `Not run: it depends on '${name.slice(0, 100)}', which is not among the calls of this answer`,
    advice: 'Make both calls in one answer, or leave the dependency out.',
    causedBy: [name],
  };
}

export function failedDependencyRefusal(toolName: string, causedBy: readonly string[]): Refusal {
  return {
    code: 'DEPENDENCY_FAILED',
    message: `Not run: ${causedBy.map((name) => name.slice(0, 100)).join(' ← ')} failed`,
    advice: `Get what ${toolName} depends on first.`,
    causedBy,
  };
}

async function runGraph(context: ServiceContext, calls: readonly KeyedCall[], turn: TurnOfCalls): Promise<readonly ToolResult[]> {
  const graph = graphOf(calls, turn.idempotencyKey);
  if (graph === undefined) {
    const refusal: Refusal = {
      code: 'DEPENDENCY_FAILED',
      message: 'Not run: these calls depend on each other',
      advice: 'Make the calls again without circular dependencies.',
    };
    return calls.map(({ call: { read } }) => refusedResult(read.toolName, read.callId, refusal));
  }
  const differ = calls.some(({ key, call }) => key !== call.read.callId);
  const callIds = differ ? new Map(calls.map(({ key, call }) => [key, call.read.callId])) : undefined;
  const { results } = await runTurn(context, { ...turn, graph, ...(callIds ? { callIds } : {}) });
  return results;
}

/** Returns `undefined` for calls with circular dependencies. */
function graphOf(calls: readonly KeyedCall[], idempotencyKey: string | undefined): PlanGraph | undefined {
  const planned = calls.map(({ key, call: { read }, dependsOn }) => ({ callId: key, toolName: read.toolName, dependsOn, idempotencyKey }));
  if (planned.every(({ dependsOn }) => dependsOn.length === 0))
    return independentGraph(
      planned.map((call, index) => ({ ...call, arguments: calls[index]?.call.arguments })),
      calls.map(({ key }) => key),
    );
  const checked = checkPlan(planned);
  if (!checked.ok) return undefined;
  const args = new Map(calls.map(({ key, call }) => [key, call.arguments]));
  const { nodes, submitted } = checked.graph;
  return { submitted, nodes: nodes.map((node) => ({ ...node, call: { ...node.call, arguments: args.get(node.callId) } })) };
}
