/**
 * Owns running prepared calls as one turn: those that were turned down take their dependants with them, the others run as a plan.
 *
 * Invariant: one result per call, in call order. What a model wrote as arguments is never a reference to another call's output.
 */
import type { ToolResult } from '../../engine/call/result.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import { crashFault, failedResult } from '../../runtime/service/single-call.ts';
import type { ServiceContext } from '../../runtime/service/service-context.ts';
import { runTurn } from '../../runtime/service/turn-execution.ts';
import type { TurnSettings } from '../../engine/settings/settings.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';
import type { PlanGraph } from '../../engine/turn/plan.ts';
import { checkPlan } from '../../engine/turn/plan.ts';
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
  /** Of the one call that is run. @default unique to each run of a call */
  readonly idempotencyKey?: string | undefined;
}

/** The settings of a run's turns. */
export function turnSettingsOf({ kit, options }: RunState): TurnSettings {
  return { ...kit.turnSettings, ...withoutUndefined(options.turn ?? {}) };
}

/** A turn that begins now and ends with the time of its answer. */
export function turnOf(state: RunState, { turnId, trace, answer }: AnswerScope, startedAt: number): Omit<TurnOfCalls, 'signal'> {
  const timeoutMs = answer.deadlineAt === undefined ? null : Math.max(answer.deadlineAt - startedAt, 0);
  return { turnId, trace, startedAt, settings: { ...turnSettingsOf(state), timeoutMs } };
}

/** Calls with names that are theirs alone. */
export interface NamedCall {
  /** Unique within the turn. */
  readonly key: string;
  readonly call: PreparedCall;
  readonly dependsOn: readonly string[];
}

export async function runCalls(kit: ServiceContext, calls: readonly NamedCall[], turn: TurnOfCalls): Promise<readonly ToolResult[]> {
  const refusals = findRefusals(kit, calls);
  const runnable = calls.filter(({ key }) => !refusals.has(key));
  const results = await runGraph(kit, runnable, turn);
  let next = 0;
  return calls.map(({ key, call: { read } }) => {
    const refusal = refusals.get(key);
    if (refusal) return refusedResult(read.toolName, read.callId, refusal);
    const result = results[next++];
    return result ? { ...result, callId: read.callId } : failedResult(read, crashFault(new Error('no result'), kit.redact));
  });
}

/** Calls that are not run, for reasons of their own or of what they depend on. */
function findRefusals(kit: ServiceContext, calls: readonly NamedCall[]): ReadonlyMap<string, Refusal> {
  const refusals = new Map<string, Refusal>();
  const known = new Map(calls.map((named) => [named.key, named]));
  for (const { key, call, dependsOn } of calls) {
    const stranger = dependsOn.find((name) => !known.has(name));
    if (call.refusal) refusals.set(key, call.refusal);
    else if (stranger !== undefined) refusals.set(key, strangerRefusal(kit.redact(stranger)));
  }
  const dependants = dependantsOf(calls);
  // A map's keys are walked on to those that are added.
  for (const key of refusals.keys()) {
    for (const { key: lost, call } of dependants.get(key) ?? [])
      if (!refusals.has(lost)) refusals.set(lost, lostRefusal(call.read.toolName, causesOf(key, refusals.get(key)?.causedBy)));
  }
  return refusals;
}

function dependantsOf(calls: readonly NamedCall[]): ReadonlyMap<string, readonly NamedCall[]> {
  const dependants = new Map<string, NamedCall[]>();
  for (const call of calls) for (const name of call.dependsOn) push(dependants, name, call);
  return dependants;
}

function push<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** Of a long chain the nearest are named, and the first cause. */
const NAMED_CAUSES = 8;

/** The chain of a call that is lost with `callId`: the nearest first. */
export function causesOf(callId: string, causedBy: readonly string[] = []): readonly string[] {
  const causes = [callId, ...causedBy];
  return causes.length <= NAMED_CAUSES ? causes : [...causes.slice(0, NAMED_CAUSES - 1), ...causes.slice(-1)];
}

export function strangerRefusal(name: string): Refusal {
  return {
    code: 'DEPENDENCY_FAILED',
    message: `Not run: it depends on '${name.slice(0, 100)}', which is not among the calls of this answer`,
    advice: 'Make both calls in one answer, or leave the dependency out.',
    causedBy: [name],
  };
}

export function lostRefusal(toolName: string, causedBy: readonly string[]): Refusal {
  return {
    code: 'DEPENDENCY_FAILED',
    message: `Not run: ${causedBy.map((name) => name.slice(0, 100)).join(' ← ')} failed`,
    advice: `Get what ${toolName} depends on first.`,
    causedBy,
  };
}

async function runGraph(kit: ServiceContext, calls: readonly NamedCall[], turn: TurnOfCalls): Promise<readonly ToolResult[]> {
  const graph = graphOf(calls, turn.idempotencyKey);
  if (graph === undefined) {
    const refusal: Refusal = {
      code: 'DEPENDENCY_FAILED',
      message: 'Not run: these calls wait for each other',
      advice: 'Make the calls again without the circle in their dependencies.',
    };
    return calls.map(({ call: { read } }) => refusedResult(read.toolName, read.callId, refusal));
  }
  const callIds = new Map(calls.map(({ key, call }) => [key, call.read.callId]));
  const { results } = await runTurn(kit, { ...turn, graph, callIds });
  return results;
}

/** `undefined` for calls that wait for each other. */
function graphOf(calls: readonly NamedCall[], idempotencyKey: string | undefined): PlanGraph | undefined {
  const checked = checkPlan(
    calls.map(({ key, call: { read }, dependsOn }) => ({ callId: key, toolName: read.toolName, dependsOn, idempotencyKey })),
  );
  if (!checked.ok) return undefined;
  const args = new Map(calls.map(({ key, call }) => [key, call.arguments]));
  const { nodes, submitted } = checked.graph;
  return { submitted, nodes: nodes.map((node) => ({ ...node, call: { ...node.call, arguments: args.get(node.callId) } })) };
}
