/**
 * Owns plans: the calls of a turn, and the checked graph built from them. Does not own when calls run (`schedule.ts`).
 *
 * Invariants
 * 1. A graph has no cycle, no unknown dependency and no two calls with the same id; a plan with any of these is refused as a whole, before anything runs.
 * 2. The order of a graph is canonical: depth, then id. It does not depend on the order in which calls were submitted.
 */
import type { CallPolicy, TurnSettings } from '../settings/settings.ts';
import { describeError } from '../classify/describe-error.ts';
import { copyPolicy } from '../settings/copy-policy.ts';
import { checkCallPolicy } from '../settings/validate.ts';
import { checkNames, checkRule, listOf, show, type Fields, type Rule } from '../settings/check.ts';
import { isRecord } from '../plain/is-object.ts';
import { suggest, suggestField } from '../plain/suggest.ts';
import { findReferences } from './references.ts';

/** One call of a plan. */
export interface PlannedCall {
  /** @default 'call-1', 'call-2' … by position */
  readonly callId?: string | undefined;
  /** Name of the tool to call. */
  readonly toolName: string;
  /** May contain references to other calls' outputs, see `ref`. @default {} */
  readonly arguments?: unknown;
  /** Further calls to wait for; those that `arguments` refers to are included automatically. */
  readonly dependsOn?: readonly string[] | undefined;
  /** Skipped when a dependency has failed; its own failure does not fail the turn. @default false */
  readonly optional?: boolean | undefined;
  /** Losing it escalates the whole turn. @default false */
  readonly critical?: boolean | undefined;
  /** Defaults by dependency: each is used as the output of that call when it has failed (docs/specification.md#s1-5-3). */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
  /** Settings of this call alone. */
  readonly policy?: CallPolicy | undefined;
  /** The idempotency key that the tool receives. @default unique to this run of the call */
  readonly idempotencyKey?: string | undefined;
}

/** A turn: calls, and their shared settings. */
export interface TurnPlan extends Partial<TurnSettings> {
  /** @default derived from the seed */
  readonly turnId?: string | undefined;
  /** The calls, in the order of their results. */
  readonly calls: readonly PlannedCall[];
}

/** A call in the graph. */
export interface PlanNode {
  /** Unique in the graph. */
  readonly callId: string;
  /** The call as planned. */
  readonly call: PlannedCall;
  /** Ids of the calls that it waits for, those in references included. */
  readonly dependsOn: readonly string[];
  /** Ids of the calls that wait for it. */
  readonly dependants: readonly string[];
  /** Length of the longest chain of calls before it; 0 when it waits for none. */
  readonly depth: number;
  /** Whether the arguments refer to other calls' outputs. */
  readonly refers: boolean;
}

/** A checked plan: its dependencies are known and form no cycle. */
export interface PlanGraph {
  /** In canonical order. */
  readonly nodes: readonly PlanNode[];
  /** The ids in the order in which the calls were submitted: the order of results. */
  readonly submitted: readonly string[];
}

/** A problem of a plan: which call, which field, and the fix. */
export interface PlanProblem {
  /** Id of the call; for a cycle, one of its calls. */
  readonly callId: string;
  /** The field to correct, such as `dependsOn`; `call` for a call that is not an object or has an unknown field. */
  readonly field: string;
  /** What is wrong, and the fix. */
  readonly message: string;
}

/** The graph of a plan, or all of its problems. */
export type CheckedPlan =
  | { readonly ok: true; readonly graph: PlanGraph }
  | { readonly ok: false; readonly problems: readonly PlanProblem[] };

interface Draft {
  readonly callId: string;
  readonly call: PlannedCall;
  readonly dependsOn: readonly string[];
  readonly dependants: string[];
  depth: number;
  readonly refers: boolean;
}

