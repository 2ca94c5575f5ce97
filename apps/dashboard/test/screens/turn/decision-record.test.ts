import type { DecisionInputs, TraceEvent } from '@holdfast/core';
import { describe, expect, it } from 'vitest';
import { decisionRecord, type DecisionRecord } from '../../../src/screens/turn/decision/decision-record.model.ts';
import { createTurnEvents } from '../../../src/screens/turn/turn-events.model.ts';
import { deadlined, record, refused, troubled } from './recorded-turns.ts';

function recordsOf(events: readonly TraceEvent[], callId: string): readonly DecisionRecord[] {
  const fold = createTurnEvents();
  fold.append(events);
  const view = fold.view();
  const call = view.calls.find((each) => each.callId === callId);
  return (call?.decisions ?? []).map((decision) => decisionRecord(decision, call?.failures ?? [], view));
}

describe('the record of a decision', () => {
  it('has nothing to say about a retry that was made, but what was checked', async () => {
    const [first] = recordsOf(await troubled(), 'weather');
    expect(first).toMatchObject({ title: 'Attempt 1 of weather failed', action: 'retry', stoppedBy: '', otherwise: [] });
    expect(first?.verdict).toMatch(/^Retry in \d+\sms$/u);
    const retry = first?.strategies.find(({ strategy }) => strategy === 'retry');
    expect(retry?.chosen).toBe(true);
    expect(retry?.checks.find(({ guard }) => guard === 'attempts_left')).toMatchObject({ passed: true, value: '1', limit: 'below 5' });
    expect(first?.strategies.find(({ strategy }) => strategy === 'partial')?.inapplicable).toBe(true);
  });

  it('says which check closed the strategy, and what would have changed it', async () => {
    const last = recordsOf(await troubled(), 'flights').at(-1);
    expect(last).toMatchObject({ stoppedBy: 'attempts', action: 'use_alternative', verdict: 'Use flights_backup instead' });
    const checks = last?.strategies.find(({ strategy }) => strategy === 'retry')?.checks.filter(({ passed }) => !passed);
    expect(checks).toMatchObject([{ guard: 'attempts_left', decisive: true, first: true, value: '3', limit: 'not below 3' }]);
    expect(last?.otherwise).toMatchObject([
      { strategy: 'retry', conditions: ['max_attempts 4 or more'], change: { tool: 'flights', max_attempts: 4 }, caveat: '' },
    ]);
    expect(last?.otherwise[0]?.outcome).toMatch(/^It would have been retried after \d+\sms$/u);
  });

  it('offers no setting against a permanent error, and owns up to what was never worked out', async () => {
    const [only] = recordsOf(await refused(), 'gone');
    const [retry, fallback] = only?.otherwise ?? [];
    expect(retry?.conditions).toEqual(['an error that is transient: rule status:410 says permanent']);
    expect(retry?.change).toBeUndefined();
    expect(retry?.caveat).toMatch(/never worked out/u);
    expect(fallback).toMatchObject({ strategy: 'fallback', conditions: ['a fallback value declared'], change: undefined });
  });

  it('names the policy rule', async () => {
    const [only] = recordsOf(await refused(), 'booking');
    expect(only?.recoveryRules).toEqual(['never-twice denies retry: May have booked.']);
    expect(only?.otherwise[0]?.conditions).toEqual(['no policy rule never-twice against it']);
  });

  it('leads a failure that opened the circuit to its threshold, and does not trust the time that was checked with the circuit’s wait', async () => {
    const [only] = recordsOf(await refused(), 'breaking');
    expect(only?.stoppedBy).toBe('circuit');
    expect(only?.otherwise[0]).toMatchObject({
      outcome: 'It would have been retried',
      conditions: ['a failure_threshold of 3 or more: this failure opened the circuit'],
      change: { tool: 'breaking', failure_threshold: 3 },
    });
    expect(only?.otherwise[0]?.caveat).toMatch(/circuit’s own wait/u);
  });

  it('leads a retry that the turn had no time for to the deadline', async () => {
    const [only] = recordsOf(await deadlined(), 'flaky');
    expect(only?.otherwise[0]?.conditions).toEqual(['more than 400\u00A0ms left in the turn; it had 300\u00A0ms']);
    expect(only?.otherwise[0]?.change).toEqual({ turn_timeout_ms: 650 });
  });

  it('is right: with the setting that it names, the engine decides to retry', async () => {
    const flaky = (maxAttempts: number): Promise<readonly TraceEvent[]> =>
      record((run) => ({
        tools: [{ name: 'flaky', retry: { initialDelayMs: 100, maxAttempts }, run: run([{ takesMs: 10, error: { status: 503 } }]) }],
        calls: [{ callId: 'flaky', toolName: 'flaky' }],
      }));
    const change = recordsOf(await flaky(2), 'flaky').at(-1)?.otherwise[0]?.change;
    const decisions = recordsOf(await flaky(change?.max_attempts ?? 0), 'flaky');
    expect(decisions.map(({ action }) => action)).toEqual(['retry', 'retry', 'escalate']);
  });

  it('survives inputs that are not what they should be', () => {
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
    ).toBe('Give up');
  });
});

describe('what others have said', () => {
  it('is shown with every sign in it', async () => {
    const [first] = await troubled().then((events) =>
      recordsOf(
        events.map((event) => (event.event_type === 'ToolError' ? { ...event, error: 'no\u202Eevil' } : event)),
        'weather',
      ),
    );
    expect(first?.failure?.message).toBe('no⟨U+202E⟩evil');
  });

  it('is not judged by checks that did not decide: an advisor’s decision has no otherwise', async () => {
    const events = await troubled().then((all) =>
      all.map((event) => (event.event_type === 'RecoveryDecided' ? { ...event, decided_by: 'handler' as const } : event)),
    );
    const last = recordsOf(events, 'flights').at(-1);
    expect(last?.otherwise).toEqual([]);
    expect(last?.decidedBy).toMatch(/advisor/u);
  });
});
