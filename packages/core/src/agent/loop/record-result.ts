/**
 * Owns the consequences of a result for the run: it counts attempts and repetitions, records events, stops a loop without progress, and creates the text for the
 * model.
 */
import type { FailedResult, ToolFailure, ToolResult } from '../../engine/call/result.ts';
import { describeError } from '../../engine/classify/describe-error.ts';
import type { ReducerError, RetryExhaustedError } from '../session/errors.ts';
import type { MergedRetryPolicy } from '../session/retry-policy.ts';
import { isRetryable } from '../session/retry-policy.ts';
import { exhaustedOf } from '../session/slices.ts';
import type { PreparedCall } from './prepare-call.ts';
import { insteadOf, inSeconds, jsonSchemaOf, offeredNames } from './prepare-call.ts';
import type { AnswerScope, RunState } from './run-state.ts';
import { DEFAULT_IDENTICAL_FAILURES, nearLimit, policyOf, record, stopRun, appendToSession } from './run-state.ts';
import { describeSignature } from './tool-signature.ts';
import { textOf } from './result-text.ts';

/** The answer to the model for one call. */
export interface ToolAnswer {
  /** Id of the call. */
  readonly callId: string;
  /** Name of the tool that was called. */
  readonly toolName: string;
  /** Result of the call; a failure may contain advice from the run. */
  readonly result: ToolResult;
  /** Text for the model: the output, or what was wrong, what is allowed and what to do next. */
  readonly text: string;
  /** Whether the result is anything but `success`. */
  readonly isError: boolean;
  /** The arguments as executed; replay these to the model. */
  readonly arguments: unknown;
  /** Repairs of the arguments, as sentences; empty when they were read unchanged. */
  readonly repairs: readonly string[];
  /** The attempts of this tool are used up (docs/specification.md#s2). */
  readonly exhausted?: RetryExhaustedError;
}

export interface RecordedAnswer {
  readonly answer: ToolAnswer;
  /** Delay before the next attempt of the model. */
  readonly delayMs: number;
}

/** Consequence of a result for the run. */
interface Consequence {
  readonly advice?: string;
  readonly notes: readonly string[];
  readonly delayMs: number;
  readonly exhausted?: RetryExhaustedError;
  readonly reducerErrors?: readonly ReducerError[];
}

const none: Consequence = { notes: [], delayMs: 0 };

/** Records a result. The model gets its answer even if recording fails. */
export function recordResult(state: RunState, scope: AnswerScope, call: PreparedCall, result: ToolResult): RecordedAnswer {
  try {
    return evaluateResult(state, scope, call, result);
  } catch {
    return { answer: answerOf(call, result, []), delayMs: 0 };
  }
}

function evaluateResult(state: RunState, scope: AnswerScope, call: PreparedCall, result: ToolResult): RecordedAnswer {
  const { callId, toolName, validationRetries } = call.read;
  if (call.repairs.length > 0)
    record(state, scope, { event_type: 'ArgumentsRepaired', call_id: callId, tool_id: toolName, repairs: call.repairs });
  const consequence = result.status === 'success' ? recordSuccess(state, scope, call) : recordFailure(state, scope, call, result);
  const appended = appendToolInvoked(state, scope, call, result);
  if (consequence === none && appended.length === 0) return { answer: answerOf(call, result, none.notes), delayMs: 0 };
  const reducerErrors = [...(consequence.reducerErrors ?? []), ...appended];
  if (reducerErrors.length > 0) state.streaks.reducerFailed('tool', toolName);
  const halted = reducerErrors.length > 0 && !isRetryable(policyOf(state, toolName, validationRetries), 'ReducerError');
  const { advice, notes, delayMs, exhausted } =
    halted && !consequence.exhausted ? reducerConsequence(toolName, reducerErrors) : consequence;
  const advised = result.status !== 'success' && advice ? withAdvice(state, result, advice) : result;
  const reducerNotes = [...new Set(reducerErrors.map(describeReducerError))];
  const next = halted && advised.status === 'success' ? [`Next: ${advice}`] : [];
  const answer = answerOf(call, advised, [...notes, ...reducerNotes, ...next]);
  return { answer: exhausted ? { ...answer, exhausted } : answer, delayMs };
}

/** A failed reducer ends the attempts of an action, and the advice to the model names it (docs/specification.md#s2). */
function reducerConsequence(toolName: string, reducerErrors: readonly ReducerError[]): Consequence {
  return { ...none, advice: `Do not repeat the call of ${toolName}; ${firstDealWith(reducerErrors)}` };
}

