/** Owns what an agent run remembers from call to call, and recording what happens in it: in the trace and in the session, the same events. */
import { callSafely } from '../../runtime/service/call-safely.ts';
import type { ServiceContext } from '../../runtime/service/service-context.ts';
import type { SessionEventBody } from '../session/events.ts';
import type { RetryPolicy, RetryPolicyLayer } from '../session/retry-policy.ts';
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
  /** What was tried, where attempts were used up (docs/specification.md#s2). */
  readonly error?: RetryExhaustedError;
}

/** One answer of a model: what its calls share, and stand for. */
export interface ModelAnswer {
  /** Calls turned down. */
  refused: number;
  readonly refusedTools: Set<string>;
  /** On the monotonic clock. */
  readonly deadlineAt: number | undefined;
}

/** Where what happens to a call is told. */
export interface AnswerScope {
  readonly answer: ModelAnswer;
  readonly turnId: string;
  readonly trace: Trace;
}

export interface RunState {
  readonly kit: ServiceContext;
  readonly session: AnySession;
  readonly options: AgentRunOptions;
  readonly readArguments: ArgumentReader;
  readonly repeats: Repeats;
  /** The same for calls that differ in form only; they may fail twice as often. */
  readonly nearRepeats: Repeats;
  readonly streaks: Streaks;
  /** By near key of the call: how often it was turned down as a repetition. */
  readonly repetitions: Map<string, number>;
  readonly closedTools: Set<string>;
  /** By tool: the layers of the policy, changeable at any time (docs/specification.md#s2). */
  readonly toolPolicies: Map<string, RetryPolicyLayer>;
  globalPolicy: RetryPolicyLayer | undefined;
  refusals: number;
  stopped: RunStopped | undefined;
  /** Where events go that belong to no answer: behind the latest one. */
  trace: Trace | undefined;
}

export const DEFAULT_IDENTICAL_FAILURES = 3;

/** What differs in form only may have been meant as a correction. */
export function nearLimit({ maxIdenticalFailures = DEFAULT_IDENTICAL_FAILURES }: AgentRunOptions): number {
  return 2 * maxIdenticalFailures;
}

export function createRunState(options: AgentRunOptions, kit: ServiceContext, session: AnySession): RunState {
  const { maxIdenticalFailures = DEFAULT_IDENTICAL_FAILURES, identicalFailureCoolDownMs = 60_000 } = options;
  return {
    kit,
    session,
    options,
    readArguments: options.readArguments ?? readStrictJson,
    repeats: new Repeats(maxIdenticalFailures, identicalFailureCoolDownMs),
    nearRepeats: new Repeats(nearLimit(options), identicalFailureCoolDownMs),
    streaks: new Streaks(),
    repetitions: new Map(),
    closedTools: new Set(),
    toolPolicies: new Map(Object.entries(options.toolValidationRetries ?? {})),
    globalPolicy: options.validationRetries,
    refusals: 0,
    stopped: undefined,
    trace: undefined,
  };
}

/** The policy in force now: global, tool, call; the most specific wins (docs/specification.md#s2). */
export function policyOf(state: RunState, toolName: string | undefined, own?: RetryPolicyLayer): RetryPolicy {
  return mergeRetryPolicies(state.globalPolicy, toolName === undefined ? undefined : state.toolPolicies.get(toolName), own);
}

/** Begins the record of a turn. */
export function openScope(state: RunState, answer: ModelAnswer, startedAt: number): AnswerScope {
  const turnId = state.kit.nextTurnId();
  const trace = openTrace(state, turnId, startedAt);
  state.trace = trace;
  return { answer, turnId, trace };
}

function openTrace({ kit, options: { onEvent } }: RunState, turnId: string, startedAt: number): Trace {
  const { timestamp, sink } = kit.streamedTraces;
  const heard = onEvent && {
    timestamp,
    hasSubscriber: () => true,
    sink: (event: TraceEvent) => {
      sink(event);
      callSafely(() => onEvent(event), ignore);
    },
  };
  return new StreamedTrace(heard ?? kit.streamedTraces, turnId, startedAt, kit.epochAt(startedAt));
}

function ignore(): void {
  // The run continues.
}

/** Where events go that belong to no answer: behind the latest one. */
export function currentTrace(state: RunState): Trace {
  return (state.trace ??= openTrace(state, state.kit.nextTurnId(), state.kit.system.now()));
}

/** Tells an event to the trace and to the session; answers the reducers that threw at it. */
export function record(state: RunState, scope: AnswerScope | undefined, body: AgentEventBody): readonly ReducerError[] {
  const { kit } = state;
  const now = kit.system.now();
  const trace = scope?.trace ?? currentTrace(state);
  // A trace stamps what it is given.
  trace.append({ ...body } as TraceEventBody, now);
  return tellSession(state, trace, body);
}

/** Tells an event to the session alone, and its failing reducers to the trace. */
export function tellSession({ kit, session }: RunState, trace: Trace, body: SessionEventBody): readonly ReducerError[] {
  const failures = appended(session, body);
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
      kit.system.now(),
    );
  }
  return failures;
}

/** A session of somebody else's making may do anything. */
function appended(session: AnySession, body: SessionEventBody): readonly ReducerError[] {
  try {
    return [...session.append(body).reducerErrors];
  } catch {
    return [];
  }
}

export function stopRun(state: RunState, scope: AnswerScope | undefined, stopped: RunStopped): void {
  if (state.stopped) return;
  state.stopped = stopped;
  record(state, scope, { event_type: 'AgentRunStopped', reason: stopped.reason, message: stopped.message });
}
