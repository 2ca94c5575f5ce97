/** Owns the panels of the Grafana dashboard and their queries. Does not own the JSON (`dashboard.ts`). */

type Unit = 'short' | 's' | 'percentunit' | 'reqps' | 'none';

interface Query {
  readonly expression: string;
  /** Legend, with labels in `{{ }}`. */
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  /** What the panel shows, and what to look for. */
  readonly description: string;
  readonly kind: 'stat' | 'timeseries' | 'state-timeline';
  readonly unit: Unit;
  /** Width, of 24 columns. */
  readonly width: number;
  readonly queries: readonly Query[];
  /** Threshold for red. */
  readonly redFrom?: number;
}

export interface PanelRow {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const tool = 'tool=~"$tool"';
const failed = 'error|timeout|refused';
const counted = 'success|error|timeout|refused';

const rate = (metric: string, labels: string = tool, by = ''): string => `sum${by} (rate(${metric}{${labels}}[$__rate_interval]))`;
const byTool = ' by (tool)';
const share = (part: string, whole: string): string => `${part} / (${whole} > 0)`;
const calls = (outcomes: string, by = ''): string => rate('holdfast_tool_calls_total', `${tool}, outcome=~"${outcomes}"`, by);
const quantile = (of: number, metric: string, labels = tool): string =>
  `histogram_quantile(${of}, sum by (le) (rate(${metric}_bucket{${labels}}[$__rate_interval])))`;
const mean = (metric: string): string => share(rate(`${metric}_sum`, tool, byTool), rate(`${metric}_count`, tool, byTool));

const stat = (panel: Omit<Panel, 'kind' | 'width'>): Panel => ({ kind: 'stat', width: 4, ...panel });
const chart = (panel: Omit<Panel, 'kind' | 'width'> & { readonly width?: number }): Panel => ({ kind: 'timeseries', width: 8, ...panel });

const overview: PanelRow = {
  title: 'Overview',
  panels: [
    stat({
      title: 'Calls',
      description: 'Calls that were answered, per second.',
      unit: 'reqps',
      queries: [{ expression: calls('.+'), legend: 'calls' }],
    }),
    stat({
      title: 'Failure rate',
      description: 'Share of calls that failed, timed out or were refused. Calls that never ran are in neither number.',
      unit: 'percentunit',
      redFrom: 0.05,
      queries: [{ expression: share(calls(failed), calls(counted)), legend: 'failed' }],
    }),
    stat({
      title: 'Calls that a retry recovered',
      description: 'Of the calls with at least one retry, the share that succeeded.',
      unit: 'percentunit',
      queries: [
        {
          expression: share(
            rate('holdfast_tool_retried_calls_total', `${tool}, outcome="success"`),
            rate('holdfast_tool_retried_calls_total'),
          ),
          legend: 'rescued',
        },
      ],
    }),
    stat({
      title: 'Circuits not closed',
      description: 'Tools whose circuit breaker is open or being tested.',
      unit: 'none',
      redFrom: 1,
      queries: [{ expression: `sum (holdfast_circuit_state{${tool}, state=~"open|half_open"})`, legend: 'circuits' }],
    }),
    stat({
      title: 'p95 of calls',
      description: '95 % of the calls end within this time, retries and waits included.',
      unit: 's',
      queries: [{ expression: quantile(0.95, 'holdfast_tool_call_duration_seconds'), legend: 'p95' }],
    }),
    stat({
      title: 'Alerts firing',
      description: "Alerts of the processes' own engine.",
      unit: 'none',
      redFrom: 1,
      queries: [{ expression: 'sum (holdfast_alerts_firing) or vector(0)', legend: 'alerts' }],
    }),
  ],
};

const tools: PanelRow = {
  title: 'Tools',
  panels: [
    chart({
      title: 'Calls by tool',
      description: 'Calls that were answered, by the tool that was asked for.',
      unit: 'reqps',
      queries: [{ expression: calls('.+', byTool), legend: '{{tool}}' }],
    }),
    chart({
      title: 'Failure rate by tool',
      description: 'Share of calls that failed, timed out or were refused.',
      unit: 'percentunit',
      redFrom: 0.05,
      queries: [{ expression: share(calls(failed, byTool), calls(counted, byTool)), legend: '{{tool}}' }],
    }),
    {
      title: 'Circuits',
      description: '0 closed, 1 being tested, 2 open.',
      kind: 'state-timeline',
      unit: 'none',
      width: 8,
      queries: [
        {
          expression: `max by (tool) (holdfast_circuit_state{${tool}, state="open"} * 2) + max by (tool) (holdfast_circuit_state{${tool}, state="half_open"})`,
          legend: '{{tool}}',
        },
      ],
    },
    chart({
      title: 'Calls by outcome',
      description: 'How calls ended.',
      unit: 'reqps',
      queries: [{ expression: rate('holdfast_tool_calls_total', tool, ' by (outcome)'), legend: '{{outcome}}' }],
    }),
    chart({
      title: 'Mean time of attempts and calls',
      description: 'Attempts show the time of the tool; calls include retries and waits.',
      unit: 's',
      redFrom: 5,
      queries: [
        { expression: mean('holdfast_tool_attempt_duration_seconds'), legend: '{{tool}} attempt' },
        { expression: mean('holdfast_tool_call_duration_seconds'), legend: '{{tool}} call' },
      ],
    }),
    chart({
      title: 'Percentiles of attempts',
      description: 'Time of one attempt, without waits and backoff.',
      unit: 's',
      queries: [0.5, 0.95, 0.99].map((of) => ({
        expression: quantile(of, 'holdfast_tool_attempt_duration_seconds'),
        legend: `p${of * 100}`,
      })),
    }),
  ],
};

const retries: PanelRow = {
  title: 'Retries, circuits and limits',
  panels: [
    chart({
      title: 'Retries',
      description: 'Scheduled retries by the error that caused them.',
      unit: 'reqps',
      queries: [{ expression: rate('holdfast_tool_retries_total', tool, ' by (reason)'), legend: '{{reason}}' }],
    }),
    chart({
      title: 'Why there was no further retry',
      description: 'The first check that failed.',
      unit: 'reqps',
      queries: [{ expression: rate('holdfast_tool_retries_denied_total', tool, ' by (reason)'), legend: '{{reason}}' }],
    }),
    chart({
      title: 'Circuit breaker trips',
      description: 'How often circuits opened within the range of a point, and why.',
      unit: 'short',
      queries: [
        {
          expression: `sum by (tool, reason) (increase(holdfast_circuit_transitions_total{${tool}, to="open"}[$__rate_interval])) > 0 or sum by (tool) (holdfast_circuit_state{${tool}, state="open"}) * 0`,
          legend: '{{tool}} {{reason}}',
        },
      ],
    }),
    chart({
      title: 'Refusals',
      description: 'Attempts that admission refused: an open circuit, a rate limit, a full bulkhead, an empty retry budget.',
      unit: 'reqps',
      queries: [{ expression: rate('holdfast_tool_refusals_total', tool, ' by (code)'), legend: '{{code}}' }],
    }),
    chart({
      title: 'Held by Retry-After',
      description: "How long a server's Retry-After still holds the calls of a tool, whatever the state of its circuit.",
      unit: 's',
      queries: [{ expression: `max by (tool) (holdfast_tool_held_seconds{${tool}})`, legend: '{{tool}}' }],
    }),
    chart({
      title: 'Time spent waiting',
      description: 'Seconds of backoff and of waits for admission, per second.',
      unit: 's',
      queries: [
        { expression: rate('holdfast_tool_backoff_seconds_total'), legend: 'backoff' },
        { expression: rate('holdfast_tool_waiting_seconds_total', tool, ' by (wait)'), legend: '{{wait}}' },
      ],
    }),
    chart({
      title: 'In flight and abandoned',
      description: 'Attempts that are running, and attempts that ignored their cancellation.',
      unit: 'short',
      queries: [
        { expression: `sum by (tool) (holdfast_tool_in_flight{${tool}})`, legend: '{{tool}}' },
        { expression: rate('holdfast_tool_orphans_total', `${tool}, result="abandoned"`), legend: 'abandoned, per second' },
      ],
    }),
    chart({
      title: 'Invalid responses',
      description: 'Responses that violate the output schema or cannot be parsed.',
      unit: 'reqps',
      queries: [{ expression: rate('holdfast_tool_responses_invalid_total', tool, ' by (tool, kind)'), legend: '{{tool}} {{kind}}' }],
    }),
    chart({
      title: 'Timeouts',
      description: 'Attempts that were ended at their time limit.',
      unit: 'reqps',
      queries: [{ expression: rate('holdfast_tool_timeouts_total', tool, byTool), legend: '{{tool}}' }],
    }),
    chart({
      title: 'Alternatives and defaults',
      description: 'Calls with the result of an alternative or a default.',
      unit: 'reqps',
      queries: [
        { expression: rate('holdfast_tool_alternatives_total', tool, ' by (tool, alternative)'), legend: '{{tool}} → {{alternative}}' },
        { expression: rate('holdfast_tool_defaults_total', tool, ' by (kind)'), legend: 'default: {{kind}}' },
      ],
    }),
  ],
};

const turns: PanelRow = {
  title: 'Turns and the trace',
  panels: [
    chart({
      title: 'Turns by outcome',
      description: 'Turns that ended, per second.',
      unit: 'reqps',
      queries: [{ expression: rate('holdfast_turn_duration_seconds_count', '', ' by (outcome)'), legend: '{{outcome}}' }],
    }),
    chart({
      title: 'Turns, p95',
      description: 'Time of a turn.',
      unit: 's',
      queries: [{ expression: quantile(0.95, 'holdfast_turn_duration_seconds', ''), legend: 'p95' }],
    }),
    chart({
      title: 'Deadlines, dropped calls, dropped events',
      description: 'Turns ended by their deadline, required calls without a result, trace events that the store dropped.',
      unit: 'reqps',
      queries: [
        { expression: rate('holdfast_turn_deadlines_reached_total', ''), legend: 'deadlines' },
        { expression: rate('holdfast_tool_escalations_total'), legend: 'required calls lost' },
        { expression: rate('holdfast_trace_dropped_total', ''), legend: 'trace events lost' },
      ],
    }),
  ],
};

export const panelRows: readonly PanelRow[] = [overview, tools, retries, turns];