/** Returns the graph of a plan, or all of its problems. */
export function checkPlan(calls: readonly PlannedCall[]): CheckedPlan {
  const drafts = new Map<string, Draft>();
  const problems: PlanProblem[] = [];
  if (!Array.isArray(calls))
    return { ok: false, problems: [{ callId: '', field: 'calls', message: `The calls must be an array, got ${show(calls)}.` }] };
  for (const [index, submitted] of (calls as readonly PlannedCall[]).entries()) {
    const call = isRecord(submitted) ? copyCall(submitted as PlannedCall) : unreadable;
    const { callId: given } = call;
    const callId = typeof given === 'string' && given !== '' ? given : `call-${index + 1}`;
    if (given !== undefined && given !== callId)
      problems.push({
        callId,
        field: 'callId',
        message: `The callId of call ${index + 1} is not a string. Give it a name, or leave it out.`,
      });
    const unknown = problemWith(() => checkNames(plannedFields, submitted, `Call '${callId}'`, suggestField));
    if (unknown !== undefined) problems.push({ callId, field: 'call', message: unknown });
    else if (typeof call.toolName !== 'string' || call.toolName === '')
      problems.push({ callId, field: 'toolName', message: `Call '${callId}' has no tool name. Set toolName.` });
    checkFieldsOf(call, callId, problems);
    if (drafts.has(callId)) problems.push({ callId, field: 'callId', message: `Two calls have the id '${callId}'. Give each its own.` });
    else drafts.set(callId, draftOf(callId, call));
  }
  for (const draft of drafts.values()) problems.push(...linkDependencies(draft, drafts));
  const cycle = problems.length === 0 ? assignDepths(drafts) : undefined;
  if (cycle)
    problems.push({
      callId: cycle[0] ?? '',
      field: 'dependsOn',
      message: `Calls depend on each other in a cycle: ${describeCycle(cycle)}. Break the cycle.`,
    });
  return problems.length > 0 ? { ok: false, problems } : { ok: true, graph: toGraph(drafts) };
}

/** Each field is read once: later changes to the caller's objects have no effect. Arguments are passed on unchanged. */
function copyCall({
  callId,
  toolName,
  arguments: args,
  dependsOn,
  optional,
  critical,
  defaults,
  policy,
  idempotencyKey,
}: PlannedCall): PlannedCall {
  return {
    callId,
    toolName,
    arguments: args,
    dependsOn: Array.isArray(dependsOn) ? [...(dependsOn as readonly string[])] : dependsOn,
    optional,
    critical,
    defaults: isRecord(defaults) ? { ...defaults } : defaults,
    policy: typeof policy === 'object' && policy !== null ? copyPolicy(policy) : policy,
    idempotencyKey,
  };
}

function draftOf(callId: string, call: PlannedCall): Draft {
  const references = findReferences(call.arguments);
  const declared = Array.isArray(call.dependsOn) ? call.dependsOn.filter((id) => typeof id === 'string') : [];
  const dependsOn = [...new Set([...declared, ...references.map(({ from }) => from)])];
  return { callId, call, dependsOn, dependants: [], depth: 0, refers: references.length > 0 };
}

const none: readonly never[] = [];

/**
 * The graph of independent calls; their arguments are passed on unchanged, including references. `callIds` are their ids, in their
 * order, and unique.
 */
export function independentGraph(calls: readonly PlannedCall[], callIds: readonly string[]): PlanGraph {
  const nodes = calls.map((call, index): PlanNode => ({
    callId: callIds[index] ?? '',
    call,
    dependsOn: none,
    dependants: none,
    depth: 0,
    refers: false,
  }));
  return { nodes: nodes.toSorted(inCanonicalOrder), submitted: callIds };
}

const unchecked: Rule = () => undefined;

/** The callId, the toolName and the arguments have checks of their own. */
const plannedFields: Fields = {
  callId: unchecked,
  toolName: unchecked,
  arguments: unchecked,
  dependsOn: listOf('string', 'an array of call ids'),
  optional: 'boolean',
  critical: 'boolean',
  defaults: 'object',
  policy: (value, field) => checkCallPolicy(value as CallPolicy, field),
  idempotencyKey: 'string',
} satisfies Record<keyof PlannedCall, Rule>;

const unreadable: PlannedCall = Object.freeze({ toolName: '' });

