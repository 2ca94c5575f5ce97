/**
 * What a trace says twice it has to say alike: plans and skips, errors and decisions, decisions and what follows, results and completions. A field that is dropped or
 * wrong in one record is noticed by the other.
 */
import type { ToolResult, TraceEvent } from '@holdfast/core';
import { expect } from 'vitest';
import { eventsOf } from './events-of.ts';

/** @param results of the calls that are traced, if they are known */
export function expectConsistent(events: readonly TraceEvent[], results: readonly ToolResult[] = []): void {
  expectStamps(events);
  expectPlans(events);
  expectDecisions(events);
  expectTimeouts(events);
  for (const result of results) expectCompletion(events, result);
}

function expectStamps(events: readonly TraceEvent[]): void {
  const last = new Map<string, TraceEvent>();
  for (const event of events) {
    const before = last.get(event.turn_id);
    expect(event.turn_id).toMatch(/\S/u);
    expect(event.seq).toBe((before?.seq ?? 0) + 1);
    expect(event.elapsed_ms).toBeGreaterThanOrEqual(before?.elapsed_ms ?? 0);
    if (before) expect(Date.parse(event.timestamp) - Date.parse(before.timestamp)).toBeCloseTo(event.elapsed_ms - before.elapsed_ms, -1);
    last.set(event.turn_id, event);
  }
}

/** What a call was planned as is what its events say. */
function expectPlans(events: readonly TraceEvent[]): void {
  for (const { turn_id: turn, calls } of eventsOf(events, 'TurnStarted')) {
    const planOf = (id: string) => calls.find(({ call_id: own }) => own === id);
    const ofTurn = events.filter(({ turn_id: own }) => own === turn);
    for (const event of eventsOf(ofTurn, 'CallStarted')) expect(event.tool_id).toBe(planOf(event.call_id)?.tool_id);
    for (const { call_id: id, tool_id: tool, critical } of eventsOf(ofTurn, 'Escalated'))
      expect([tool, critical], id).toEqual([planOf(id)?.tool_id, planOf(id)?.critical === true]);
    for (const { call_id: id, tool_id: tool, optional, caused_by: causes } of eventsOf(ofTurn, 'ToolSkipped')) {
      expect([tool, optional], id).toEqual([planOf(id)?.tool_id, planOf(id)?.optional === true]);
      expect(planOf(id)?.depends_on, id).toContain(causes[0]);
    }
    for (const { call_id: id, dependency } of eventsOf(ofTurn, 'DefaultUsed'))
      if (dependency !== undefined) expect(planOf(id)?.defaults, id).toContain(dependency);
    for (const { escalated } of eventsOf(ofTurn, 'TurnCompleted')) {
      const lost = eventsOf(ofTurn, 'CallCompleted').filter(({ status }) => status !== 'success');
      expect(escalated).toBe(lost.some(({ call_id: id }) => planOf(id)?.critical === true));
    }
  }
}

/** A decision is about the failure that it follows, and what follows is what was decided. */
function expectDecisions(events: readonly TraceEvent[]): void {
  for (const [index, event] of events.entries()) {
    if (event.event_type !== 'RecoveryDecided') continue;
    const { inputs, decision, attempt, tool_id: tool, call_id: id, turn_id: turn } = event;
    const isOwn = (other: TraceEvent): boolean => other.turn_id === turn && 'call_id' in other && other.call_id === id;
    expect([inputs.tool_id, inputs.turn_id, event.message]).toEqual([tool, turn, decision.reason]);
    const error = events[index - 1];
    if (error?.event_type === 'ToolError') {
      expect([error.attempt, error.decision, error.tool_id]).toEqual([attempt, decision.action, tool]);
      expect([error.classification, error.category, error.rule, error.ambiguous, error.circuit_breaker_state, error.retry_count]).toEqual([
        inputs.classification,
        inputs.category,
        inputs.rule,
        inputs.ambiguous,
        inputs.circuit_breaker_state,
        inputs.retry_count,
      ]);
    }
    const next = events.slice(index + 1).find((other) => isOwn(other) && !other.event_type.startsWith('CircuitBreaker'));
    if (decision.action === 'retry')
      expect(next).toMatchObject({ event_type: 'RetryScheduled', tool_id: tool, delay_ms: decision.delay_ms });
    if (decision.action === 'use_alternative')
      expect(next).toMatchObject({ event_type: 'AlternativeUsed', alternative: decision.alternative });
  }
}

/** A timeout has the limit that its attempt started with, and comes when it is reached. */
function expectTimeouts(events: readonly TraceEvent[]): void {
  const started = eventsOf(events, 'AttemptStarted');
  for (const { turn_id: turn, call_id: id, attempt, tool_id: tool, timeout_ms: limit, idle, elapsed_ms: at } of eventsOf(
    events,
    'ToolTimeout',
  )) {
    const own = started.find((event) => event.turn_id === turn && event.call_id === id && event.attempt === attempt);
    expect(own?.tool_id, id).toBe(tool);
    if (!idle) expect([limit, at >= limit + (own?.elapsed_ms ?? 0) - 2], id).toEqual([own?.timeout_ms, true]);
  }
}

function expectCompletion(
  events: readonly TraceEvent[],
  { toolName, callId, status, attempts, servedBy, executionTime, error, ...rest }: ToolResult,
): void {
  const own = eventsOf(events, 'CallCompleted').findLast(({ call_id: id }) => id === callId);
  if (!own) return;
  expect(own).toMatchObject({ tool_id: toolName, status, attempts, served_by: servedBy, execution_time_ms: executionTime });
  expect([own.code, own.error, own.classification, own.category, own.stopped_by]).toEqual([
    error?.code,
    error?.message,
    error?.classification,
    error?.category,
    error?.stoppedBy,
  ]);
  expect([own.fallback_used === true, own.partial === true, own.skipped === true]).toEqual([
    rest.fallbackUsed === true,
    rest.partial === true,
    error?.causedBy !== undefined,
  ]);
}
