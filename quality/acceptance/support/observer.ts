/**
 * The rules that every result of the public classes follows, written from the documents. They are checked for everything that the acceptance tests do.
 * A test of one example says nothing about a field that it does not read; here every field of every result, turn, answer and session is read.
 */
import type { FailureNotice, HandlerAnswer, ToolCall, ToolResult, TurnPlan, TurnResult } from '@holdfast/core';
import type { Session, SessionEvent, ToolAnswer } from '@holdfast/core/agent';
import { expect } from 'vitest';
import { expectConsistent } from './consistent-trace.ts';
import { expectExported } from './exported-metrics.ts';

/** The flaws found since they were taken last. */
let flaws: unknown[] = [];

export function takeFlaws(): readonly unknown[] {
  const found = flaws;
  flaws = [];
  return found;
}

let sessions = new Set<Session>();

/** Its slices are compared with its events when the test has ended. */
export const noteSession = (session: Session): unknown => sessions.add(session);

export function checkSessions(): void {
  for (const session of sessions) observe(() => expectSession(session));
  sessions = new Set();
}

/** A check that fails never changes what the test sees: it is reported when the test has ended. */
export function observe(check: () => void): void {
  try {
    check();
  } catch (error) {
    flaws.push(error);
  }
}

/** Codes that only the caller, the plan or the circuit explains: the same call fails again, or nothing was called (S4 "Error categorization"). */
const neverRetryable =
  /^(?:CIRCUIT_OPEN|AUTHENTICATION_FAILED|PERMISSION_DENIED|INVALID_|UNKNOWN_TOOL|TOOL_DISABLED|CANCELLED|DEPENDENCY_FAILED)/u;
const timedOut = /^(?:TOOL_TIMEOUT|TURN_DEADLINE)$/u;
const resultKeys: readonly string[] = [
  'toolName',
  'callId',
  'status',
  'output',
  'error',
  'executionTime',
  'attempts',
  'servedBy',
  'fallbackUsed',
  'partial',
  'altered',
  'skipped',
];

/** S4 "Structured result (always returned)". */
export function expectResult(result: ToolResult, call?: unknown): void {
  const { toolName, callId, status, output, error, executionTime, attempts, servedBy, fallbackUsed, partial } = result;
  expect(Object.keys(result).filter((key) => !resultKeys.includes(key))).toEqual([]);
  for (const name of [toolName, callId, servedBy]) expect(name).toBeTypeOf('string');
  expect(callId).not.toBe('');
  const { callId: givenId, toolName: givenName } = readable(call);
  if (typeof givenId === 'string' && givenId !== '') expect(callId).toBe(givenId);
  if (typeof givenName === 'string') expect(toolName).toBe(givenName);
  expect(['success', 'error', 'timeout']).toContain(status);
  expect(executionTime).toBeGreaterThanOrEqual(0);
  expect(Number.isSafeInteger(attempts) && attempts >= 0).toBe(true);
  if (partial !== undefined) expect([partial, status]).toEqual([true, 'success']);
  if (status === 'success') {
    expect([error, 'output' in result]).toEqual([undefined, true]);
    expect(fallbackUsed ?? false).toBe(servedBy !== toolName);
    return;
  }
  expect('output' in result && output !== undefined, 'a failed call has the output of its fallback, and no other').toBe(
    fallbackUsed === true && output !== undefined,
  );
  expectError(result);
}

function expectError({ toolName, status, error, fallbackUsed, skipped, attempts }: ToolResult & { readonly skipped?: boolean }): void {
  if (error === undefined) throw new Error('A failed result has no error');
  const { code, message, userMessage, retryable, classification, ambiguous } = error;
  expect(code).toMatch(/^[A-Z][A-Z_]*$/u);
  expect(message).toBeTypeOf('string');
  // A tool may throw an error about a timeout, and the caller may have a time limit of its own.
  if (code !== 'TIMEOUT') expect(status).toBe(timedOut.test(code) && !fallbackUsed ? 'timeout' : 'error');
  expect(['transient', 'permanent', 'neutral']).toContain(classification);
  expect(retryable).toBeTypeOf('boolean');
  if (classification !== 'transient' || neverRetryable.test(code)) expect(retryable, code).toBe(false);
  else if (!ambiguous) expect(retryable, code).toBe(true);
  expect((skipped === true) === (code === 'DEPENDENCY_FAILED') && (!skipped || attempts === 0), code).toBe(true);
  expectFriendly(userMessage, { toolName, message });
  for (const [codes, words] of wordsOf) if (codes.test(code)) expect(userMessage, code).toMatch(words);
}

