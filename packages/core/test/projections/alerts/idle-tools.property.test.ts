/**
 * Tools that never ran are not read at every evaluation. The alerts are those of an engine that reads every series of every tool, event by event: with tools that
 * come and go, label values that appear later, clocks that are set back, and state that is saved and restored.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TraceEvent, TraceEventBody } from '../../../src/engine/trace/events.ts';
import { createAlertEngine, defaultAlertRules } from '../../../src/projections/alerts/index.ts';
import type { Alert, AlertChange, AlertEngine, AlertRule, SampleSource } from '../../../src/projections/alerts/index.ts';
import { createMetrics, type Metrics } from '../../../src/projections/metrics/index.ts';
import { completed, failed, ofCall, started, succeeded } from '../metrics/metric-events.ts';

const words = { severity: 'warning', summary: '{tool}', description: '{measured}' } as const;
const selector = (metric: string, labels?: Readonly<Record<string, string>>) => ({ metric, what: metric, ...(labels && { labels }) });
const windowMs = 60_000;

/** Without minimum volumes and deviations, so that a single sample decides. */
const sharpRules: readonly AlertRule[] = [
  ...[0, 1.5].map((above) => ({
    ...words,
    name: `Errors${above * 10}`,
    by: ['tool', 'code'],
    windowMs,
    condition: { kind: 'increase', of: selector('holdfast_tool_attempt_errors_total'), above } as const,
  })),
  {
    ...words,
    name: 'Share',
    by: ['tool'],
    windowMs,
    forMs: 15_000,
    condition: {
      kind: 'ratio',
      part: selector('holdfast_tool_calls_total', { outcome: 'error' }),
      whole: selector('holdfast_tool_attempts_total'),
      above: 0.2,
      clearBelow: 0,
    },
  },
  {
    ...words,
    name: 'Mean',
    by: ['tool'],
    windowMs: 2 * windowMs,
    condition: { kind: 'mean', of: selector('holdfast_tool_call_duration_seconds'), above: 0.2 },
  },
  { ...words, name: 'Flight', by: ['tool'], condition: { kind: 'value', of: selector('holdfast_tool_in_flight'), above: 0 } },
  { ...words, name: 'All', by: [], windowMs, condition: { kind: 'increase', of: selector('holdfast_tool_calls_total'), above: 3 } },
];

const idleRules: readonly AlertRule[] = [
  {
    ...words,
    name: 'Closed',
    by: ['tool'],
    condition: { kind: 'value', of: selector('holdfast_circuit_state', { state: 'closed' }), above: 0 },
  },
  {
    ...words,
    name: 'Quiet',
    by: ['tool'],
    windowMs,
    condition: { kind: 'increase', of: selector('holdfast_tool_calls_total'), above: -1 },
  },
];

const tool = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const opened = (name: string): TraceEventBody => ({
  event_type: 'CircuitBreakerOpened',
  tool_id: name,
  reason: 'failure_threshold',
  failure_count: 5,
  message: '',
  open_for_ms: 1_000,
});
const closed = (name: string): TraceEventBody => ({
  event_type: 'CircuitBreakerClosed',
  tool_id: name,
  reason: 'probe_succeeded',
  message: '',
});

type Action =
  | { readonly kind: 'event'; readonly name: string; readonly what: string; readonly code: string; readonly ms: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'register'; readonly tools: readonly string[] }
  | { readonly kind: 'restart' };

const eventOf = (name: string, what: string, code: string, ms: number): TraceEvent => {
  const stamps = { turn_id: 'turn', seq: 1, timestamp: '', elapsed_ms: 0 };
  switch (what) {
    case 'started':
      return started(name);
    case 'succeeded':
      return succeeded(name, ms);
    case 'failed':
      return failed(name, code);
    case 'opened':
      return { ...stamps, ...opened(name), ...ofCall(name) } as TraceEvent;
    case 'closed':
      return { ...stamps, ...closed(name), ...ofCall(name) } as TraceEvent;
    default:
      return completed(name, { status: what === 'error' ? 'error' : 'success', execution_time_ms: ms });
  }
};

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('event' as const),
      name: tool,
      what: fc.constantFrom('started', 'succeeded', 'failed', 'opened', 'closed', 'error', 'success'),
      code: fc.constantFrom('TOOL_ERROR', 'HTTP_503', 'x', 'y', 'z'),
      ms: fc.constantFrom(0, 10, 900, 9_000),
    }),
  },
  { weight: 6, arbitrary: fc.constantFrom(1, 2_000, 15_000, 15_000, 45_000, -20_000).map((ms): Action => ({ kind: 'wait', ms })) },
  { weight: 1, arbitrary: fc.uniqueArray(tool, { maxLength: 4 }).map((tools): Action => ({ kind: 'register', tools })) },
  { weight: 1, arbitrary: fc.constant<Action>({ kind: 'restart' }) },
);

