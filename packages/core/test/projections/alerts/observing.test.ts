import { describe, expect, it } from 'vitest';
import type { AlertChange } from '../../../src/projections/alerts/alert.ts';
import type { AlertEngineOptions } from '../../../src/projections/alerts/engine.ts';
import { createAlertEngine } from '../../../src/projections/alerts/engine.ts';
import { defaultAlertRules } from '../../../src/projections/alerts/default-rules.ts';
import type { TraceEvent, TraceEventBody } from '../../../src/engine/trace/events.ts';

const started = Date.parse('2025-11-05T10:30:45.000Z');

/** An engine that counts by itself, and is notified of events alone. */
class Listening {
  readonly changes: AlertChange[] = [];
  readonly engine;
  #at = started;
  #seq = 0;

  constructor(options: AlertEngineOptions = {}) {
    this.engine = createAlertEngine({ onChange: (changes) => this.changes.push(...changes), ...options });
  }

  tell(body: TraceEventBody, afterMs = 0): this {
    this.#at += afterMs;
    const event = { turn_id: 't1', seq: ++this.#seq, timestamp: new Date(this.#at).toISOString(), elapsed_ms: this.#at - started, ...body };
    this.engine.observe(event as TraceEvent);
    return this;
  }

  calls(count: number, status: 'success' | 'error' = 'success', more: { readonly tool_id?: string; readonly call_id?: string } = {}): this {
    for (let index = 0; index < count; index++) {
      const call = { call_id: `c${this.#seq}`, tool_id: 'search', ...more };
      this.tell({ event_type: 'CallStarted', ...call });
      this.tell({ event_type: 'CallCompleted', ...call, status, served_by: call.tool_id, attempts: 1, execution_time_ms: 10 });
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

describe('with counters of its own', () => {
  it('a trip is told with its event, and its end with the closing', () => {
    const listening = new Listening();
    listening.tell({ event_type: 'CircuitBreakerOpened', failure_count: 5, ...circuit });
    expect(listening.changes).toMatchObject([
      { kind: 'firing', atEpochMs: started, alert: { name: 'CircuitOpen', cause: { toolName: 'search', turnId: 't1', callId: 'c7' } } },
    ]);
    listening.tell({ event_type: 'CircuitBreakerHalfOpened', ...circuit }, 30_000);
    expect(listening.firing).toEqual(['CircuitOpen']);
    listening.tell({ event_type: 'CircuitBreakerClosed', ...circuit }, 1_000);
    expect(listening.changes.map(({ kind }) => kind)).toEqual(['firing', 'resolved']);
  });

  it('the first invalid response is told at once, and where', () => {
    const listening = new Listening().tell(invalid);
    expect(listening.changes).toMatchObject([
      { kind: 'firing', alert: { name: 'ResponseInvalid', measured: '1', cause: { callId: 'c7' } } },
    ]);
  });

  it('further ones bring no evaluation of their own: nothing changes', () => {
    let readings = 0;
    const metrics = { samples: () => (readings++, []) };
    const listening = new Listening({ metrics });
    listening.tell(invalid);
    expect(readings).toBeGreaterThan(0);
    const counting = new Listening();
    for (let index = 0; index < 1_000; index++) counting.tell(invalid, 1);
    expect(counting.changes).toHaveLength(1);
    expect(counting.engine.active()[0]?.measured).toBe('1000');
  });

  it('strict rules see the first failure, and events bring the end', () => {
    const listening = new Listening({ rules: defaultAlertRules({ strict: true }) }).calls(1, 'error');
    expect(listening.firing).toEqual(['ToolFailureRateHigh']);
    expect(listening.calls(18).firing).toEqual(['ToolFailureRateHigh']);
    expect(listening.calls(1).firing).toEqual([]);
  });

  it('events bring evaluations when their time has come', () => {
    const listening = new Listening().calls(20, 'error');
    listening.tell({ event_type: 'RetryScheduled', call_id: 'c1', tool_id: 'search', attempt: 2, delay_ms: 1 }, 15_000);
    expect(listening.changes.map(({ kind }) => kind)).toEqual(['pending']);
    listening.tell({ event_type: 'RetryScheduled', call_id: 'c1', tool_id: 'search', attempt: 2, delay_ms: 1 }, 30_000);
    expect(listening.changes.map(({ kind }) => kind)).toEqual(['pending', 'firing']);
  });

  it('points to the last failed call', () => {
    const listening = new Listening({ rules: defaultAlertRules({ strict: true }) })
      .calls(1, 'error')
      .calls(1, 'error', { call_id: 'last' })
      .calls(1);
    expect(listening.engine.active()[0]?.cause).toMatchObject({ toolName: 'search', callId: 'last' });
  });

  it('a deadline points to the call that was still running', () => {
    const listening = new Listening();
    listening.tell({ event_type: 'TurnDeadlineReached', timeout_ms: 5, running: ['slow'], waiting: ['next'], message: '' });
    expect(listening.engine.active()).toMatchObject([{ name: 'TurnDeadlineMissed', labels: {}, cause: { turnId: 't1', callId: 'slow' } }]);
  });

  it('an event of an earlier time does not turn time back', () => {
    const listening = new Listening().tell(invalid);
    listening.tell({ event_type: 'CircuitBreakerOpened', failure_count: 5, ...circuit }, -3_600_000);
    expect(listening.firing).toEqual(['CircuitOpen', 'ResponseInvalid']);
    expect(listening.changes.map(({ atEpochMs }) => atEpochMs)).toEqual([started, started]);
  });
});

describe('a storm of events brings no storm of evaluations', () => {
  const readings = (): { count: number; samples: () => readonly [] } => {
    const counted = { count: 0, samples: (): readonly [] => [] };
    counted.samples = () => ((counted.count += 1), []);
    return counted;
  };

  it('where nothing comes of them', () => {
    const metrics = readings();
    const listening = new Listening({ metrics });
    for (let index = 0; index < 1_000; index++) listening.tell({ ...invalid, tool_id: `tool-${index % 500}` }, 1);
    // One reads every metric that a rule looks at, once; 1 s went by.
    const each = 14;
    expect(metrics.count).toBeLessThanOrEqual(22 * each);
    listening.tell(invalid, 15_000);
    expect(metrics.count).toBeGreaterThan(20);
  });

  it('and a trip among them is told with its event', () => {
    const listening = new Listening({ rules: defaultAlertRules({ strict: true }) });
    for (let index = 0; index < 15; index++) listening.calls(100).calls(1, 'error');
    listening.tell({ event_type: 'CircuitBreakerOpened', failure_count: 5, ...circuit });
    expect(listening.changes.at(-1)).toMatchObject({ kind: 'firing', alert: { name: 'CircuitOpen' } });
  });
});

it('an event without a time, and a time that is none, change nothing', () => {
  const listening = new Listening().tell(invalid);
  const before = listening.engine.save();
  listening.engine.observe({ ...invalid, turn_id: 't1', seq: 9, timestamp: 'yesterday', elapsed_ms: 0 });
  expect(() => listening.engine.evaluate(NaN)).toThrow('nowEpochMs');
  expect(listening.engine.save()).toEqual(before);
});

it('a clock that was set back an hour leaves nothing hanging', () => {
  const listening = new Listening().calls(20, 'error');
  listening.engine.evaluate(started + 60_000);
  listening.engine.evaluate(started + 90_000);
  expect(listening.firing).toEqual(['ToolFailureRateHigh']);
  const back = started - 3_600_000;
  for (let at = back; at <= back + 600_000; at += 15_000) listening.engine.evaluate(at);
  expect(listening.firing).toEqual([]);
});

it('what it keeps does not grow with the number of events', () => {
  const listening = new Listening();
  const sizes: number[] = [];
  for (let minute = 0; minute < 60; minute++) {
    for (let index = 0; index < 30; index++) listening.tell(invalid, 2_000);
    sizes.push(JSON.stringify(listening.engine.save()).length);
  }
  expect(Math.max(...sizes.slice(40))).toBeLessThan((sizes[30] ?? 0) * 1.1);
});