export function firstDealWith(reducerErrors: readonly ReducerError[]): string {
  return `first deal with the failure of ${[...new Set(reducerErrors.map(({ reducer }) => `'${reducer}'`))].join(' and ')}.`;
}

function answerOf(
  { read: { callId, toolName }, recordedArguments, repairs }: PreparedCall,
  result: ToolResult,
  notes: readonly string[],
): ToolAnswer {
  return {
    callId,
    toolName,
    result,
    text: textOf(result, notes),
    isError: result.status !== 'success',
    arguments: recordedArguments,
    repairs,
  };
}

/** Four successes offset one refusal. */
const REFUSALS_OFFSET_BY_SUCCESS = 0.25;

function recordSuccess(state: RunState, scope: AnswerScope, { read, keys }: PreparedCall): Consequence {
  const mayHaveSideEffects = state.context.settingsOf(read.toolName)?.effect !== 'read';
  if (!state.nearRepeats.isEmpty) {
    state.repeats.noteSuccess(keys.exact, mayHaveSideEffects);
    state.nearRepeats.noteSuccess(keys.near, mayHaveSideEffects);
  }
  state.refusals = Math.max(0, state.refusals - REFUSALS_OFFSET_BY_SUCCESS);
  endStreak(state, scope, read);
  return none;
}

/** The arguments were valid. */
function endStreak(state: RunState, scope: AnswerScope, { toolName, callId }: PreparedCall['read']): void {
  const recovered = state.streaks.endStreak('tool', toolName, scope.answer, callId);
  if (recovered) record(state, scope, recovered);
}

function recordFailure(state: RunState, scope: AnswerScope, call: PreparedCall, { error, attempts }: FailedResult): Consequence {
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
  if (errorType !== undefined) return invalid(state, scope, call, { error, errorType, policy, attempts });
  if (attempts > 0) endStreak(state, scope, read);
  if (isRefused(error)) countRefusal(state, scope, call);
  if (refusal?.code === 'UNKNOWN_TOOL') return { ...none, ...availableTools(state) };
  if (refusal || !countsAsFailure(error)) return none;
  const consequence = recordRepetition(state, call, error, attempts);
  return error.code === 'UNKNOWN_TOOL' ? { ...availableTools(state), ...consequence } : consequence;
}

interface Invalid {
  readonly error: ToolFailure;
  readonly errorType: string;
  readonly policy: MergedRetryPolicy;
  readonly attempts: number;
}

function invalid(state: RunState, scope: AnswerScope, call: PreparedCall, { error, errorType, policy, attempts }: Invalid): Consequence {
  const { context } = state;
  const { toolName, callId } = call.read;
  const event = state.streaks.countFailure({
    source: 'tool',
    toolName,
    callId,
    answer: scope.answer,
    errorType,
    message: error.message,
    policy,
    now: context.system.now(),
    nowEpochMs: context.system.epochMs(),
    seed: context.seed,
  });
  const reducerErrors = record(state, scope, event);
  if (event.event_type === 'ValidationRetryScheduled') {
    const { advice } = recordRepetition(state, call, error, attempts);
    const attempt = policy.emitFeedback ? [`This was attempt ${event.attempt} of ${event.max_attempts}.`] : [];
    const signature = describeSignature(jsonSchemaOf(state, toolName));
    const takes = signature === undefined ? [] : [`${toolName} takes: ${signature}`];
    return { ...(advice ? { advice } : {}), notes: [...takes, ...attempt], delayMs: event.delay_ms, reducerErrors };
  }
  const exhausted = exhaustedOf(event);
  if (state.options.onExhausted === 'close_tool') state.closedTools.add(toolName);
  else stopRun(state, scope, { reason: 'validation_exhausted', message: exhausted.message, error: exhausted });
  return {
    advice: `Do not call ${toolName} again: the attempts are used up.${capitalize(insteadOf(state, toolName))} Continue without it, or tell the user.`,
    notes: [],
    delayMs: 0,
    exhausted,
    reducerErrors,
  };
}

/** `' use a,'` → `' Use a.'` */
function capitalize(instead: string): string {
  return instead === '' ? '' : ` U${instead.slice(2, -1)}.`;
}

/** The error type of a failed validation of arguments (docs/specification.md#s2); `undefined` for other failures. */
function validationErrorType({ code, cause }: ToolFailure, policy: MergedRetryPolicy): string | undefined {
  if (code === 'INVALID_ARGUMENTS') return 'ToolValidationError';
  if (typeof cause !== 'object' || cause === null) return undefined;
  const { name } = describeError(cause);
  return name === 'ToolValidationError' || (name !== 'Error' && isRetryable(policy, name)) ? name : undefined;
}