interface Watched {
  engine: AlertEngine;
  readonly changes: AlertChange[];
}

/** Sums over tools may differ in their last bit: tools are added in the order in which they first ran. */
const shown = ({ fingerprint, state, value, activeAtEpochMs, labels }: Alert): string =>
  `${fingerprint} ${state} ${value.toPrecision(12)} ${String(activeAtEpochMs)} ${JSON.stringify(labels)}`;

/** Changes of one evaluation come in the order in which the tools first ran. */
const inOrder = (changes: readonly AlertChange[]): readonly string[] =>
  changes.map(({ kind, atEpochMs, alert }) => `${String(atEpochMs)} ${kind} ${shown(alert)}`).toSorted();

function compare(actions: readonly Action[], rules: readonly AlertRule[], beginsAtZero: boolean): void {
  const metrics: Metrics = createMetrics({ tools: ['a', 'b', 'c'], maxTools: 4 });
  const everything: SampleSource = { samples: (name) => metrics.samples(name) };
  const start = (source: SampleSource, changes: AlertChange[]): AlertEngine =>
    createAlertEngine({ rules, metrics: source, seriesBeginAtZero: beginsAtZero, onChange: (all) => changes.push(...all) });
  const watch = (source: SampleSource): Watched => {
    const changes: AlertChange[] = [];
    return { engine: start(source, changes), changes };
  };
  const [sparse, dense] = [watch(metrics), watch(everything)];
  let now = Date.parse('2026-01-01T00:00:00Z');
  const check = (): void => {
    expect(inOrder(sparse.changes)).toEqual(inOrder(dense.changes));
    expect(sparse.engine.alerts().map(shown).toSorted()).toEqual(dense.engine.alerts().map(shown).toSorted());
    expect(sparse.engine.rules()).toEqual(dense.engine.rules());
  };
  for (const each of actions) {
    if (each.kind === 'event') {
      const event = { ...eventOf(each.name, each.what, each.code, each.ms), timestamp: new Date(now).toISOString() };
      metrics.observe(event);
      for (const { engine } of [sparse, dense]) engine.observe(event);
    } else if (each.kind === 'register') metrics.setTools(each.tools);
    else if (each.kind === 'wait') {
      now += each.ms;
      for (const { engine } of [sparse, dense]) engine.evaluate(now);
    } else {
      for (const one of [sparse, dense]) {
        const saved = JSON.parse(JSON.stringify(one.engine.save())) as ReturnType<AlertEngine['save']>;
        one.engine = start(one === sparse ? metrics : everything, one.changes);
        one.engine.restore(saved);
      }
    }
    check();
  }
}

test('alerts and the states of rules do not depend on whether idle tools are read', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), fc.boolean(), (actions, beginsAtZero) =>
      compare(actions, [...defaultAlertRules(), ...sharpRules], beginsAtZero),
    ),
    { numRuns: 60 },
  );
});

test('rules that alert about idle tools read them', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => compare(actions, [...sharpRules, ...idleRules], true)),
    { numRuns: 20 },
  );
});

test('only the first of many idle tools is read', () => {
  const metrics = createMetrics({ tools: Array.from({ length: 500 }, (_, index) => `tool ${String(index)}`), maxTools: 1_000 });
  const read: string[] = [];
  const source: SampleSource = {
    samples: (name) => metrics.samples(name),
    readActive() {
      const reading = metrics.readActive();
      return { ...reading, samples: (name) => reading.samples(name).map((sample) => (read.push(String(sample.labels['tool'])), sample)) };
    },
  };
  const engine = createAlertEngine({ metrics: source });
  engine.evaluate(1_000_000);
  metrics.observe(completed('tool 7'));
  engine.evaluate(1_015_000);
  expect([...new Set(read)].filter((name) => name.startsWith('tool'))).toEqual(['tool 0', 'tool 7']);
});
