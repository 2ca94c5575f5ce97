/** Owns the state of an agent run, and recording its events in the trace and in the session. */
import { callSafely } from '../../engine/plain/call-safely.ts';
import type { ServiceContext } from '../../runtime/service/service-context.ts';
import type { SessionEventBody } from '../session/events.ts';
import type { RetryPolicyLayer } from '../../engine/settings/validation-retries.ts';
import type { MergedRetryPolicy } from '../session/retry-policy.ts';
import { mergeRetryPolicies } from '../session/retry-policy.ts';
import type { ReducerError, RetryExhaustedError } from '../session/errors.ts';
import { StreamedTrace } from '../../engine/trace/streamed-trace.ts';
import type { AgentEventBody, TraceEvent, TraceEventBody } from '../../engine/trace/events.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';
import type { ArgumentReader } from './model-call.ts';
import { readStrictJson } from './model-call.ts';
import type { AgentRunOptions, AnySession } from './options.ts';
import { Repeats } from './repeated-calls.ts';
import { Streaks } from './validation-attempts.ts';

/**
 * Why an agent run stopped. `validation_exhausted`: the validation retries were used up; `repeated_failure`: the model repeated a failing call;
 * `too_many_refusals`: it called tools that cannot be called.
 */
export type StopReason = 'validation_exhausted' | 'repeated_failure' | 'too_many_refusals';

/** Why the loop should end. */
export interface RunStopped {
  /** The condition that stopped the run. */
  readonly reason: StopReason;
  /** The reason as text, for people and logs. */
  readonly message: string;
  /** The attempts, for `validation_exhausted` (docs/specification.md#s2). */
  readonly error?: RetryExhaustedError;
}

/** One answer of a model: the state that its calls share. */
export interface ModelAnswer {
  /** Number of refused calls. */
  refused: number;
  readonly refusedTools: Set<string>;
  /** On the monotonic clock. */
  readonly deadlineAt: number | undefined;
}

/** The answer and the trace that the events of a call belong to. */
export interface AnswerScope {
  readonly answer: ModelAnswer;
  readonly turnId: string;
  readonly trace: Trace;
}

export interface RunState {
  readonly context: ServiceContext;
  readonly session: AnySession;
  readonly options: AgentRunOptions;
  readonly readArguments: ArgumentReader;
  readonly repeats: Repeats;
  /** The same for calls that differ only in form; they may fail twice as often. */
  readonly nearRepeats: Repeats;
  readonly streaks: Streaks;
  readonly closedTools: Set<string>;
  /** Policies by tool, changeable at any time (docs/specification.md#s2). */
  readonly toolPolicies: Map<string, RetryPolicyLayer>;
  globalPolicy: RetryPolicyLayer | undefined;
  refusals: number;
  stopped: RunStopped | undefined;
  /** The latest trace, which also gets the events that belong to no answer. */
  trace: Trace | undefined;
}

export const DEFAULT_IDENTICAL_FAILURES = 3;

/** A call that differs only in form may have been meant as a correction, so its limit is higher. */
export function nearLimit({ maxIdenticalFailures = DEFAULT_IDENTICAL_FAILURES }: AgentRunOptions): number {
  return 2 * maxIdenticalFailures;
}

export function createRunState(options: AgentRunOptions, context: ServiceContext, session: AnySession): RunState {
  const { maxIdenticalFailures = DEFAULT_IDENTICAL_FAILURES, identicalFailureCoolDownMs = 60_000 } = options;
  return {
    context,
    session,
    options,
    readArguments: options.readArguments ?? readStrictJson,
    repeats: new Repeats(maxIdenticalFailures, identicalFailureCoolDownMs),
    nearRepeats: new Repeats(nearLimit(options), identicalFailureCoolDownMs),
    streaks: new Streaks(),
    closedTools: new Set(),
    toolPolicies: new Map(Object.entries(options.toolValidationRetries ?? {})),
    globalPolicy: options.validationRetries,
    refusals: 0,
    stopped: undefined,
    trace: undefined,
  };
}

/** Returns the policy in force now: global, tool definition, the run's for the tool, call; the most specific wins (docs/specification.md#s2). */
export function policyOf(
  { globalPolicy, toolPolicies, context }: RunState,
  toolName?: string,
  callPolicy?: RetryPolicyLayer,
): MergedRetryPolicy {
  if (toolName === undefined) return mergeRetryPolicies(globalPolicy, callPolicy);
  const { validationRetries } = context.lastingRuntimeOf(toolName)?.tool ?? {};
  return mergeRetryPolicies(globalPolicy, validationRetries, toolPolicies.get(toolName), callPolicy);
}

/** Begins the record of a turn. */
export function openScope(state: RunState, answer: ModelAnswer, startedAt: number): AnswerScope {
  const turnId = state.context.nextTurnId();
  const trace = openTrace(state, turnId, startedAt);
  state.trace = trace;
  return { answer, turnId, trace };
}

function openTrace({ context, options: { onEvent } }: RunState, turnId: string, startedAt: number): Trace {
  const { timestamp, sink } = context.streamedTraces;
  const traces = onEvent && {
    timestamp,
    hasSubscriber: () => true,
    sink: (event: TraceEvent) => {
      sink(event);
      callSafely(() => onEvent(event), ignore);
    },
  };
  return new StreamedTrace(traces ?? context.streamedTraces, turnId, startedAt, context.epochAt(startedAt));
}

function ignore(): void {
  // The run continues.
}

/** Returns the trace for events that belong to no answer: the latest one. */
export function currentTrace(state: RunState): Trace {
  return (state.trace ??= openTrace(state, state.context.nextTurnId(), state.context.system.now()));
}

/** Records an event in the trace and in the session. Returns the reducers that threw. */
export function record(state: RunState, scope: AnswerScope | undefined, body: AgentEventBody): readonly ReducerError[] {
  const { context } = state;
  const now = context.system.now();
  const trace = scope?.trace ?? currentTrace(state);
  // A copy, since a trace stamps the object that it gets.
  trace.append({ ...body } as TraceEventBody, now);
  return appendToSession(state, trace, body);
}

/** Appends an event to the session only, and records its failing reducers in the trace. */
export function appendToSession({ context, session }: RunState, trace: Trace, body: SessionEventBody): readonly ReducerError[] {
  const failures = appendSafely(session, body);
  const about = body as { readonly call_id?: string; readonly tool_id?: string };
  for (const { reducer, errorType, message } of failures) {
    trace.append(
      {
        event_type: 'ReducerFailed',
        reducer,
        payload_type: body.event_type,
        error_type: errorType,
        error: message,
        ...(about.call_id === undefined ? {} : { call_id: about.call_id }),
        ...(about.tool_id === undefined ? {} : { tool_id: about.tool_id }),
      },
      context.system.now(),
    );
  }
  return failures;
}

const none: readonly never[] = [];

/** Any object may be passed as a session, so its `append` may throw. */
function appendSafely(session: AnySession, body: SessionEventBody): readonly ReducerError[] {
  try {
    const { reducerErrors } = session.append(body);
    return reducerErrors.length === 0 ? none : [...reducerErrors];
  } catch {
    return [];
  }
}

export function stopRun(state: RunState, scope: AnswerScope | undefined, stopped: RunStopped): void {
  if (state.stopped) return;
  state.stopped = stopped;
  record(state, scope, { event_type: 'AgentRunStopped', reason: stopped.reason, message: stopped.message });
}
