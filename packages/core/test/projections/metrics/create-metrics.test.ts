import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/projections/metrics/create-metrics.ts';
import { metricDefinitions } from '../../../src/projections/metrics/metric-names.ts';
import type { CircuitSnapshot } from '../../../src/engine/breaker/types.ts';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import { completed, failed, fed, ofCall, read, stamp, stamped, started, succeeded, toolsOf } from './metric-events.ts';

describe('series', () => {
  it('of a registered tool exist from the start, at 0, with a closed circuit', () => {
    const metrics = createMetrics({ tools: ['search'] });
    for (const family of metrics.snapshot()) {
      if (!family.labels.includes('tool')) continue;
      expect(family.series.length, family.name).toBe(Math.max(family.zeros.length, 0));
      for (const series of family.series) {
        expect(Object.keys(series.labels)).toEqual(family.labels);
        const isClosed = series.labels['state'] === 'closed';
        expect('value' in series ? series.value : series.count, family.name).toBe(isClosed ? 1 : 0);
      }
    }
  });

  it('have the labels of their row and names that follow the conventions of Prometheus', () => {
    for (const { name, type, unit, help, labels } of Object.values(metricDefinitions)) {
      expect(name).toMatch(/^holdfast_[a-z_]+$/);
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
      expect(unit === undefined || name.replace(/_total$/, '').endsWith(`_${unit}`), name).toBe(true);
      expect(help, name).toMatch(/^[A-Z].*\.$/);
      expect(new Set(labels).size).toBe(labels.length);
    }
  });

  it('count an observation at an edge as within it', () => {
    const metrics = fed([completed('search'), completed('search', { execution_time_ms: 5_000.001 })]);
    const upTo = (le: string): number => read(metrics, 'holdfast_tool_call_duration_seconds_bucket', { tool: 'search', le });
    expect([upTo('2.5'), upTo('5.0'), upTo('10.0'), upTo('+Inf')]).toEqual([0, 1, 2, 2]);
    expect(read(metrics, 'holdfast_tool_call_duration_seconds_sum')).toBeCloseTo(10, 4);
    expect(read(metrics, 'holdfast_tool_call_duration_seconds_count')).toBe(2);
  });

  it('have no samples under an unknown name', () => {
    expect(createMetrics().samples('holdfast_tool_calls')).toEqual([]);
    expect(createMetrics().samples('constructor')).toEqual([]);
  });
});