const checkedFields = Object.entries(plannedFields).filter(([, rule]) => rule !== unchecked) as [keyof PlannedCall, Rule][];

/** Part of every turn: costs nothing for the fields that a call does not have. */
function checkFieldsOf(call: PlannedCall, callId: string, problems: PlanProblem[]): void {
  for (const [field, rule] of checkedFields) {
    const value = call[field];
    if (value === undefined) continue;
    const message = problemWith(() => checkRule(rule, value, `Call '${callId}'.${field}`, suggestField));
    if (message !== undefined) problems.push({ callId, field, message });
  }
}

function problemWith(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return describeError(error).message;
  }
}

function linkDependencies(draft: Draft, drafts: ReadonlyMap<string, Draft>): readonly PlanProblem[] {
  const problems: PlanProblem[] = [];
  for (const dependency of draft.dependsOn) {
    const found = drafts.get(dependency);
    if (found) found.dependants.push(draft.callId);
    else {
      const nearest = suggest(dependency, [...drafts.keys()]);
      const field = draft.call.dependsOn?.includes(dependency) ? 'dependsOn' : 'arguments';
      problems.push({
        callId: draft.callId,
        field,
        message: `Call '${draft.callId}' depends on '${dependency}', which is not in the plan.${nearest ? ` Did you mean '${nearest}'?` : ''}`,
      });
    }
  }
  for (const name of isRecord(draft.call.defaults) ? Object.keys(draft.call.defaults) : []) {
    if (draft.dependsOn.includes(name)) continue;
    problems.push({
      callId: draft.callId,
      field: 'defaults',
      message: `Call '${draft.callId}' has a default for '${name}', on which it does not depend.`,
    });
  }
  return problems;
}

/** Sets every depth; returns a cycle, first id repeated at the end, if there is one. */
function assignDepths(drafts: ReadonlyMap<string, Draft>): readonly string[] | undefined {
  const open = new Map([...drafts.values()].map((draft) => [draft.callId, draft.dependsOn.length]));
  const ready = [...drafts.values()].filter((draft) => draft.dependsOn.length === 0);
  for (const draft of ready) {
    open.delete(draft.callId);
    for (const name of draft.dependants) {
      const dependant = drafts.get(name);
      if (!dependant) continue;
      dependant.depth = Math.max(dependant.depth, draft.depth + 1);
      const left = (open.get(name) ?? 0) - 1;
      open.set(name, left);
      if (left === 0) ready.push(dependant);
    }
  }
  return open.size === 0 ? undefined : findCycle([...open.keys()].toSorted()[0] ?? '', drafts, open);
}

/** Long cycles are shortened to their beginning and end. */
function describeCycle(cycle: readonly string[]): string {
  const shown = cycle.length > 20 ? [...cycle.slice(0, 10), `… ${cycle.length - 12} more …`, ...cycle.slice(-2)] : cycle;
  return shown.join(' → ');
}

/** Every call left over waits for another one left over, so following them leads into a cycle. */
function findCycle(start: string, drafts: ReadonlyMap<string, Draft>, open: ReadonlyMap<string, number>): readonly string[] {
  const path = new Set<string>();
  let current: string | undefined = start;
  while (current !== undefined && !path.has(current)) {
    path.add(current);
    current = drafts.get(current)?.dependsOn.find((name) => open.has(name));
  }
  const ids = [...path];
  return current === undefined ? ids : [...ids.slice(ids.indexOf(current)), current];
}

function toGraph(drafts: ReadonlyMap<string, Draft>): PlanGraph {
  const nodes = [...drafts.values()].toSorted(inCanonicalOrder);
  const position = new Map(nodes.map(({ callId }, index) => [callId, index]));
  for (const { dependants } of nodes) dependants.sort((a, b) => (position.get(a) ?? 0) - (position.get(b) ?? 0));
  return { nodes, submitted: [...drafts.keys()] };
}

function inCanonicalOrder(a: PlanNode, b: PlanNode): number {
  return a.depth - b.depth || (a.callId < b.callId ? -1 : 1);
}
