/**
 * Owns what a result means for the run: attempts and repetitions are counted, events told, the loop stopped where it leads nowhere, and the text made that
 * the model reads.
 */
import type { FailedResult, ToolFailure, ToolResult } from '../../engine/call/result.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import type { ReducerError, RetryExhaustedError } from '../session/errors.ts';
import type { RetryPolicy } from '../session/retry-policy.ts';
import { isRetryable } from '../session/retry-policy.ts';
import { exhaustedOf } from '../session/slices.ts';
import type { PreparedCall } from './prepare-call.ts';
import { insteadOf, jsonSchemaOf } from './prepare-call.ts';
import type { AnswerScope, RunState } from './run-state.ts';
import { DEFAULT_IDENTICAL_FAILURES, nearLimit, policyOf, record, stopRun, tellSession } from './run-state.ts';
import { saySignature } from './tool-signature.ts';
import { textOf } from './result-text.ts';

/** What goes back to the model for one call. */
export interface ToolAnswer {
  /** Id of the call. */
  readonly callId: string;
  /** Name of the tool that was called. */
  readonly toolName: string;
  /** Result of the call; a failure may carry the advice of the run. */
  readonly result: ToolResult;
  /** What the model reads: the output as text, or what was wrong, what is allowed and what to do next. */
  readonly text: string;
  /** Whether the result is anything but `success`. */
  readonly isError: boolean;
  /** As executed: what is replayed to the model must be what was executed. */
  readonly arguments: unknown;
  /** What was repaired in the arguments, as sentences; empty when they were read as sent. */
  readonly repairs: readonly string[];
  /** The attempts of this tool are used up (docs/specification.md#s2). */
  readonly exhausted?: RetryExhaustedError;
}

export interface Conclusion {
  readonly answer: ToolAnswer;
  /** How long the model is to wait before its next attempt. */
  readonly delayMs: number;
}

/** What a result means for the run. */
interface Verdict {
  readonly advice?: string;
  readonly notes: readonly string[];
  readonly delayMs: number;
  readonly exhausted?: RetryExhaustedError;
  readonly reducerErrors?: readonly ReducerError[];
}

const nothing: Verdict = { notes: [], delayMs: 0 };

/** What was done is told, whatever goes wrong in counting it. */
export function concludeSafely(state: RunState, scope: AnswerScope, call: PreparedCall, result: ToolResult): Conclusion {
  try {
    return concludeCall(state, scope, call, result);
  } catch {
    return { answer: answerOf(call, result, []), delayMs: 0 };
  }
}

function concludeCall(state: RunState, scope: AnswerScope, call: PreparedCall, result: ToolResult): Conclusion {
  const { callId, toolName, validationRetries } = call.read;
  if (call.repairs.length > 0)
    record(state, scope, { event_type: 'ArgumentsRepaired', call_id: callId, tool_id: toolName, repairs: call.repairs });
  const verdict = result.status === 'success' ? succeeded(state, scope, call) : failed(state, scope, call, result);
  const reducerErrors = [...(verdict.reducerErrors ?? []), ...tellResult(state, scope, call, result)];
  if (reducerErrors.length > 0) state.streaks.reducerFailed('tool', toolName, scope.answer, state.kit.system.now());
  const halted = reducerErrors.length > 0 && !isRetryable(policyOf(state, toolName, validationRetries), 'ReducerError');
  const { advice, notes, delayMs, exhausted } = halted && !verdict.exhausted ? haltedBy(toolName, reducerErrors) : verdict;
  const advised = result.status !== 'success' && advice ? withAdvice(result, advice) : result;
  const said = [...new Set(reducerErrors.map(sayReducerError))];
  const next = halted && advised.status === 'success' ? [`Next: ${advice}`] : [];
  const answer = answerOf(call, advised, [...notes, ...said, ...next]);
  return { answer: exhausted ? { ...answer, exhausted } : answer, delayMs };
}

/** A reducer's failure ends the attempts of an action, and the model is told that instead (docs/specification.md#s2). */
function haltedBy(toolName: string, reducerErrors: readonly ReducerError[]): Verdict {
  const names = [...new Set(reducerErrors.map(({ reducer }) => `'${reducer}'`))].join(' and ');
  return { ...nothing, advice: `Do not repeat the call of ${toolName}; first deal with the failure of ${names}.` };
}

