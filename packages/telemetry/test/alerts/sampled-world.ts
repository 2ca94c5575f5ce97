/** Generated processes: counters that grow, restart and disappear, sampled every 15 s. The engine and Prometheus get the same samples. */
import fc from 'fast-check';

type Labels = Readonly<Record<string, string>>;

export interface SampledSeries {
  readonly name: string;
  readonly labels: Labels;
  /** One per sample; undefined: the series is absent. */
  readonly values: readonly (number | undefined)[];
}

export const STEP_MS = 15_000;

/** How a counter continues: it grows by this much, restarts, or is absent. */
const growth = fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 6, arbitrary: fc.integer({ min: 0, max: 12 }) });
const event = fc.oneof(
  { weight: 40, arbitrary: fc.constant('grow' as const) },
  { weight: 1, arbitrary: fc.constantFrom('restart' as const, 'gone' as const) },
);

function counter(name: string, labels: Labels, steps: number, scale = 1): fc.Arbitrary<SampledSeries> {
  return fc.array(fc.tuple(event, growth), { minLength: steps, maxLength: steps }).map((changes) => {
    let value = 0;
    const values = changes.map(([what, by]) => {
      if (what === 'gone') return undefined;
      value = what === 'restart' ? by * scale : value + by * scale;
      return value;
    });
    return { name, labels, values };
  });
}

/** A tool with changing failures: long good and long bad periods, so that alerts begin, continue and end. */
function phases(name: string, labels: Labels, steps: number, most: number): fc.Arbitrary<SampledSeries> {
  const phase = fc.record({ length: fc.integer({ min: 2, max: 12 }), by: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: most })) });
  return fc.array(phase, { minLength: steps, maxLength: steps }).map((all) => {
    let value = 0;
    const values = all.flatMap(({ length, by }) => Array.from({ length }, () => (value += by))).slice(0, steps);
    return { name, labels, values };
  });
}

function gauge(name: string, labels: Labels, steps: number): fc.Arbitrary<SampledSeries> {
  const value = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, undefined) });
  return fc.array(value, { minLength: steps, maxLength: steps }).map((values) => ({ name, labels, values }));
}

/** Everything that the default rules use, for one tool. */
function tool(name: string, steps: number): fc.Arbitrary<readonly SampledSeries[]> {
  const calls = (outcome: string, most: number): fc.Arbitrary<SampledSeries> =>
    fc.oneof(
      { weight: 3, arbitrary: phases('holdfast_tool_calls_total', { tool: name, outcome }, steps, most) },
      { weight: 1, arbitrary: counter('holdfast_tool_calls_total', { tool: name, outcome }, steps) },
    );
  return fc.tuple(
    calls('success', 20),
    calls('error', 2),
    calls('timeout', 1),
    calls('refused', 1),
    counter('holdfast_tool_calls_total', { tool: name, outcome: 'cancelled' }, steps),
    phases('holdfast_tool_attempt_duration_seconds_sum', { tool: name }, steps, 40),
    phases('holdfast_tool_attempt_duration_seconds_count', { tool: name }, steps, 8),
    phases('holdfast_tool_call_duration_seconds_sum', { tool: name }, steps, 40),
    phases('holdfast_tool_call_duration_seconds_count', { tool: name }, steps, 8),
    gauge('holdfast_circuit_state', { tool: name, state: 'open' }, steps),
    gauge('holdfast_circuit_state', { tool: name, state: 'half_open' }, steps),
    counter('holdfast_tool_responses_invalid_total', { tool: name, kind: 'schema' }, steps),
    phases('holdfast_tool_responses_invalid_total', { tool: name, kind: 'unreadable' }, steps, 1),
    phases('holdfast_tool_retries_denied_total', { tool: name, reason: 'turn_budget' }, steps, 1),
    phases('holdfast_tool_orphans_total', { tool: name, result: 'abandoned' }, steps, 1),
  );
}

export function sampledWorld(steps: number): fc.Arbitrary<readonly SampledSeries[]> {
  return fc
    .tuple(tool('search', steps), tool('book flight', steps), phases('holdfast_turn_deadlines_reached_total', {}, steps, 1))
    .map(([one, other, deadlines]) => [...one, ...other, deadlines]);
}

/** In the format of `promtool test rules`. A series that disappears is marked stale, as by a scrape. */
export function inputSeries({ name, labels, values }: SampledSeries): { readonly series: string; readonly values: string } {
  const matchers = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return { series: `${name}{${matchers.join(',')}}`, values: values.map((value) => value ?? 'stale').join(' ') };
}