describe('names of tools', () => {
  it('that are not registered count as unknown', () => {
    const metrics = fed([started('search'), started('invented'), started('made up')], { tools: ['search'] });
    expect(toolsOf(metrics)).toEqual(['search', 'unknown']);
    expect(read(metrics, 'holdfast_tool_in_flight', { tool: 'unknown' })).toBe(2);
    expect(read(metrics, 'holdfast_series_dropped_total', { limit: 'unknown_tool' })).toBe(2);
  });

  it('are added for tools that ran, never for names that a model may have invented', () => {
    const unknown = { status: 'error', attempts: 0, code: 'UNKNOWN_TOOL', classification: 'permanent' } as const;
    const refused = { status: 'error', attempts: 0, code: 'BULKHEAD_FULL', classification: 'neutral' } as const;
    const metrics = fed([completed('invented', unknown), started('search'), completed('mail', refused)]);
    expect(toolsOf(metrics)).toEqual(['unknown', 'search', 'mail']);
    expect(read(metrics, 'holdfast_tool_calls_total', { tool: 'unknown', outcome: 'rejected' })).toBe(1);
  });

  it('beyond the limit count as other, whether registered or not', () => {
    const names = ['a', 'b', 'c', 'd'];
    for (const options of [{ maxTools: 2 }, { maxTools: 2, tools: names }]) {
      const metrics = fed(names.map(started), options);
      expect(toolsOf(metrics)).toEqual(['a', 'b', 'other']);
      expect(read(metrics, 'holdfast_tool_in_flight', { tool: 'other' })).toBe(2);
      expect(read(metrics, 'holdfast_series_dropped_total', { limit: 'max_tools' })).toBe(2);
    }
  });

  it('that are no longer registered keep their series until the space is needed', () => {
    const metrics = fed([started('a'), started('b')], { tools: ['a', 'b'], maxTools: 2 });
    metrics.setTools(['b']);
    expect(read(metrics, 'holdfast_tool_in_flight', { tool: 'a' })).toBe(1);
    metrics.addTool('c');
    expect(toolsOf(metrics)).toEqual(['b', 'c']);
    metrics.addTool('d');
    expect(toolsOf(metrics)).toEqual(['b', 'c']);
  });

  it('that were evicted count as unknown, even the one that was used last', () => {
    const metrics = fed([started('b'), started('a')], { tools: ['a', 'b'], maxTools: 2 });
    metrics.setTools(['b']);
    metrics.addTool('c');
    metrics.observe(started('a'));
    expect(toolsOf(metrics)).toEqual(['b', 'c', 'unknown']);
    expect(read(metrics, 'holdfast_tool_in_flight', { tool: 'unknown' })).toBe(1);
  });

  it('are kept apart when their events alternate', () => {
    const metrics = fed([started('a'), started('b'), succeeded('a'), started('b'), failed('b', 'X'), succeeded('b')]);
    const successes = (tool: string): number => read(metrics, 'holdfast_tool_attempts_total', { tool, outcome: 'success' });
    expect([successes('a'), successes('b')]).toEqual([1, 1]);
    expect(read(metrics, 'holdfast_tool_in_flight')).toBe(0);
  });

  it('never create more series than the limits allow, for any events', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 8 });
    const event = fc.oneof(
      text.map(started),
      fc.tuple(text, text).map(([tool, code]) => failed(tool, code)),
      fc.tuple(text, text).map(([tool, code]) => completed(tool, { code, status: 'error' })),
      fc
        .tuple(text, text)
        .map(([tool, reason]) => stamped({ event_type: 'CircuitBreakerOpened', tool_id: tool, message: '', failure_count: 1, reason })),
      text.map((rule) => stamped({ event_type: 'TranscriptRepaired', format: 'x', message: '', changes: [{ rule, path: '' }] })),
      text.map((type) => ({ ...stamp, event_type: type }) as unknown as TraceEvent),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 400 }), (events) => {
        const metrics = fed(events, { maxTools: 3 });
        expect(new Set(toolsOf(metrics)).size).toBeLessThanOrEqual(5);
        for (const { series, name } of metrics.snapshot()) {
          expect(series.length, name).toBeLessThanOrEqual(5 * 31 + 101);
          expect(new Set(series.map(({ labels }) => JSON.stringify(labels))).size, name).toBe(series.length);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('labels', () => {
  it('have 20 error codes per tool, then other', () => {
    const codes = Array.from({ length: 25 }, (_, index) => `CODE_${index}`);
    const metrics = fed([...codes, ...codes].map((code) => failed('search', code)));
    const series = metrics.family('attemptErrors').series;
    expect(series.length).toBe(21);
    expect(read(metrics, 'holdfast_tool_attempt_errors_total', { error_type: 'other' })).toBe(10);
    expect(read(metrics, 'holdfast_series_dropped_total', { limit: 'label_values' })).toBe(10);
  });

  it('beyond the limit count as dropped each time, also for the same value', () => {
    const codes = [...Array.from({ length: 20 }, (_, index) => `CODE_${index}`), 'BEYOND', 'BEYOND', 'BEYOND'];
    const metrics = fed(codes.map((code) => failed('search', code)));
    expect(read(metrics, 'holdfast_tool_attempt_errors_total', { error_type: 'other' })).toBe(3);
    expect(read(metrics, 'holdfast_series_dropped_total', { limit: 'label_values' })).toBe(3);
  });

  it('of a closed set count unknown values as other', () => {
    const metrics = fed([stamped({ event_type: 'ComponentFailed', component: 'something' as 'store', error: 'x' })]);
    expect(read(metrics, 'holdfast_component_failures_total', { component: 'other' })).toBe(1);
  });
});

describe('the fold', () => {
  it('does not count invalid arguments as a failure of the tool', () => {
    const wrong = { status: 'error', attempts: 0, code: 'INVALID_ARGUMENTS', classification: 'permanent' } as const;
    const metrics = fed([failed('search', 'INVALID_ARGUMENTS', 0), completed('search', wrong)]);
    expect(read(metrics, 'holdfast_tool_calls_total', { outcome: 'rejected' })).toBe(1);
    expect(read(metrics, 'holdfast_tool_attempts_total')).toBe(0);
    expect(read(metrics, 'holdfast_tool_call_duration_seconds_count')).toBe(0);
  });

  it('ignores the end of an attempt that began before the first event', () => {
    const metrics = fed([succeeded('search'), started('search')]);
    expect(read(metrics, 'holdfast_tool_in_flight')).toBe(1);
  });

  it('detects by its refusals a circuit that was open before the first event', () => {
    const refused = { event_type: 'CallRefused', ...ofCall('search'), code: 'CIRCUIT_OPEN', circuit_breaker_state: 'open' } as const;
    const metrics = fed([stamped(refused)]);
    expect(read(metrics, 'holdfast_circuit_state', { state: 'open' })).toBe(1);
    expect(read(metrics, 'holdfast_circuit_state')).toBe(1);
  });

  it("counts the changes of a partition's circuit, and shows the state of the tool's own", () => {
    const own = { tool_id: 'search', message: '', reason: 'failure_threshold', failure_count: 5 };
    const refused = { event_type: 'CallRefused', ...ofCall('search'), code: 'CIRCUIT_OPEN', circuit_breaker_state: 'open' } as const;
    const circuits = { search: { mode: 'auto', state: 'open', partition: 'alice' } as CircuitSnapshot };
    const metrics = fed([
      stamped({ event_type: 'CircuitBreakerOpened', ...own, partition: 'alice' }),
      stamped({ ...refused, partition: 'alice' }),
      { ...stamp, event_type: 'TurnStarted', calls: [], circuits } as unknown as TraceEvent,
    ]);
    expect(read(metrics, 'holdfast_circuit_state', { state: 'closed' })).toBe(1);
    expect(read(metrics, 'holdfast_circuit_transitions_total', { to: 'open' })).toBe(1);
    metrics.observe(stamped({ event_type: 'CircuitBreakerOpened', ...own }));
    metrics.observe(stamped({ event_type: 'CircuitBreakerClosed', tool_id: 'search', message: '', reason: 'manual', partition: 'alice' }));
    expect(read(metrics, 'holdfast_circuit_state', { state: 'open' })).toBe(1);
  });

  it('sets a circuit that was restored as open, without a transition', () => {
    const metrics = createMetrics({ tools: ['search'] });
    metrics.setCircuit('search', 'open');
    expect(read(metrics, 'holdfast_circuit_state', { state: 'open' })).toBe(1);
    expect(read(metrics, 'holdfast_circuit_state')).toBe(1);
    expect(read(metrics, 'holdfast_circuit_transitions_total')).toBe(0);
  });

  it('takes restored circuits from the start of a turn and from the host', () => {
    const snapshot = {} as CircuitSnapshot;
    const turn = {
      seed: '',
      profile: 'spec',
      timeout_ms: null,
      concurrency: 1,
      on_deadline: 'abort',
      max_retries: null,
      tools: {},
      base: {},
    } as const;
    const circuits = {
      search: { ...snapshot, state: 'half_open', mode: 'auto' },
      mail: { ...snapshot, state: 'closed', mode: 'forced_open' },
      watched: { ...snapshot, state: 'open', mode: 'shadow' },
    } as const;
    const metrics = fed([stamped({ event_type: 'TurnStarted', ...turn, calls: [], recovery_rules: [], circuits })]);
    metrics.setCircuit('maps', 'open');
    const states = metrics
      .samples('holdfast_circuit_state')
      .flatMap(({ labels, value }) => (value === 1 ? [`${labels['tool']} ${labels['state']}`] : []));
    expect(states).toEqual(['search half_open', 'mail open', 'maps open']);
  });

  it('counts the loop with a model', () => {
    const validation = {
      source: 'tool',
      attempt: 1,
      max_attempts: 3,
      error_type: 'X',
      error: 'x',
      retry_scheduled_at: '',
      feedback: true,
    } as const;
    const metrics = fed([
      stamped({ event_type: 'ValidationRetryScheduled', ...validation, delay_ms: 1_500 }),
      stamped({ event_type: 'ReducerFailed', reducer: 'cart', payload_type: 'ToolInvoked', error_type: 'X', error: 'x' }),
      stamped({ event_type: 'ValidationRetryExhausted', ...validation, stopped_by: 'attempts', history: [], message: '' }),
      stamped({ event_type: 'ValidationRecovered', source: 'structured_output', attempts: 2 }),
      stamped({ event_type: 'AgentCallRefused', ...ofCall('search'), code: 'RUN_STOPPED', error: 'x' }),
      stamped({ event_type: 'AgentRunStopped', reason: 'x', message: '' }),
      stamped({ event_type: 'ArgumentsRepaired', ...ofCall('search'), repairs: ['a', 'b'] }),
      stamped({
        event_type: 'TranscriptRepaired',
        format: 'openai',
        message: '',
        changes: [
          { rule: 'a', path: '' },
          { rule: 'a', path: '' },
        ],
      }),
      stamped({ event_type: 'ResponseValidationFailed', stage: 'response', problems: [], message: '' }),
    ]);
    expect(read(metrics, 'holdfast_validation_retries_total', { source: 'tool' })).toBe(1);
    expect(read(metrics, 'holdfast_validations_exhausted_total', { source: 'tool', stopped_by: 'attempts' })).toBe(1);
    expect(read(metrics, 'holdfast_validations_recovered_total', { source: 'structured_output' })).toBe(1);
    expect(read(metrics, 'holdfast_validation_retry_delay_seconds_sum', { source: 'tool' })).toBe(1.5);
    expect(read(metrics, 'holdfast_validation_attempts_count', { source: 'tool' })).toBe(1);
    expect(read(metrics, 'holdfast_validation_attempts_sum', { source: 'structured_output' })).toBe(2);
    expect(read(metrics, 'holdfast_reducer_errors_total')).toBe(1);
    expect(read(metrics, 'holdfast_agent_refusals_total', { code: 'RUN_STOPPED' })).toBe(1);
    expect(read(metrics, 'holdfast_agent_runs_stopped_total')).toBe(1);
    expect(read(metrics, 'holdfast_tool_argument_repairs_total')).toBe(1);
    expect(read(metrics, 'holdfast_transcript_repairs_total', { rule: 'a' })).toBe(2);
    expect(read(metrics, 'holdfast_response_validation_failures_total', { stage: 'response' })).toBe(1);
    expect(read(metrics, 'holdfast_response_validation_failures_total', { stage: 'request' })).toBe(0);
  });

  it('evicts the oldest of too many open calls and counts it as dropped', () => {
    const retry = (call: number): TraceEvent =>
      stamped({ event_type: 'RetryScheduled', ...ofCall('search', `call-${call}`), attempt: 2, delay_ms: 1 });
    const metrics = fed(Array.from({ length: 10_001 }, (_, call) => retry(call)));
    for (const call of [0, 10_000]) metrics.observe(completed('search', { call_id: `call-${call}` }));
    expect(read(metrics, 'holdfast_tool_retried_calls_total')).toBe(1);
    expect(read(metrics, 'holdfast_series_dropped_total', { limit: 'open_calls' })).toBe(1);
  });

  it('includes the values that the host provides', () => {
    const asked: string[] = [];
    const heldMs = (tool: string): number | undefined => {
      asked.push(tool);
      return tool === 'search' ? 7_500 : undefined;
    };
    const metrics = createMetrics({
      tools: ['search', 'book', 'third'],
      maxTools: 2,
      given: () => ({ version: '1.2.3', traceDropped: 4, alertsFiring: { ToolFailing: 2 }, heldMs }),
    });
    expect(metrics.samples('holdfast_build_info')).toEqual([{ name: 'holdfast_build_info', labels: { version: '1.2.3' }, value: 1 }]);
    expect(read(metrics, 'holdfast_trace_dropped_total')).toBe(4);
    expect(read(metrics, 'holdfast_alerts_firing', { alertname: 'ToolFailing' })).toBe(2);
    expect(read(metrics, 'holdfast_tool_held_seconds', { tool: 'search' })).toBe(7.5);
    expect(read(metrics, 'holdfast_tool_held_seconds', { tool: 'book' })).toBe(0);
    expect(new Set(asked)).toEqual(new Set(['search', 'book']));
  });
});

it('reads the series of a family one by one, while tools come and go', () => {
  const metrics = createMetrics({ tools: ['a', 'b'], maxTools: 2 });
  const tools: (string | undefined)[] = [];
  for (const { labels } of metrics.eachSeries('timeouts')) {
    tools.push(labels['tool']);
    metrics.setTools(tools.length === 1 ? ['c', 'd'] : ['a', 'b']);
  }
  expect(tools).toEqual(['a', 'b']);
  expect([...metrics.eachSeries('callDuration')]).toEqual(metrics.family('callDuration').series);
});

it.each([{ maxTools: 0 }, { maxTools: 1.5 }, { buckets: [] }, { buckets: [1, 1] }, { buckets: [0] }, { buckets: [1, Infinity] }])(
  'rejects %j',
  (options) => {
    expect(() => createMetrics(options)).toThrow(RangeError);
  },
);
