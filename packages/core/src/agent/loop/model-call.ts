/**
 * Owns a call as a model made it, and reading it safely: any value becomes a call that can be run or refused.
 */
import { checkRule } from '../../engine/settings/check.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import { suggestField } from '../../engine/plain/suggest.ts';
import { repeatsName } from '../../engine/plain/repeats-name.ts';
import { callSafely } from '../../engine/plain/call-safely.ts';
import type { Effect } from '../../engine/recover/decision.ts';
import type { JsonSchema } from '../../engine/schema/standard-schema.ts';
import type { RetryPolicyLayer } from '../../engine/settings/validation-retries.ts';
import { checkRetryPolicy } from '../../engine/settings/validation-retries.ts';

/** One call as a model made it. */
export interface ModelCall {
  /** Name of the tool that was called. */
  readonly toolName: string;
  /** Id of the call from the model. An empty one becomes `call-1`, `call-2` … by position. */
  readonly callId: string;
  /** An object, or JSON text as the model wrote it. */
  readonly arguments: unknown;
  /** The answer was cut off within the call, so it is never executed. @default false */
  readonly truncated?: boolean | undefined;
  /** Ids of calls of the same answer that it depends on. @default [] */
  readonly dependsOn?: readonly string[] | undefined;
  /** Policy of this call; overrides those of its tool and of the run (docs/specification.md#s2-policy). */
  readonly validationRetries?: RetryPolicyLayer | undefined;
}

/** The request to a reader of arguments. */
export interface ArgumentRequest {
  /** The arguments as the model sent them: JSON text, a parsed value, or nothing. */
  readonly raw: unknown;
  /** Name of the tool that was called. */
  readonly toolName: string;
  /** Schema of the arguments; `undefined` for a tool without one or with a schema that is not a JSON Schema. */
  readonly schema: JsonSchema | undefined;
  /** Effect of the tool, for readers that repair less when a wrong call is harmful; `undefined` when it is not known. */
  readonly effect: Effect | undefined;
  /** Whether the model's answer was cut off in these arguments. */
  readonly truncated: boolean;
}

/**
 * Result of a reader of arguments: the value with one sentence per repair, or a message for the model with the reason why they cannot be read, or, with `mismatch`, why
 * arguments that can be read do not match the schema.
 */
export type ReadArguments =
  | { readonly ok: true; readonly value: unknown; readonly repairs: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly truncated?: boolean; readonly mismatch?: boolean };

/** Reads the arguments that a model sent. @default strict JSON */
export type ArgumentReader = (request: ArgumentRequest) => ReadArguments;

/** Whether JavaScript would round an integer of the text, such as an id of 20 digits. */
function hasRoundedInteger(text: string): boolean {
  const integers = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').match(/(?<![.\d])\d{16,}(?![.\deE])/g) ?? [];
  return integers.some((digits) => digits.length > 300 || BigInt(Number(digits)) !== BigInt(digits));
}

/** Accepts objects unchanged and parses strings as strict JSON without repeated names and without integers that would be rounded; an empty string means no arguments. */
export const readStrictJson: ArgumentReader = (request) => {
  checkRule('object', request, 'readStrictJson: request');
  const { raw, truncated } = request;
  if (raw === undefined || raw === null) return { ok: true, value: {}, repairs: [] };
  if (typeof raw !== 'string') return { ok: true, value: raw, repairs: [] };
  if (raw.trim() === '') return { ok: true, value: {}, repairs: [] };
  try {
    const value: unknown = JSON.parse(raw);
    if (repeatsName(raw, value)) return { ok: false, message: 'The arguments contain a name twice in one object', truncated };
    if (hasRoundedInteger(raw))
      return { ok: false, message: 'The arguments contain an integer too large for a number. Write it as a string', truncated };
    return { ok: true, value, repairs: [] };
  } catch (error) {
    return { ok: false, message: `The arguments are not valid JSON: ${describeError(error).message}`, truncated };
  }
};