function answerOf({ read: { callId, toolName }, told, repairs }: PreparedCall, result: ToolResult, notes: readonly string[]): ToolAnswer {
  return { callId, toolName, result, text: textOf(result, notes), isError: result.status !== 'success', arguments: told, repairs };
}

/** So much of a refusal does a success make good: one for four. */
const FORGIVEN = 0.25;

function succeeded(state: RunState, scope: AnswerScope, { read, key, nearKey }: PreparedCall): Verdict {
  const mayHaveChanged = state.kit.settingsOf(read.toolName)?.effect !== 'read';
  state.repeats.succeeded(key, mayHaveChanged);
  state.nearRepeats.succeeded(nearKey, mayHaveChanged);
  state.repetitions.clear();
  state.refusals = Math.max(0, state.refusals - FORGIVEN);
  endStreak(state, scope, read);
  return nothing;
}

/** The arguments were right. */
function endStreak(state: RunState, scope: AnswerScope, { toolName, callId }: PreparedCall['read']): void {
  const recovered = state.streaks.succeeded('tool', toolName, scope.answer, callId);
  if (recovered) record(state, scope, recovered);
}

function failed(state: RunState, scope: AnswerScope, call: PreparedCall, { error, attempts }: FailedResult): Verdict {
  const { read, refusal } = call;
  const policy = policyOf(state, read.toolName, read.validationRetries);
  const errorType = validationErrorType(error, policy);
  if (refusal)
    record(state, scope, {
      event_type: 'AgentCallRefused',
      call_id: read.callId,
      tool_id: read.toolName,
      code: refusal.code,
      error: refusal.message,
    });
  if (errorType !== undefined) return invalid(state, scope, call, { error, errorType, policy });
  if (attempts > 0) endStreak(state, scope, read);
  if (isTurnedDown(error)) countRefusal(state, scope, call);
  if (refusal || !mayRepeat(error)) return nothing;
  const verdict = repeated(state, call, error);
  return error.code === 'UNKNOWN_TOOL' ? { ...callable(state), ...verdict } : verdict;
}

interface Invalid {
  readonly error: ToolFailure;
  readonly errorType: string;
  readonly policy: RetryPolicy;
}

function invalid(state: RunState, scope: AnswerScope, call: PreparedCall, { error, errorType, policy }: Invalid): Verdict {
  const { kit } = state;
  const { toolName, callId } = call.read;
  const event = state.streaks.failed({
    source: 'tool',
    toolName,
    callId,
    answer: scope.answer,
    errorType,
    message: error.message,
    policy,
    now: kit.system.now(),
    nowEpochMs: kit.system.epochMs(),
    seed: kit.seed,
  });
  const reducerErrors = record(state, scope, event);
  if (event.event_type === 'ValidationRetryScheduled') {
    const { advice } = repeated(state, call, error);
    const attempt = policy.emitFeedback ? [`This was attempt ${event.attempt} of ${event.max_attempts}.`] : [];
    const signature = saySignature(jsonSchemaOf(state, toolName));
    const takes = signature === undefined ? [] : [`${toolName} takes: ${signature}`];
    return { ...(advice ? { advice } : {}), notes: [...takes, ...attempt], delayMs: event.delay_ms, reducerErrors };
  }
  const exhausted = exhaustedOf(event);
  if (state.options.onExhausted === 'close_tool') state.closedTools.add(toolName);
  else stopRun(state, scope, { reason: 'validation_exhausted', message: exhausted.message, error: exhausted });
  return {
    advice: `Do not call ${toolName} again: the attempts are used up.${capitalized(insteadOf(state, toolName))} Go on without it, or tell the user.`,
    notes: [],
    delayMs: 0,
    exhausted,
    reducerErrors,
  };
}

/** `' use a,'` → `' Use a.'` */
function capitalized(instead: string): string {
  return instead === '' ? '' : ` U${instead.slice(2, -1)}.`;
}

