/**
 * Owns a submitted call and reading it safely: any value is turned into a call that can be run or rejected.
 */
import { checkRule, isPlain, show } from '../../engine/settings/check.ts';
import type { ToolResult } from '../../engine/call/result.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import { copyPolicy } from '../../engine/settings/copy-policy.ts';
import type { CallPolicy } from '../../engine/settings/settings.ts';
import { checkCallPolicy } from '../../engine/settings/validate.ts';
import { suggestField } from '../../engine/plain/suggest.ts';
import type { PlannedCall } from '../../engine/turn/plan.ts';
import { unknownTool } from './options.ts';
import type { ServiceContext } from './service-context.ts';
import type { AnyTool, Tool } from '../../engine/tool/tool.ts';

/** A call of a tool by name. */
export interface ToolCall<Name extends string = string, Arguments = unknown> {
  /** Returned in the result. @default 'call-1', 'call-2' … by position */
  readonly callId?: string | undefined;
  /** Name of the tool to call. */
  readonly toolName: Name;
  /** Checked against the tool's input schema. @default {} */
  readonly arguments?: Arguments;
  /** Settings of this call alone. */
  readonly policy?: CallPolicy | undefined;
  /** The idempotency key that the tool receives. @default unique to this run of the call */
  readonly idempotencyKey?: string | undefined;
}

/** The calls that a list of tools accepts, with the arguments of each tool. */
export type CallOf<Tools extends readonly AnyTool[]> = { [Index in keyof Tools]: CallOfTool<Tools[Index]> }[number];

/** A call of the tool. */
export type CallOfTool<T> = T extends Tool<infer Name, infer Arguments, unknown> ? ToolCall<Name, Arguments> : never;

/** The output of a tool of the list. */
export type OutputOfTool<Tools extends readonly AnyTool[], Name extends string> =
  Extract<Tools[number], { readonly name: Name }> extends Tool<Name, never, infer Output> ? Output : unknown;

/** A call whose tool name is known only at run time. For a literal name, the types of its tool apply. */
export type RunTimeCall<Tools extends readonly AnyTool[], Name extends string> = { readonly toolName: Name } & (string extends Name
  ? ToolCall
  : string extends Tools[number]['name']
    ? ToolCall
    : never);

/** The results of calls, each with the output of its tool. */
export type ResultsOf<Tools extends readonly AnyTool[], Calls extends readonly ToolCall[]> = {
  readonly [Index in keyof Calls]: ToolResult<OutputOfTool<Tools, Calls[Index]['toolName']>>;
};

/** A call as read. `problem`: why it cannot run. */
export interface ReadCall {
  readonly callId: string;
  readonly toolName: string;
  readonly arguments: unknown;
  readonly policy: CallPolicy | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly problem?: string | undefined;
}

const callFields: Readonly<Record<keyof ToolCall, true>> = {
  callId: true,
  toolName: true,
  arguments: true,
  policy: true,
  idempotencyKey: true,
};

const ofPlans: readonly string[] = ['dependsOn', 'optional', 'critical', 'defaults'] satisfies readonly (keyof PlannedCall)[];

/** Tools by name. */
export type KnownTools = Pick<ServiceContext, 'lastingRuntimeOf' | 'toolNames'>;

/** Reads each field once. Never throws, whatever the call is. */
export function readCall(given: unknown, position: number, known?: KnownTools): ReadCall {
  try {
    if (!isPlain(given))
      return rejectedCall(`A call must be an object { toolName, arguments }, got ${show(given)}`, generatedCallId(position));
    const { callId, toolName, arguments: args = {}, policy, idempotencyKey } = given as unknown as ToolCall;
    const own: unknown = callId;
    const id = typeof own === 'number' ? String(own) : typeof own === 'string' && own !== '' ? own : generatedCallId(position);
    const unknown = unknownField(given, id);
    if (unknown !== undefined) return rejectedCall(unknown, id, toolName);
    if (typeof toolName !== 'string') return rejectedCall(`A call must name its tool: 'toolName' is ${typeof toolName}`, id);
    if (idempotencyKey !== undefined && typeof idempotencyKey !== 'string')
      return rejectedCall(`Call '${id}'.idempotencyKey must be a string, got ${typeof idempotencyKey}`, id, toolName);
    const settings = typeof policy === 'object' && policy !== null ? copyPolicy(policy) : policy;
    const problem = settings === undefined ? undefined : policyProblem(settings, id, known);
    return {
      callId: id,
      toolName,
      arguments: args,
      policy: problem === undefined ? settings : undefined,
      idempotencyKey,
      problem,
    };
  } catch (error) {
    return rejectedCall(`The call could not be read: ${describeError(error).message}`, generatedCallId(position));
  }
}

