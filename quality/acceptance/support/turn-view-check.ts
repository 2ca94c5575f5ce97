import type { ToolResult, TurnResult } from '@holdfast/core';
import { foldTurn, type CallView } from '@holdfast/core/turn-view';
import { expect } from 'vitest';
import { idOf, type ModelCall, type ModelTurn } from './turn-model.ts';

/** Every event has its number, time and turn; a call starts before it fails, and is skipped before it is escalated. */
export function expectInOrder({ trace, turnId }: TurnResult): void {
  expect(trace.map(({ seq }) => seq)).toEqual(trace.map((_, index) => index + 1));
  const [first] = trace;
  for (const [index, event] of trace.entries()) {
    expect(event.turn_id).toBe(turnId);
    expect(event.elapsed_ms).toBeGreaterThanOrEqual(trace[index - 1]?.elapsed_ms ?? 0);
    expect(Date.parse(event.timestamp) - Date.parse(first?.timestamp ?? '')).toBe(event.elapsed_ms - (first?.elapsed_ms ?? 0));
  }
  const order = [
    'CallStarted',
    'AttemptStarted',
    'ToolTimeout',
    'ToolError',
    'RecoveryDecided',
    'ToolSkipped',
    'Escalated',
    'CallCompleted',
  ];
  const firsts = new Map<string, number>();
  for (const event of trace) {
    const rank = 'call_id' in event ? order.indexOf(event.event_type) : -1;
    const key = `${'call_id' in event ? event.call_id : ''} ${event.event_type}`;
    if (rank < 0 || firsts.has(key)) continue;
    firsts.set(key, rank);
    const id = key.slice(0, key.indexOf(' ') + 1);
    for (const [other, before] of firsts) if (other.startsWith(id)) expect(before, `${other}, ${key}`).toBeLessThanOrEqual(rank);
  }
}

/** What is shown of a turn is read from its trace alone: it says the same as the report. */
export function expectView({ trace, results, ...report }: TurnResult, plan: readonly ModelCall[], model: ModelTurn): void {
  const view = foldTurn(trace);
  const { outcome, escalated, summary, criticalPath, turnId, executionTime } = report;
  expect(view).toMatchObject({
    status: 'completed',
    outcome,
    escalated,
    criticalPath,
    turnId,
    events: trace.length,
    durationMs: executionTime,
    faults: [],
  });
  // The trace has the calls in an order of its own.
  expect(wordsOf(view.summary)).toEqual(wordsOf(summary));
  expect(view.calls).toHaveLength(results.length);
  for (const [index, result] of results.entries()) {
    const call = view.calls.find(({ callId }) => callId === result.callId) as CallView;
    const planned = plan[index] as ModelCall;
    const ending = model.calls[index] as ModelEnding;
    expectCall(call, planned, ending, result);
    if (!ending.byDeadline) expectAttempts(call, planned, ending);
  }
}

type ModelEnding = ModelTurn['calls'][number];

function expectCall(call: CallView, { does, optional, critical, dependsOn }: ModelCall, ending: ModelEnding, result: ToolResult): void {
  const { status, attempts, skipped, fallbackUsed, startedAt, endedAt, usedDefaults, missing, stoppedBy } = ending;
  expect(call, call.callId).toMatchObject({
    toolName: result.toolName,
    optional,
    critical,
    attempts,
    startedMs: startedAt,
    endedMs: endedAt,
    end: {
      status,
      attempts,
      skipped,
      fallbackUsed,
      executionMs: result.executionTime,
      servedBy: result.servedBy,
      code: result.error?.code ?? '',
      stoppedBy: stoppedBy ?? result.error?.stoppedBy ?? '',
    },
  });
  expect(call.dependsOn.toSorted()).toEqual(dependsOn.map(idOf).toSorted());
  // The tool's own fallback belongs to no dependency.
  const fallback = does === 'fallback' && fallbackUsed ? [''] : [];
  expect(call.defaults.toSorted()).toEqual([...usedDefaults.map(idOf), ...fallback].toSorted());
  expect(call.skip?.optional, call.callId).toBe(skipped ? optional : undefined);
  expect(call.skip?.causedBy ?? [], call.callId).toEqual(missing.length === 0 ? [] : result.error?.causedBy);
}

function expectAttempts(call: CallView, planned: ModelCall, { status, attempts, startedAt, endedAt }: ModelEnding): void {
  const { callId } = call;
  const tried = call.segments.filter(({ kind }) => kind === 'attempt');
  const ends = tried.map(({ result }) => result);
  expect(ends, callId).toEqual(endsOf(planned.does, status, attempts));
  if (startedAt !== undefined) expect([tried[0]?.startMs, tried.at(-1)?.endMs], callId).toEqual([startedAt, endedAt]);
  const failed = tried.filter(({ result }) => result !== 'success');
  const failures = call.failures.map(({ timedOut, durationMs, attempt }) => [timedOut, durationMs, attempt]);
  expect(failures, callId).toEqual(
    failed.map(({ result, startMs, endMs, attempt }) => [result === 'timeout', (endMs ?? 0) - startMs, attempt]),
  );
  const decisions = call.decisions.map(({ decision: { action }, attempt }) => [action, attempt]);
  expect(decisions, callId).toEqual(decisionsOf(planned, attempts));
}

const wordsOf = (sentence: string): readonly string[] => sentence.split(/\W+/u).toSorted();

const endsOf = (does: ModelCall['does'], status: string, attempts: number): readonly string[] =>
  attempts === 0 ? [] : [...(attempts === 2 ? [does === 'hang_alternative' ? 'timeout' : 'error'] : []), status];

/** One for each failure. */
function decisionsOf({ does, optional }: ModelCall, attempts: number): readonly (readonly [string, number])[] {
  if (attempts === 0 || does === 'succeed') return [];
  if (does === 'recover' && attempts === 2) return [['retry', 1]];
  if (does.endsWith('alternative')) return [['use_alternative', 1]];
  return [[does === 'fallback' ? 'use_default' : optional ? 'fail' : 'escalate', 1]];
}