/** The words for the user by category (S4 "Error categorization"). */
const wordsOf: readonly (readonly [codes: RegExp, words: RegExp])[] = [
  [/^(?:TOOL_)?TIMEOUT$/u, /did not respond in time/u],
  [/^TURN_DEADLINE$/u, /Time ran out/u],
  [/^NETWORK_ERROR$/u, /could not be reached/u],
  [/^RATE_LIMITED$/u, /busy/u],
  [/^(?:CIRCUIT_OPEN|SERVICE_UNAVAILABLE)$/u, /temporarily unavailable/u],
  [/^AUTHENTICATION_FAILED$/u, /sign in/u],
  [/^PERMISSION_DENIED$/u, /not allowed/u],
  [/^NOT_FOUND$/u, /could not find/u],
  [/^INVALID_(?:INPUT|ARGUMENTS)$/u, /could not process/u],
  [/^INVALID_(?:RESPONSE|OUTPUT)$/u, /unusable response/u],
  [/^TOOL_DISABLED$/u, /disabled/u],
  [/^CANCELLED$/u, /cancelled/u],
  [/^DEPENDENCY_FAILED$/u, /a step it depends on failed/u],
];

/** One sentence for the user that names the tool, with nothing technical in it. */
function expectFriendly(userMessage: string, { toolName, message }: { readonly toolName: string; readonly message: string }): void {
  expect(userMessage).toMatch(/^(?:The|Too many|Time ran out) .*[.]$/su);
  expect(userMessage).not.toContain('undefined');
  const technical = message.replace('Tool error: ', '');
  if (technical.length > 12) expect(userMessage).not.toContain(technical);
  const [title = ''] = /[a-z]{3,}/u.exec(toolName) ?? [];
  if (/^[a-z_]{3,40}$/u.test(toolName) && !userMessage.startsWith('The requested')) expect(userMessage.toLowerCase()).toContain(title);
}

/** The handler has all that S0 6.2 and S1 6.1 name, and its decision keeps the limits of S0 2.3 and 3.4, whether the built-in rules or the advisor decided. */
export function expectDecision({ inputs, decision, decidedBy }: HandlerAnswer, notice: FailureNotice): void {
  const { facts, turnId, callId, toolName, attempt, code, message } = notice;
  for (const text of [turnId, callId, toolName, code]) expect(text).toMatch(/\S/u);
  expect([message, attempt >= 0, decidedBy]).toEqual([expect.any(String), true, 'built_in']);
  expect(inputs).toEqual({ ...facts, recoveryRules: inputs.recoveryRules, evidence: inputs.evidence });
  expect([facts.turnId, facts.toolName]).toEqual([turnId, toolName]);
  if (facts.failure !== 'refused' && attempt === 0) expect(facts.attempts).toBe(0);
  const { action, reason, alternative, delayMs } = decision;
  expect(reason).toMatch(/\S/u);
  expect(delayMs !== undefined).toBe(action === 'retry');
  if (action === 'use_alternative')
    expect(facts.alternatives.filter(({ available }) => available).map((each) => each.toolName)).toContain(alternative);
  if (action === 'use_default') expect(facts.fallbackAvailable).toBe(true);
  if (action === 'accept_partial') expect([facts.acceptPartial, facts.partialAvailable]).toEqual([true, true]);
  if (action !== 'retry' || facts.mayWaitMs !== undefined || facts.unknownFailures !== undefined) return;
  expect([facts.classification, facts.circuit !== 'open', facts.probe]).toEqual(['transient', true, false]);
  expect([facts.attempts < facts.maxAttempts, facts.retryElapsedMs < facts.maxTotalTimeMs]).toEqual([true, true]);
}

/** One result for each call, in the order of the calls. */
export function expectResults(results: readonly ToolResult[], calls: unknown): void {
  if (!Array.isArray(calls)) return;
  expect(results).toHaveLength(calls.length);
  for (const [index, result] of results.entries()) expectResult(result, calls[index]);
}

/** A turn has what its plan asked for, and says so in its trace. */
export function expectTurn(turn: TurnResult, plan: TurnPlan): void {
  const { calls } = readable(plan);
  if (Array.isArray(calls)) expect(turn.results).toHaveLength(calls.length);
  for (const [index, result] of turn.results.entries()) expectResult(result, Array.isArray(calls) ? calls[index] : undefined);
  expect(turn.summary).toMatch(/\S/u);
  expect(turn.executionTime).toBeGreaterThanOrEqual(Math.max(0, ...turn.results.map(({ executionTime }) => executionTime)) - 0.001);
  if (turn.problems !== undefined) return;
  const own = turn.results.map(({ callId }) => callId);
  expect(turn.criticalPath.filter((id) => !own.includes(id))).toEqual([]);
  expectConsistent(turn.trace, turn.results);
  expectExported(turn.trace);
  const [end, ...more] = turn.trace.filter(({ event_type: type }) => type === 'TurnCompleted');
  if (!end || end.event_type !== 'TurnCompleted') throw new Error('The trace of a turn does not end');
  expect([end.outcome, end.escalated, more]).toEqual([turn.outcome, turn.escalated, []]);
}

