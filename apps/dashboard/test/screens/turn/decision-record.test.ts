import type { DecisionInputs, TraceEvent } from '@holdfast/core';
import { describe, expect, it } from 'vitest';
import { decisionRecord, type DecisionRecord } from '../../../src/screens/turn/decision/decision-record.model.ts';
import { createTurnEvents } from '../../../src/screens/turn/turn-events.model.ts';
import { deadlined, held, record, refused, troubled } from './recorded-turns.ts';

function recordsOf(events: readonly TraceEvent[], callId: string): readonly DecisionRecord[] {
  const turnEvents = createTurnEvents();
  turnEvents.append(events);
  const view = turnEvents.view();
  const call = view.calls.find((each) => each.callId === callId);
  return (call?.decisions ?? []).map((decision) => decisionRecord(decision, call?.failures ?? [], view));
}

describe('the record of a decision', () => {
  it('has no counterfactuals for a retry, but lists its checks', async () => {
    const [first] = recordsOf(await troubled(), 'weather');
    expect(first).toMatchObject({ title: 'Attempt 1 of weather failed', action: 'retry', stoppedBy: '', counterfactuals: [] });
    expect(first?.verdict).toMatch(/^Retry in \d+\sms$/u);
    const retry = first?.strategies.find(({ strategy }) => strategy === 'retry');
    expect(retry?.chosen).toBe(true);
    expect(retry?.checks.find(({ guard }) => guard === 'attempts_left')).toMatchObject({ passed: true, value: '1', limit: 'below 5' });
    expect(first?.strategies.find(({ strategy }) => strategy === 'partial')?.inapplicable).toBe(true);
  });

  it('names the check that ruled out the strategy, and what would have changed it', async () => {
    const last = recordsOf(await troubled(), 'flights').at(-1);
    expect(last).toMatchObject({ stoppedBy: 'attempts', action: 'use_alternative', verdict: 'Use flights_backup instead' });
    const checks = last?.strategies.find(({ strategy }) => strategy === 'retry')?.checks.filter(({ passed }) => !passed);
    expect(checks).toMatchObject([{ guard: 'attempts_left', decisive: true, first: true, value: '3', limit: 'not below 3' }]);
    expect(last?.counterfactuals).toMatchObject([
      { strategy: 'retry', conditions: ['max_attempts of at least 4'], change: { tool: 'flights', max_attempts: 4 }, caveat: '' },
    ]);
    expect(last?.counterfactuals[0]?.outcome).toMatch(/^It would have been retried after \d+\sms$/u);
  });

  it('offers no setting for a permanent error, and has a caveat for what was not computed', async () => {
    const [only] = recordsOf(await refused(), 'gone');
    const [retry, fallback] = only?.counterfactuals ?? [];
    expect(retry?.conditions).toEqual(['a transient error: rule status:410 classified it as permanent']);
    expect(retry?.change).toBeUndefined();
    expect(retry?.caveat).toMatch(/never computed/u);
    expect(fallback).toMatchObject({ strategy: 'fallback', conditions: ['a fallback value declared'], change: undefined });
  });

  it("shows the hold of a server's Retry-After beside the circuit", async () => {
    const [told] = recordsOf(await held(3_600_000), 'told');
    const [other] = recordsOf(await held(3_600_000), 'other');
    const circuitOf = (one: DecisionRecord | undefined): string | undefined =>
      one?.inputs.find(({ name }) => name === 'Circuit')?.value.replaceAll('\u00A0', ' ');
    expect([circuitOf(told), circuitOf(other)]).toEqual(['closed, held for 10 s', 'closed, held for 9.95 s']);
  });

  it('names the recovery rule', async () => {
    const [only] = recordsOf(await refused(), 'booking');
    expect(only?.recoveryRules).toEqual(['never-twice denies retry: The booking may exist.']);
    expect(only?.counterfactuals[0]?.conditions).toEqual(['no recovery rule never-twice against it']);
  });

  it('suggests the failure threshold if the failure opened the circuit, with a caveat about the delay', async () => {
    const [only] = recordsOf(await refused(), 'breaking');
    expect(only?.stoppedBy).toBe('circuit');
    expect(only?.counterfactuals[0]).toMatchObject({
      outcome: 'It would have been retried',
      conditions: ['a failure_threshold of at least 3: this failure opened the circuit'],
      change: { tool: 'breaking', failure_threshold: 3 },
    });
    expect(only?.counterfactuals[0]?.caveat).toMatch(/delay of the open circuit/u);
  });

  it('suggests the deadline of the turn if a retry did not fit', async () => {
    const [only] = recordsOf(await deadlined(), 'flaky');
    expect(only?.counterfactuals[0]?.conditions).toEqual(['more than 400\u00A0ms left in the turn; it had 300\u00A0ms']);
    expect(only?.counterfactuals[0]?.change).toEqual({ turn_timeout_ms: 650 });
  });

  it('suggests settings with which the engine retries', async () => {
    const flaky = (maxAttempts: number): Promise<readonly TraceEvent[]> =>
      record((run) => ({
        tools: [{ name: 'flaky', retry: { initialDelayMs: 100, maxAttempts }, run: run([{ takesMs: 10, error: { status: 503 } }]) }],
        calls: [{ callId: 'flaky', toolName: 'flaky' }],
      }));
    const change = recordsOf(await flaky(2), 'flaky').at(-1)?.counterfactuals[0]?.change;
    const decisions = recordsOf(await flaky(change?.max_attempts ?? 0), 'flaky');
    expect(decisions.map(({ action }) => action)).toEqual(['retry', 'retry', 'escalate']);
  });

  it('accepts malformed inputs', () => {
    const broken = {
      seq: 1,
      atMs: 0,
      toolName: 'a',
      attempt: 1,
      inputs: {} as DecisionInputs,
      decision: { action: 'fail', reason: '', guards: [] } as const,
    };
    expect(
      decisionRecord({ ...broken, decidedBy: 'handler' }, [], { timeoutMs: undefined, maxRetries: undefined, circuits: [] }).verdict,
    ).toBe('Fail');
  });
});

describe('untrusted text', () => {
  it('is shown with its invisible characters', async () => {
    const [first] = await troubled().then((events) =>
      recordsOf(
        events.map((event) => (event.event_type === 'ToolError' ? { ...event, error: 'no\u202Eevil' } : event)),
        'weather',
      ),
    );
    expect(first?.failure?.message).toBe('no⟨U+202E⟩evil');
  });

  it('has no counterfactuals for the decision of an advisor', async () => {
    const events = await troubled().then((all) =>
      all.map((event) => (event.event_type === 'RecoveryDecided' ? { ...event, decided_by: 'handler' as const } : event)),
    );
    const last = recordsOf(events, 'flights').at(-1);
    expect(last?.counterfactuals).toEqual([]);
    expect(last?.decidedBy).toMatch(/advisor/u);
  });
});
