/** Complete contract objects for tests. Each takes the fields that differ. */
import type {
  AlertItem,
  CallCounts,
  CircuitChange,
  CircuitSample,
  CircuitTimeline,
  FailureCluster,
  FailurePointer,
  LiveMessage,
  Overview,
  ToolTile,
  Totals,
  TurnBrief,
} from '@holdfast/gateway/contract';
import { shareOf } from '../src/ui/share.model.ts';

export const counts = (change: Partial<CallCounts> = {}): CallCounts => ({
  calls: 0,
  first_try: 0,
  recovered: 0,
  failed: 0,
  cancelled: 0,
  skipped: 0,
  rejected: 0,
  refused: 0,
  served: 0,
  ...change,
});

export const tile = (name: string, change: Partial<ToolTile> = {}): ToolTile => ({
  name,
  source: { kind: 'tool' },
  status: 'ok',
  status_reason: 'All calls succeeded.',
  degraded: false,
  circuit: 'closed',
  mode: 'auto',
  in_flight: 0,
  orphaned: 0,
  queued: 0,
  counts: counts(),
  failure: shareOf(0, 0),
  retry_success: shareOf(0, 0),
  recent: [],
  recent_until: '2026-01-01T00:00:00.000Z',
  ...change,
});

export const totals = (change: Partial<Totals> = {}): Totals => ({
  tools: 0,
  turns_per_minute: 0,
  calls: counts(),
  deadlines_missed: 0,
  alerts_firing: 0,
  circuits_open: 0,
  started_at: '2026-01-01T00:00:00.000Z',
  version: '0.0.0',
  ...change,
});

export const overview = (change: Partial<Overview> = {}): Overview => ({
  at: '2026-01-01T00:00:00.000Z',
  cursor: 'a-1',
  totals: totals(),
  tools: [],
  changes: [],
  alerts: [],
  turns: [],
  ...change,
});

export const message = (change: Partial<LiveMessage> = {}): LiveMessage => ({
  cursor: 'a-2',
  at: '2026-01-01T00:00:01.000Z',
  totals: totals(),
  tools: [],
  changes: [],
  turns: [],
  ...change,
});

export const turn = (id: string, change: Partial<TurnBrief> = {}): TurnBrief => ({
  turn_id: id,
  started_at: '2026-01-01T00:00:00.000Z',
  state: 'completed',
  calls: 1,
  events: 5,
  ...change,
});

export const alert = (fingerprint: string, change: Partial<AlertItem> = {}): AlertItem => ({
  fingerprint,
  name: 'CircuitOpen',
  severity: 'critical',
  state: 'firing',
  labels: {},
  summary: `Summary of ${fingerprint}`,
  description: '',
  value: '1',
  limit: '0',
  active_since: '2026-01-01T00:00:00.000Z',
  silenced_by: [],
  inhibited_by: [],
  ...change,
});

export const failure = (call: string, change: Partial<FailurePointer> = {}): FailurePointer => ({
  at: '2026-01-01T00:00:00.000Z',
  turn_id: 'turn',
  call_id: call,
  attempt: 1,
  code: 'TIMEOUT',
  message: 'too slow',
  ...change,
});

export const sample = (change: Partial<CircuitSample> = {}): CircuitSample => ({
  at: '2026-01-01T00:00:00.000Z',
  outcome: 'transient',
  duration_ms: 10,
  turn_id: 'turn',
  call_id: 'call',
  attempt: 1,
  counted: false,
  ...change,
});

export const circuitChange = (id: number, change: Partial<CircuitChange> = {}): CircuitChange => ({
  id,
  at: '2026-01-01T00:30:00.000Z',
  from: 'closed',
  to: 'open',
  reason: 'failure_threshold',
  message: 'Circuit breaker opened',
  samples: [],
  ...change,
});

export const timeline = (change: Partial<CircuitTimeline> = {}): CircuitTimeline => ({
  tool_id: 'search',
  range: '1h',
  since: '2026-01-01T00:00:00.000Z',
  until: '2026-01-01T01:00:00.000Z',
  known_since: '2026-01-01T00:00:00.000Z',
  state: 'closed',
  changes: [],
  samples: [],
  rule: 'Opens after 5 failures in a row.',
  ...change,
});

export const cluster = (signature: string, change: Partial<FailureCluster> = {}): FailureCluster => ({
  signature,
  tool_id: 'search',
  code: 'TIMEOUT',
  category: 'timeout',
  classification: 'transient',
  pattern: 'no answer within <n> ms',
  sample: 'no answer within 100 ms',
  count: 1,
  first_seen: '2026-01-01T00:00:00.000Z',
  last_seen: '2026-01-01T00:00:00.000Z',
  hourly: [],
  strategies: [],
  calls_recovered: 0,
  calls_failed: 0,
  is_new: false,
  examples: [],
  ...change,
});