function unknownField(call: object, id: string): string | undefined {
  for (const name in call) {
    if (Object.hasOwn(callFields, name) || !Object.hasOwn(call, name)) continue;
    if (ofPlans.includes(name))
      return `Call '${id}' cannot set '${name}': a single call or a batch has no plan. Use executeTurn({ calls }).`;
    const nearest = suggestField(name, Object.keys(callFields));
    return `Call '${id}' has no field '${name}'. ${nearest ? `Did you mean '${nearest}'?` : `Known: ${Object.keys(callFields).join(', ')}.`}`;
  }
  return undefined;
}

function generatedCallId(position: number): string {
  return `call-${position + 1}`;
}

function rejectedCall(problem: string, callId: string, toolName?: unknown): ReadCall {
  return { callId, toolName: typeof toolName === 'string' ? toolName : '', arguments: {}, policy: undefined, problem };
}

/** Reads every call by itself: one that cannot be read does not affect the others. */
export function readCalls(given: readonly unknown[], known: KnownTools): readonly ReadCall[] {
  // A model that made no calls may have no list of them. Anything else with a length, such as an object from JSON, may name any number of calls.
  if (!Array.isArray(given))
    return given === undefined || given === null
      ? []
      : [rejectedCall(`The calls must be an array, got ${show(given)}`, generatedCallId(0))];
  return Array.from({ length: given.length }, (_, position) => {
    try {
      return readCall(given[position], position, known);
    } catch (error) {
      return rejectedCall(`The call could not be read: ${describeError(error).message}`, generatedCallId(position));
    }
  });
}

function policyProblem(policy: CallPolicy, callId: string, known: KnownTools | undefined): string | undefined {
  try {
    checkCallPolicy(policy, `Call '${callId}'.policy`);
    return known && alternativeProblem(known, policy, `Call '${callId}'`);
  } catch (error) {
    return describeError(error).message;
  }
}

/** Why an alternative of a call cannot be used: no tool has, or had, its name. */
export function alternativeProblem(
  { lastingRuntimeOf, toolNames }: KnownTools,
  policy: CallPolicy | undefined,
  where: string,
): string | undefined {
  const unknown = policy?.alternatives?.find((name) => lastingRuntimeOf(name) === undefined);
  return unknown === undefined ? undefined : unknownTool(unknown, toolNames(), `${where}.policy.alternatives`);
}

/** @throws TypeError | RangeError naming a tool that does not exist and never did. One that was removed may still have metrics. */
export function checkEverKnown({ lastingRuntimeOf, toolNames }: KnownTools, toolName: string, where: string): void {
  checkRule('string', toolName, `${where}: toolName`);
  if (lastingRuntimeOf(toolName) === undefined) throw new RangeError(unknownTool(toolName, toolNames(), where));
}

/** Gives every call a unique key, also when ids repeat: the id itself, or the id with its occurrence. */
export function uniqueKeys(callIds: readonly string[]): readonly string[] {
  const taken = new Set<string>(callIds);
  const seen = new Map<string, number>();
  return callIds.map((callId) => {
    let occurrence = seen.get(callId) ?? 0;
    let key = callId;
    if (occurrence > 0) {
      do key = `${callId}#${++occurrence}`;
      while (taken.has(key));
      taken.add(key);
    }
    seen.set(callId, Math.max(occurrence, 1));
    return key;
  });
}