/** A failure of the arguments' validation (docs/specification.md#s2); `undefined` for everything else. */
function validationErrorType({ code, cause }: ToolFailure, policy: RetryPolicy): string | undefined {
  if (code === 'INVALID_ARGUMENTS') return 'ToolValidationError';
  if (typeof cause !== 'object' || cause === null) return undefined;
  const { name } = describeError(cause);
  return name === 'ToolValidationError' || (name !== 'Error' && isRetryable(policy, name)) ? name : undefined;
}

/** Not run, and the model could have known: it called what is not there, or not to be called. */
function isTurnedDown({ code }: ToolFailure): boolean {
  return ['UNKNOWN_TOOL', 'TOOL_DISABLED', 'CIRCUIT_OPEN', 'REPEATED_FAILURE', 'ANSWER_TRUNCATED', 'INVALID_CALL'].includes(code);
}

/** Failures that say nothing about the call itself do not count as its failures. */
function mayRepeat({ code, classification }: ToolFailure): boolean {
  return classification !== 'neutral' && code !== 'TURN_DEADLINE';
}

function countRefusal(state: RunState, scope: AnswerScope, { read, nearKey, refusal }: PreparedCall): void {
  const { maxRefusals = 8, maxRefusalsPerTurn = 32, maxIdenticalFailures = DEFAULT_IDENTICAL_FAILURES } = state.options;
  scope.answer.refused += 1;
  if (!scope.answer.refusedTools.has(read.toolName)) {
    scope.answer.refusedTools.add(read.toolName);
    state.refusals += 1;
  }
  if (refusal?.code === 'REPEATED_FAILURE') {
    const times = (state.repetitions.get(nearKey) ?? 0) + 1;
    state.repetitions.set(nearKey, times);
    if (times >= maxIdenticalFailures)
      return stopRun(state, scope, {
        reason: 'repeated_failure',
        message: `the same failing call of ${read.toolName} was made again and again`,
      });
  }
  if (state.refusals >= maxRefusals || scope.answer.refused >= maxRefusalsPerTurn)
    stopRun(state, scope, { reason: 'too_many_refusals', message: 'too many calls were made of tools that cannot be called' });
}

function repeated(state: RunState, { read: { toolName }, key, nearKey }: PreparedCall, error: ToolFailure): Verdict {
  const { maxIdenticalFailures = DEFAULT_IDENTICAL_FAILURES } = state.options;
  const now = state.kit.system.now();
  const same = state.repeats.failed(key, error, now);
  const near = state.nearRepeats.failed(nearKey, error, now);
  if (maxIdenticalFailures === 1) return nothing;
  const change = `Change the arguments of ${toolName},${insteadOf(state, toolName)} or continue without it.`;
  if (same >= maxIdenticalFailures)
    return { ...nothing, advice: `This very call has failed ${same} times in the same way and will not be run again as it is. ${change}` };
  if (near >= nearLimit(state.options))
    return { ...nothing, advice: `Calls that differ from this one in form only have failed ${near} times in the same way. ${change}` };
  return nothing;
}

/** Which tools there are, for a model that called another. */
function callable({ kit }: RunState): Pick<Verdict, 'advice'> {
  const names = kit.toolNames().filter((name) => kit.runtimeOf(name)?.enabled);
  if (names.length === 0) return { advice: 'There are no tools: answer without any.' };
  return names.length > NAMED_TOOLS ? {} : { advice: `Call only these tools: ${names.join(', ')}.` };
}

/** Longer lists the model has in its request. */
const NAMED_TOOLS = 20;

function withAdvice(result: FailedResult, advice: string): FailedResult {
  return { ...result, error: { ...result.error, advice } };
}

function tellResult(state: RunState, scope: AnswerScope, { read, told }: PreparedCall, result: ToolResult): readonly ReducerError[] {
  return tellSession(state, scope.trace, {
    event_type: 'ToolInvoked',
    call_id: read.callId,
    tool_id: read.toolName,
    status: result.status,
    arguments: told,
    ...(result.output === undefined ? {} : { output: result.output }),
    ...(result.error ? { code: result.error.code, error: result.error.message } : {}),
  });
}

function sayReducerError({ reducer, message }: ReducerError): string {
  return `It could not be taken into '${reducer}': ${message}`;
}
