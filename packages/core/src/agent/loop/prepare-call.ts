/** Owns what happens to a call before any tool is asked: its arguments are read, and it is let through or turned down. */
import { isStandardSchema } from '../../engine/schema/standard-schema.ts';
import type { JsonSchema } from '../../engine/schema/standard-schema.ts';
import { plainCopy } from '../session/plain.ts';
import { availabilityOf } from './advertise.ts';
import { canonicalKey, nearKey } from './canonical.ts';
import type { ReadArguments, ReadModelCall } from './model-call.ts';
import { readWith } from './model-call.ts';
import type { Refusal } from './refusal.ts';
import type { RunState } from './run-state.ts';

export interface PreparedCall {
  readonly read: ReadModelCall;
  /** As they are executed; the tool's own from then on. */
  readonly arguments: unknown;
  /** The same, out of the tool's reach. */
  readonly told: unknown;
  readonly repairs: readonly string[];
  /** The same for every spelling of the same call. */
  readonly key: string;
  /** The same for calls that differ in form only. */
  readonly nearKey: string;
  /** Why it is not run. */
  readonly refusal: Refusal | undefined;
}

/** @param known What was read of the arguments already: the run's reader is not asked then. */
export function prepareCall(state: RunState, read: ReadModelCall, known?: ReadArguments): PreparedCall {
  const { toolName } = read;
  const refuse = (refusal: Refusal, args: unknown = read.raw): PreparedCall => ({
    read,
    arguments: args,
    told: args,
    repairs: [],
    ...keysOf(toolName, args),
    refusal,
  });
  if (read.problem !== undefined)
    return refuse({
      code: 'INVALID_CALL',
      message: state.kit.redact(read.problem),
      advice: 'Name the tool and its arguments, and call it again.',
    });
  const closed = stoppedOrClosed(state, toolName);
  if (closed) return refuse(closed);
  if (read.truncated) return refuse(truncatedRefusal(toolName));
  const tool = state.kit.runtimeOf(toolName)?.tool;
  const args = readWith(known ? () => known : state.readArguments, {
    raw: read.raw,
    toolName,
    schema: jsonSchemaOf(state, toolName),
    effect: state.kit.settingsOf(toolName)?.effect,
    truncated: read.truncated,
  });
  // Of a tool that does not exist nobody reads the arguments.
  if (!args.ok && tool) {
    if (args.truncated) return refuse(truncatedRefusal(toolName));
    return refuse({
      code: 'INVALID_ARGUMENTS',
      message: state.kit.redact(args.message),
      advice: `Call ${toolName} once more with its arguments as one JSON object.`,
    });
  }
  const value = args.ok ? args.value : {};
  const keys = keysOf(toolName, value);
  const refusal = refusalOf(state, { read, ...keys });
  return { read, arguments: value, told: plainCopy(value), repairs: args.ok ? args.repairs : [], ...keys, refusal };
}

function keysOf(toolName: string, args: unknown): Pick<PreparedCall, 'key' | 'nearKey'> {
  return { key: `${toolName} ${canonicalKey(args)}`, nearKey: `${toolName} ${nearKey(args)}` };
}

/** Why a call that could be read is not run, as things are now. */
export function refusalOf(
  state: RunState,
  { read: { toolName }, key, nearKey }: Pick<PreparedCall, 'read' | 'key' | 'nearKey'>,
): Refusal | undefined {
  const closed = stoppedOrClosed(state, toolName);
  if (closed) return closed;
  const now = state.kit.system.now();
  const same = state.repeats.refusal(key, now);
  const known = same ?? state.nearRepeats.refusal(nearKey, now);
  return (
    known && {
      code: 'REPEATED_FAILURE',
      message: `Not run: ${same ? 'this very call has' : 'calls that differ from this one in form only have'} failed ${known.failures} times (${known.message})`,
      advice: `Do not repeat it. Change the arguments of ${toolName},${insteadOf(state, toolName)} or continue without it.`,
    }
  );
}

function stoppedOrClosed(state: RunState, toolName: string): Refusal | undefined {
  if (state.stopped) return stoppedRefusal(state.stopped.message);
  return state.closedTools.has(toolName) ? closedRefusal(toolName) : undefined;
}

/** The schema of a tool's arguments, where it is a JSON Schema. */
export function jsonSchemaOf({ kit }: RunState, toolName: string): JsonSchema | undefined {
  const input = kit.runtimeOf(toolName)?.tool.input;
  return input && !isStandardSchema(input) ? (input as JsonSchema) : undefined;
}

/** ` use a or b,` where there are alternatives that can be called now. */
export function insteadOf({ kit }: RunState, toolName: string): string {
  const names = availabilityOf(kit, toolName).alternatives;
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

function truncatedRefusal(toolName: string): Refusal {
  return {
    code: 'ANSWER_TRUNCATED',
    message: 'Not run: your answer was cut off before this call was complete',
    advice: `Call ${toolName} again with shorter arguments, or make fewer calls at once.`,
  };
}
