/** Owns the steps before a tool runs: the arguments of a call are read, and the call is accepted or refused. */
import { unknownToolFault } from '../../engine/call/fault.ts';
import { isStandardSchema } from '../../engine/schema/standard-schema.ts';
import type { JsonSchema } from '../../engine/schema/standard-schema.ts';
import { plainCopy } from '../session/plain.ts';
import { availabilityOf } from './advertise.ts';
import { CallKeys } from './canonical.ts';
import type { ReadArguments, ReadModelCall } from './model-call.ts';
import { readWith } from './model-call.ts';
import type { Refusal } from './refusal.ts';
import type { RunState } from './run-state.ts';

export interface PreparedCall {
  readonly read: ReadModelCall;
  /** The arguments to execute; the tool may change them. */
  readonly arguments: unknown;
  /** A copy for records, which the tool cannot change. */
  readonly recordedArguments: unknown;
  readonly repairs: readonly string[];
  readonly keys: CallKeys;
  /** Why it is not run. */
  readonly refusal: Refusal | undefined;
}

/** @param known the arguments if they were already read; the run's reader is not called then */
export function prepareCall(state: RunState, read: ReadModelCall, known?: ReadArguments): PreparedCall {
  const { toolName } = read;
  const refuse = (refusal: Refusal, args: unknown = read.raw): PreparedCall => ({
    read,
    arguments: args,
    recordedArguments: args,
    repairs: [],
    keys: new CallKeys(toolName, args),
    refusal,
  });
  if (read.problem !== undefined)
    return refuse({
      code: 'INVALID_CALL',
      message: state.context.redact(read.problem),
      advice: 'Name the tool and its arguments, and call it again.',
    });
  const closed = stoppedOrClosed(state, toolName);
  if (closed) return refuse(closed);
  if (read.truncated) return refuse(truncatedRefusal(toolName));
  const tool = state.context.runtimeOf(toolName)?.tool;
  if (tool && state.options.offers?.(toolName) === false) return refuse(unknownRefusal(state, toolName));
  const args = readWith(known ? () => known : state.readArguments, {
    raw: read.raw,
    toolName,
    schema: known ? undefined : jsonSchemaOf(state, toolName),
    effect: state.context.settingsOf(toolName)?.effect,
    truncated: read.truncated,
  });
  // The arguments of an unknown tool do not matter.
  if (!args.ok && tool) {
    if (args.truncated) return refuse(truncatedRefusal(toolName));
    return refuse({
      code: 'INVALID_ARGUMENTS',
      message: state.context.redact(args.message),
      advice: args.mismatch
        ? `Correct the arguments of ${toolName} as the error says and call it again.`
        : `Call ${toolName} once more with its arguments as one JSON object.`,
    });
  }
  const value = args.ok ? args.value : {};
  const recordedArguments = plainCopy(value);
  const keys = new CallKeys(toolName, recordedArguments);
  const refusal = refusalOf(state, { read, keys });
  return { read, arguments: value, recordedArguments, repairs: args.ok ? args.repairs : [], keys, refusal };
}

/** Returns why a readable call must not be run now; `undefined` when it may. */
export function refusalOf(state: RunState, { read: { toolName }, keys }: Pick<PreparedCall, 'read' | 'keys'>): Refusal | undefined {
  const closed = stoppedOrClosed(state, toolName);
  if (closed) return closed;
  if (state.nearRepeats.isEmpty) return undefined;
  const now = state.context.system.now();
  const same = state.repeats.refusal(keys.exact, now);
  const known = same ?? state.nearRepeats.refusal(keys.near, now);
  const isFinal = known?.waitMs === Infinity;
  return (
    known && {
      code: 'REPEATED_FAILURE',
      message: `Not run: ${same ? 'this very call has' : 'equivalent calls have'} failed ${known.failures} times (${known.message})`,
      advice: `Do not repeat it${isFinal ? '' : ` for ${inSeconds(known.waitMs)}`}. Change the arguments of ${toolName},${insteadOf(state, toolName)} or continue without it.`,
      isFinal,
    }
  );
}

/** `1200` → `'2 s'` */
export function inSeconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}

function stoppedOrClosed(state: RunState, toolName: string): Refusal | undefined {
  if (state.stopped) return stoppedRefusal(state.stopped.message);
  return state.closedTools.has(toolName) ? closedRefusal(toolName) : undefined;
}

/** Returns the JSON Schema of a tool's arguments: its own, or the one that its framework shows to the model. */
export function jsonSchemaOf({ context, options }: RunState, toolName: string): JsonSchema | undefined {
  const input = context.runtimeOf(toolName)?.tool.input;
  return input && !isStandardSchema(input) ? (input as JsonSchema) : options.schemaOf?.(toolName);
}

/** Returns ` use a or b,` for the alternatives that are available now; '' without any. */
export function insteadOf({ context }: RunState, toolName: string): string {
  const names = availabilityOf(context, toolName).alternatives;
  return names.length === 0 ? '' : ` use ${names.join(' or ')},`;
}

function stoppedRefusal(message: string): Refusal {
  return {
    code: 'RUN_STOPPED',
    message: `Not run: ${message}`,
    advice: 'Call no more tools. Answer with what you have, and say what is missing.',
  };
}

function closedRefusal(toolName: string): Refusal {
  return {
    code: 'REPEATED_FAILURE',
    message: `Not run: the attempts to call ${toolName} are used up`,
    advice: `Do not call ${toolName} again. Use another tool, or tell the user.`,
  };
}

function unknownRefusal(state: RunState, toolName: string): Refusal {
  const { message } = unknownToolFault(toolName, offeredNames(state));
  return { code: 'UNKNOWN_TOOL', message, advice: 'Continue without it.' };
}

/** The names of the tools that can be called in this run. */
export function offeredNames({ context, options }: RunState): readonly string[] {
  return context.toolNames().filter((name) => context.runtimeOf(name)?.enabled && options.offers?.(name) !== false);
}

function truncatedRefusal(toolName: string): Refusal {
  return {
    code: 'ANSWER_TRUNCATED',
    message: 'Not run: your answer was cut off before this call was complete',
    advice: `Call ${toolName} again with shorter arguments, or make fewer calls at once.`,
  };
}