/** A call that was read. `problem`: why it cannot be run. */
export interface ReadModelCall {
  readonly toolName: string;
  readonly callId: string;
  readonly raw: unknown;
  readonly truncated: boolean;
  readonly dependsOn: readonly string[];
  readonly validationRetries: RetryPolicyLayer | undefined;
  readonly problem: string | undefined;
}

/** The id of a call that has none. */
export const unnamed = (position: number): string => `call-${position + 1}`;

export function readModelCall(value: unknown, position: number): ReadModelCall {
  try {
    if (typeof value !== 'object' || value === null)
      return rejectedCall(unnamed(position), '', `A call must be an object, got ${value === null ? 'null' : typeof value}`);
    const { toolName, callId, arguments: raw, truncated, dependsOn, validationRetries } = value as ModelCall;
    const id = typeof callId === 'string' && callId !== '' ? callId : unnamed(position);
    if (typeof toolName !== 'string' || toolName === '')
      return rejectedCall(id, '', `The call does not name a tool${misnamed(value, 'toolName', ': ')}`);
    const lost = raw === undefined ? misnamed(value, 'arguments', 'The arguments are lost: ') : '';
    if (lost !== '') return rejectedCall(id, toolName, lost);
    const policy = validationRetries === undefined ? undefined : readPolicy(validationRetries);
    return {
      toolName,
      callId: id,
      raw,
      truncated: truncated === true,
      dependsOn: Array.isArray(dependsOn) ? [...new Set(dependsOn.filter((name) => typeof name === 'string'))] : [],
      validationRetries: policy?.ok ? policy.value : undefined,
      problem: policy?.ok === false ? policy.problem : undefined,
    };
  } catch (error) {
    return rejectedCall(unnamed(position), '', `The call could not be read: ${describeError(error).message}`);
  }
}

/** A field under the name that a provider gives it would be lost without a word. */
function misnamed(call: object, field: keyof ModelCall, start: string): string {
  const name = Object.keys(call).find((key) => suggestField(key, [field]) === field);
  return name === undefined ? '' : `${start}rename '${name}' to '${field}'`;
}

/** Returns the id that a model set for a call; `undefined` when it set none. */
export function callIdOf(call: unknown): string | undefined {
  try {
    const callId: unknown = typeof call === 'object' && call !== null ? (call as ModelCall).callId : undefined;
    return typeof callId === 'string' && callId !== '' ? callId : undefined;
  } catch {
    return undefined;
  }
}

type ReadPolicy = { readonly ok: true; readonly value: RetryPolicyLayer } | { readonly ok: false; readonly problem: string };

function readPolicy(value: RetryPolicyLayer): ReadPolicy {
  try {
    checkRetryPolicy(value, 'The call: validationRetries');
    return { ok: true, value: { ...value } };
  } catch (error) {
    return { ok: false, problem: describeError(error).message };
  }
}

export function rejectedCall(callId: string, toolName: string, problem: string): ReadModelCall {
  return { toolName, callId, raw: undefined, truncated: false, dependsOn: [], validationRetries: undefined, problem };
}

/** Reads arguments with a custom reader, which may throw or return anything. */
export function readWith(reader: ArgumentReader, request: ArgumentRequest): ReadArguments {
  try {
    const read: unknown = reader(request);
    if (typeof read !== 'object' || read === null) return { ok: false, message: 'The arguments could not be read' };
    callSafely(() => read, ignore);
    const { ok, value, repairs, message, truncated, mismatch } = read as Readonly<Record<string, unknown>>;
    if (ok === true) return { ok, value, repairs: Array.isArray(repairs) ? repairs.map(String) : [] };
    const why = typeof message === 'string' ? message : 'The arguments could not be read';
    return { ok: false, message: why, truncated: truncated === true, mismatch: mismatch === true };
  } catch (error) {
    return { ok: false, message: `The arguments could not be read: ${describeError(error).message}` };
  }
}

function ignore(): void {
  // A reader has to be synchronous: the rejection of a promise that it returned is ignored.
}