/** Whether a call was not run although the model could have known: the tool is unknown or must not be called. */
function isRefused({ code }: ToolFailure): boolean {
  return ['UNKNOWN_TOOL', 'TOOL_DISABLED', 'CIRCUIT_OPEN', 'REPEATED_FAILURE', 'ANSWER_TRUNCATED', 'INVALID_CALL'].includes(code);
}

/** Whether a failure counts as a failure of the call itself. */
function countsAsFailure({ code, classification }: ToolFailure): boolean {
  return classification !== 'neutral' && code !== 'TURN_DEADLINE';
}

function countRefusal(state: RunState, scope: AnswerScope, { read, keys, refusal }: PreparedCall): void {
  const { maxRefusals = 8, maxRefusalsPerTurn = 32, maxIdenticalFailures = DEFAULT_IDENTICAL_FAILURES } = state.options;
  scope.answer.refused += 1;
  if (refusal?.code === 'REPEATED_FAILURE') {
    const isFinal = refusal.isFinal !== false;
    if (state.nearRepeats.countRefusal(keys.near, state.context.system.now(), isFinal) >= maxIdenticalFailures)
      return stopRun(state, scope, {
        reason: 'repeated_failure',
        message: `the same failing call of ${read.toolName} was repeated too often`,
      });
    // A model that waits for something may be refused often.
    if (!isFinal) return;
  }
  if (!scope.answer.refusedTools.has(read.toolName)) {
    scope.answer.refusedTools.add(read.toolName);
    state.refusals += 1;
  }
  if (state.refusals >= maxRefusals || scope.answer.refused >= maxRefusalsPerTurn)
    stopRun(state, scope, { reason: 'too_many_refusals', message: 'too many calls of unknown or unavailable tools were made' });
}

function recordRepetition(state: RunState, { read: { toolName }, keys }: PreparedCall, error: ToolFailure, attempts: number): Consequence {
  const { maxIdenticalFailures = DEFAULT_IDENTICAL_FAILURES } = state.options;
  const now = state.context.system.now();
  const isFinal = attempts === 0 && error.classification !== 'transient';
  const same = state.repeats.countFailure(keys.exact, error, now, isFinal);
  const near = state.nearRepeats.countFailure(keys.near, error, now, isFinal);
  if (maxIdenticalFailures === 1) return none;
  const isSame = same.failures >= maxIdenticalFailures;
  if (!isSame && near.failures < nearLimit(state.options)) return none;
  const { failures, waitMs } = isSame ? same : near;
  const until = isFinal ? 'as it is. C' : `for ${inSeconds(waitMs)}. If you wait for something, repeat it then; otherwise c`;
  return {
    ...none,
    advice: `${isSame ? 'This very call has' : 'Equivalent calls have'} failed ${failures} times in the same way and will not be run again ${until}hange the arguments of ${toolName},${insteadOf(state, toolName)} or continue without it.`,
  };
}

/** Advice with the names of the tools, for a model that called an unknown one. */
function availableTools(state: RunState): Pick<Consequence, 'advice'> {
  const names = offeredNames(state);
  if (names.length === 0) return { advice: 'No tools are available: answer without calling any.' };
  return names.length > MAX_NAMED_TOOLS ? {} : { advice: `Call only these tools: ${names.join(', ')}.` };
}

/** Longer lists are not repeated: the model has them in its request. */
const MAX_NAMED_TOOLS = 20;

/** What the result advises about an effect that may have happened stays in front: without it a changed call would repeat the effect. */
function withAdvice(state: RunState, result: FailedResult, advice: string): FailedResult {
  const { error, toolName } = result;
  const mayHaveHappened = error.ambiguous === true && state.context.settingsOf(toolName)?.effect !== 'read';
  return { ...result, error: { ...error, advice: mayHaveHappened && error.advice !== undefined ? `${error.advice} ${advice}` : advice } };
}

function appendToolInvoked(
  state: RunState,
  scope: AnswerScope,
  { read, recordedArguments }: PreparedCall,
  result: ToolResult,
): readonly ReducerError[] {
  return appendToSession(state, scope.trace, {
    event_type: 'ToolInvoked',
    call_id: read.callId,
    tool_id: read.toolName,
    status: result.status,
    arguments: recordedArguments,
    ...(result.output === undefined ? {} : { output: result.output }),
    ...(result.error ? { code: result.error.code, error: result.error.message } : {}),
  });
}

export function describeReducerError({ reducer, message }: ReducerError): string {
  return `It could not be applied to '${reducer}': ${message}`;
}
