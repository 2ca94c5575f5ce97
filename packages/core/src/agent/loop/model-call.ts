/**
 * Owns a call as a model made it, and reading it safely: whatever it is, what comes out can be run or turned down.
 */
import { describeError } from '../../engine/classify/describe-error.ts';
import { callSafely } from '../../runtime/service/call-safely.ts';
import type { Effect } from '../../engine/recover/decision.ts';
import type { JsonSchema } from '../../engine/schema/standard-schema.ts';
import type { RetryPolicyLayer } from '../session/retry-policy.ts';
import { checkRetryPolicy } from '../session/retry-policy.ts';

/** One call as a model made it. */
export interface ModelCall {
  /** Name of the tool that was called. */
  readonly toolName: string;
  /** Id of the call, as the model gave it. An empty one becomes `call-1`, `call-2` … by position. */
  readonly callId: string;
  /** An object, or JSON text as the model wrote it. */
  readonly arguments: unknown;
  /** The answer was cut off in it: it is never executed. @default false */
  readonly truncated?: boolean | undefined;
  /** Ids of other calls of the same answer that it waits for. @default [] */
  readonly dependsOn?: readonly string[] | undefined;
  /** The policy of this call alone, over its tool's and the run's (docs/specification.md#s2-policy). */
  readonly validationRetries?: RetryPolicyLayer | undefined;
}

/** What a reader of arguments is told. */
export interface ArgumentRequest {
  /** The arguments as the model sent them: JSON text, a parsed value, or nothing. */
  readonly raw: unknown;
  /** Name of the tool that was called. */
  readonly toolName: string;
  /** `undefined` for a tool without one, or with a schema that is no JSON Schema. */
  readonly schema: JsonSchema | undefined;
  /** What the tool does to the world, for readers that repair less where a wrong call does harm; `undefined` when it is not known. */
  readonly effect: Effect | undefined;
  /** Whether the model's answer was cut off in these arguments. */
  readonly truncated: boolean;
}

/**
 * What a reader made of the arguments: the value with one sentence for each repair, or a message for the model that says why they cannot be read.
 */
export type ReadArguments =
  | { readonly ok: true; readonly value: unknown; readonly repairs: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly truncated?: boolean };

/** Reads what a model sent as arguments. @default strict JSON */
export type ArgumentReader = (request: ArgumentRequest) => ReadArguments;

/** Takes objects as they are, and texts as strict JSON; an empty text stands for no arguments. */
export const readStrictJson: ArgumentReader = ({ raw, truncated }) => {
  if (raw === undefined || raw === null) return { ok: true, value: {}, repairs: [] };
  if (typeof raw !== 'string') return { ok: true, value: raw, repairs: [] };
  if (raw.trim() === '') return { ok: true, value: {}, repairs: [] };
  try {
    return { ok: true, value: JSON.parse(raw), repairs: [] };
  } catch (error) {
    return { ok: false, message: `The arguments are no valid JSON: ${describeError(error).message}`, truncated };
  }
};

/** A call that was read. `problem` says why it cannot be run. */
export interface ReadModelCall {
  readonly toolName: string;
  readonly callId: string;
  readonly raw: unknown;
  readonly truncated: boolean;
  readonly dependsOn: readonly string[];
  readonly validationRetries: RetryPolicyLayer | undefined;
  readonly problem: string | undefined;
}

export function readModelCall(given: unknown, position: number): ReadModelCall {
  const unnamed = `call-${position + 1}`;
  try {
    if (typeof given !== 'object' || given === null)
      return rejected(unnamed, '', `A call must be an object, got ${given === null ? 'null' : typeof given}`);
    const { toolName, callId, arguments: raw, truncated, dependsOn, validationRetries } = given as ModelCall;
    const id = typeof callId === 'string' && callId !== '' ? callId : unnamed;
    if (typeof toolName !== 'string' || toolName === '') return rejected(id, '', 'The call names no tool');
    const read = {
      toolName,
      callId: id,
      raw,
      truncated: truncated === true,
      dependsOn: Array.isArray(dependsOn) ? [...new Set(dependsOn.filter((name) => typeof name === 'string'))] : [],
    };
    const policy = readPolicy(validationRetries);
    return { ...read, validationRetries: policy.ok ? policy.value : undefined, problem: policy.ok ? undefined : policy.problem };
  } catch (error) {
    return rejected(unnamed, '', `The call could not be read: ${describeError(error).message}`);
  }
}

/** The id that a model gave a call, if it did. */
export function givenId(call: unknown): string | undefined {
  try {
    const callId: unknown = typeof call === 'object' && call !== null ? (call as ModelCall).callId : undefined;
    return typeof callId === 'string' && callId !== '' ? callId : undefined;
  } catch {
    return undefined;
  }
}

type ReadPolicy = { readonly ok: true; readonly value: RetryPolicyLayer | undefined } | { readonly ok: false; readonly problem: string };

function readPolicy(given: RetryPolicyLayer | undefined): ReadPolicy {
  try {
    if (given === undefined) return { ok: true, value: undefined };
    checkRetryPolicy(given, 'The call: validationRetries');
    return { ok: true, value: { ...given } };
  } catch (error) {
    return { ok: false, problem: describeError(error).message };
  }
}

function rejected(callId: string, toolName: string, problem: string): ReadModelCall {
  return { toolName, callId, raw: undefined, truncated: false, dependsOn: [], validationRetries: undefined, problem };
}

/** What a reader of the user's own made of the arguments, whatever it did. */
export function readWith(reader: ArgumentReader, request: ArgumentRequest): ReadArguments {
  try {
    const read: unknown = reader(request);
    if (typeof read !== 'object' || read === null) return { ok: false, message: 'The arguments could not be read' };
    callSafely(() => read, ignore);
    const { ok, value, repairs, message, truncated } = read as Readonly<Record<string, unknown>>;
    if (ok === true) return { ok, value, repairs: Array.isArray(repairs) ? repairs.map(String) : [] };
    return { ok: false, message: typeof message === 'string' ? message : 'The arguments could not be read', truncated: truncated === true };
  } catch (error) {
    return { ok: false, message: `The arguments could not be read: ${describeError(error).message}` };
  }
}

/** A reader that answers later has not answered, and its failure is nobody's. */
function ignore(): void {
  // Nobody waits for it.
}
