import { describe, expect, it } from 'vitest';
import type { AlertChange } from '../../../src/projections/alerts/alert.ts';
import type { AlertEngineOptions } from '../../../src/projections/alerts/engine.ts';
import { createAlertEngine } from '../../../src/projections/alerts/engine.ts';
import { defaultAlertRules } from '../../../src/projections/alerts/default-rules.ts';
import type { TraceEvent, TraceEventBody } from '../../../src/engine/trace/events.ts';

const started = Date.parse('2025-11-05T10:30:45.000Z');

/** An engine with its own counters that receives only events. */
class EventFed {
  readonly changes: AlertChange[] = [];
  readonly engine;
  #at = started;
  #seq = 0;

  constructor(options: AlertEngineOptions = {}) {
    this.engine = createAlertEngine({ onChange: (changes) => this.changes.push(...changes), ...options });
  }

  emit(body: TraceEventBody, afterMs = 0): this {
    this.#at += afterMs;
    const event = { turn_id: 't1', seq: ++this.#seq, timestamp: new Date(this.#at).toISOString(), elapsed_ms: this.#at - started, ...body };
    this.engine.observe(event as TraceEvent);
    return this;
  }

  calls(count: number, status: 'success' | 'error' = 'success', more: { readonly tool_id?: string; readonly call_id?: string } = {}): this {
    for (let index = 0; index < count; index++) {
      const call = { call_id: `c${this.#seq}`, tool_id: 'search', ...more };
      this.emit({ event_type: 'CallStarted', ...call });
      this.emit({ event_type: 'CallCompleted', ...call, status, served_by: call.tool_id, attempts: 1, execution_time_ms: 10 });
    }
    return this;
  }

  get firing(): readonly string[] {
    return this.engine.active().map(({ name }) => name);
  }
}

const circuit = { tool_id: 'search', message: '', reason: 'failure_threshold', call_id: 'c7' };
const invalid = {
  event_type: 'ToolError',
  tool_id: 'search',
  call_id: 'c7',
  error: 'no number',
  classification: 'permanent',
  circuit_breaker_state: 'closed',
  retry_count: 0,
  decision: 'fail',
  attempt: 1,
  code: 'INVALID_OUTPUT',
  category: 'contract',
  rule: 'output_schema',
  ambiguous: false,
  duration_ms: 5,
} as const satisfies TraceEventBody;

describe('with its own counters', () => {
  it('reports the opening of a circuit with its event, and the end when it has been closed for a while', () => {
    const alerts = new EventFed();
    alerts.emit({ event_type: 'CircuitBreakerOpened', failure_count: 5, ...circuit });
    expect(alerts.changes).toMatchObject([
      { kind: 'firing', atEpochMs: started, alert: { name: 'CircuitOpen', cause: { toolName: 'search', turnId: 't1', callId: 'c7' } } },
    ]);
    alerts.emit({ event_type: 'CircuitBreakerHalfOpened', ...circuit }, 30_000);
    expect(alerts.firing).toEqual(['CircuitOpen']);
    alerts.emit({ event_type: 'CircuitBreakerClosed', ...circuit }, 1_000);
    expect(alerts.changes.map(({ kind }) => kind)).toEqual(['firing']);
    alerts.engine.evaluate(started + 31_000 + 300_000);
    expect(alerts.changes.map(({ kind }) => kind)).toEqual(['firing', 'resolved']);
  });

  it('the circuit of a partition is no alert of the tool, and does not end one', () => {
    const alerts = new EventFed();
    alerts.emit({ event_type: 'CircuitBreakerOpened', failure_count: 5, ...circuit, partition: 'alice' });
    alerts.engine.evaluate(started + 60_000);
    expect(alerts.changes).toEqual([]);
    alerts.emit({ event_type: 'CircuitBreakerOpened', failure_count: 5, ...circuit }, 60_000);
    alerts.emit({ event_type: 'CircuitBreakerClosed', ...circuit, partition: 'alice' }, 1_000);
    alerts.engine.evaluate(started + 600_000);
    expect(alerts.firing).toEqual(['CircuitOpen']);
  });

  it('reports the first invalid response at once, with its call', () => {
    const alerts = new EventFed().emit(invalid);
    expect(alerts.changes).toMatchObject([{ kind: 'firing', alert: { name: 'ResponseInvalid', measured: '1', cause: { callId: 'c7' } } }]);
  });

  it('does not evaluate for further ones, since nothing changes', () => {
    let readings = 0;
    const metrics = { samples: () => (readings++, []) };
    const alerts = new EventFed({ metrics });
    alerts.emit(invalid);
    expect(readings).toBeGreaterThan(0);
    const counting = new EventFed();
    for (let index = 0; index < 1_000; index++) counting.emit(invalid, 1);
    expect(counting.changes).toHaveLength(1);
    expect(counting.engine.active()[0]?.measured).toBe('1000');
  });

  it('strict rules fire at the first failure and end with later events', () => {
    const alerts = new EventFed({ rules: defaultAlertRules({ strict: true }) }).calls(1, 'error');
    expect(alerts.firing).toEqual(['ToolFailureRateHigh']);
    expect(alerts.calls(18).firing).toEqual(['ToolFailureRateHigh']);
    expect(alerts.calls(1).firing).toEqual([]);
  });

  it('evaluates with the first event after the interval', () => {
    const alerts = new EventFed().calls(20, 'error');
    alerts.emit({ event_type: 'RetryScheduled', call_id: 'c1', tool_id: 'search', attempt: 2, delay_ms: 1 }, 15_000);
    const kinds = (): readonly string[] => alerts.changes.map(({ kind, alert: { name } }) => `${name} ${kind}`);
    expect(kinds()).toEqual(['ToolFailureRateHigh pending', 'ToolDown firing']);
    alerts.emit({ event_type: 'RetryScheduled', call_id: 'c1', tool_id: 'search', attempt: 2, delay_ms: 1 }, 30_000);
    expect(kinds()).toEqual(['ToolFailureRateHigh pending', 'ToolDown firing', 'ToolFailureRateHigh firing']);
  });

  it('points to the last failed call', () => {
    const alerts = new EventFed({ rules: defaultAlertRules({ strict: true }) })
      .calls(1, 'error')
      .calls(1, 'error', { call_id: 'last' })
      .calls(1);
    expect(alerts.engine.active()[0]?.cause).toMatchObject({ toolName: 'search', callId: 'last' });
  });

  it('points from a missed deadline to the call that was still running', () => {
    const alerts = new EventFed();
    alerts.emit({ event_type: 'TurnDeadlineReached', timeout_ms: 5, running: ['slow'], waiting: ['next'], message: '' });
    expect(alerts.engine.active()).toMatchObject([{ name: 'TurnDeadlineMissed', labels: {}, cause: { turnId: 't1', callId: 'slow' } }]);
  });

  it('an event with an earlier timestamp does not set the time back', () => {
    const alerts = new EventFed().emit(invalid);
    alerts.emit({ event_type: 'CircuitBreakerOpened', failure_count: 5, ...circuit }, -3_600_000);
    expect(alerts.firing).toEqual(['CircuitOpen', 'ResponseInvalid']);
    expect(alerts.changes.map(({ atEpochMs }) => atEpochMs)).toEqual([started, started]);
  });
});

describe('a burst of events causes no burst of evaluations', () => {
  const readings = (): { count: number; samples: () => readonly [] } => {
    const counted = { count: 0, samples: (): readonly [] => [] };
    counted.samples = () => ((counted.count += 1), []);
    return counted;
  };

  it('when they change nothing', () => {
    const metrics = readings();
    const alerts = new EventFed({ metrics });
    for (let index = 0; index < 1_000; index++) alerts.emit({ ...invalid, tool_id: `tool-${index % 500}` }, 1);
    // One evaluation reads every metric of the rules once; 1 s passes.
    const each = 14;
    expect(metrics.count).toBeLessThanOrEqual(22 * each);
    alerts.emit(invalid, 15_000);
    expect(metrics.count).toBeGreaterThan(20);
  });

  it('but still reports the opening of a circuit among them at once', () => {
    const alerts = new EventFed({ rules: defaultAlertRules({ strict: true }) });
    for (let index = 0; index < 15; index++) alerts.calls(100).calls(1, 'error');
    alerts.emit({ event_type: 'CircuitBreakerOpened', failure_count: 5, ...circuit });
    expect(alerts.changes.at(-1)).toMatchObject({ kind: 'firing', alert: { name: 'CircuitOpen' } });
  });
});

it('an event without a valid timestamp and an evaluation at an invalid time change nothing', () => {
  const alerts = new EventFed().emit(invalid);
  const before = alerts.engine.save();
  alerts.engine.observe({ ...invalid, turn_id: 't1', seq: 9, timestamp: 'yesterday', elapsed_ms: 0 });
  expect(() => alerts.engine.evaluate(NaN)).toThrow('nowEpochMs');
  expect(alerts.engine.save()).toEqual(before);
});

it('alerts end after the clock was set back by an hour', () => {
  const alerts = new EventFed().calls(20, 'error');
  alerts.engine.evaluate(started + 60_000);
  alerts.engine.evaluate(started + 90_000);
  expect(alerts.firing).toEqual(['ToolFailureRateHigh', 'ToolDown']);
  const back = started - 3_600_000;
  for (let at = back; at <= back + 600_000; at += 15_000) alerts.engine.evaluate(at);
  // No call has succeeded since.
  expect(alerts.firing).toEqual(['ToolDown']);
});

it('the saved state does not grow with the number of events', () => {
  const alerts = new EventFed();
  const sizes: number[] = [];
  for (let minute = 0; minute < 60; minute++) {
    for (let index = 0; index < 30; index++) alerts.emit(invalid, 2_000);
    sizes.push(JSON.stringify(alerts.engine.save()).length);
  }
  expect(Math.max(...sizes.slice(40))).toBeLessThan((sizes[30] ?? 0) * 1.1);
});