/** The model sees what happened, in the order in which it asked (S3 "LLM sees error messages"). */
export function expectAnswers(answers: readonly ToolAnswer[], calls: unknown): void {
  if (!Array.isArray(calls)) return;
  expect(answers).toHaveLength(calls.length);
  for (const [index, answer] of answers.entries()) expectAnswer(answer, calls[index]);
}

export function expectAnswer({ callId, toolName, result, text, isError }: ToolAnswer, call?: unknown): void {
  expectResult(result, call);
  expect([callId, toolName, isError]).toEqual([result.callId, result.toolName, result.status !== 'success']);
  const { error, output } = result;
  if (error !== undefined) {
    expect(text).toMatch(new RegExp(`^Error ${error.code}: `, 'u'));
    if (error.message.length < 2_000) expect(text).toContain(error.message);
    if (error.advice !== undefined) expect(text).toContain('Next: ');
  } else if (typeof output === 'string' && output !== '') expect(text).toContain(output);
}

/** The slices of a session are what its events say, entry by entry and field by field (S2 "Structured feedback" and "Reducer error propagation"). */
function expectSession(session: Session): void {
  const { events } = session;
  for (const { seq, correlation_id: id, timestamp } of events) {
    expect([id, seq >= 1]).toEqual([session.correlationId, true]);
    expect(new Date(timestamp).toISOString()).toBe(timestamp);
  }
  const exhausted = events.filter((event) => event.event_type === 'ValidationRetryExhausted');
  const errors = session.state.exhausted;
  for (const [index, error] of errors.entries()) expectExhausted(error, exhausted.at(index - errors.length));
  for (const feedback of session.feedback) {
    const { attempt, maxAttempts, source, toolName } = feedback;
    expect(Object.keys(feedback).toSorted()).toEqual(feedbackKeys);
    expect([attempt >= 1, Number.isInteger(maxAttempts), toolName === null]).toEqual([true, true, source === 'structured_output']);
    expect(events.filter((event) => isReportedBy(event, feedback)).length, 'feedback without its event').toBeGreaterThan(0);
  }
}

type Exhausted = Extract<SessionEvent, { event_type: 'ValidationRetryExhausted' }>;
type Feedback = Session['feedback'][number];
type Exhaustion = Session['state']['exhausted'][number];
const feedbackKeys = ['attempt', 'errorType', 'maxAttempts', 'message', 'nextDelaySeconds', 'retryScheduledAt', 'source', 'toolName'];

function isReportedBy(
  event: SessionEvent,
  { attempt, maxAttempts, source, toolName, errorType, message, retryScheduledAt, nextDelaySeconds }: Feedback,
): boolean {
  if (event.event_type !== 'ValidationRetryScheduled' && event.event_type !== 'ValidationRetryExhausted') return false;
  const delayMs = event.event_type === 'ValidationRetryScheduled' ? event.delay_ms : 0;
  return (
    event.attempt === attempt &&
    event.max_attempts === maxAttempts &&
    event.source === source &&
    (event.tool_id ?? null) === toolName &&
    event.error_type === errorType &&
    event.error === message &&
    event.retry_scheduled_at === retryScheduledAt &&
    delayMs === nextDelaySeconds * 1_000
  );
}

/** The terminal error has the whole history, attempt by attempt, each with the reason and the times of its feedback. */
function expectExhausted(error: Exhaustion, event: Exhausted | undefined): void {
  if (!event) throw new Error('An exhaustion without its event');
  const { message, source, tool_id: toolName = null, attempt, max_attempts: maxAttempts, stopped_by: stoppedBy, history } = event;
  expect(error).toEqual({
    name: 'RetryExhaustedError',
    code: 'RETRY_EXHAUSTED',
    message,
    source,
    toolName,
    attempts: attempt,
    maxAttempts,
    stoppedBy,
    history: history.map((each) => ({
      source,
      toolName,
      attempt: each.attempt,
      maxAttempts: each.max_attempts,
      errorType: each.error_type,
      message: each.error,
      retryScheduledAt: each.retry_scheduled_at,
      nextDelaySeconds: each.delay_ms / 1_000,
    })),
  });
  for (const { error: reason, error_type: type, retry_scheduled_at: time } of history)
    expect([reason, type, time].map((part) => typeof part)).toEqual(['string', 'string', 'string']);
}

/** What a hostile caller gave may throw when it is read. */
function readable(value: unknown): Partial<ToolCall & TurnPlan> {
  try {
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
