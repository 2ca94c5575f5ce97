/** The timeline of a circuit: its states, the selected change, descriptions. */
import type { CircuitChange, CircuitState, CircuitTimeline } from '@holdfast/gateway/contract';
import { pluralize, formatDuration, formatPercent, joinWords, humanize } from '../../ui/format.ts';

/** A time span in one state. Positions are fractions of the range, 0 to 1. */
export interface StateSpan {
  readonly state: CircuitState;
  readonly from: number;
  readonly to: number;
  /** The change that started it; none at the start of the range. */
  readonly change?: CircuitChange;
}

/** Spans of the known part of the range. None without a circuit breaker. */
export function stateSpans({ since, until, known_since, state, changes }: CircuitTimeline): readonly StateSpan[] {
  if (state === null) return [];
  const begin = Date.parse(since);
  const length = Math.max(1, Date.parse(until) - begin);
  const positionOf = (at: string): number => Math.min(1, Math.max(0, (Date.parse(at) - begin) / length));
  const known = changes.map((change) => ({ state: change.to, from: positionOf(change.at), change }));
  const starts: readonly Omit<StateSpan, 'to'>[] = [{ state, from: Math.min(positionOf(known_since), known[0]?.from ?? 1) }, ...known];
  return starts.map((start, index) => ({ ...start, to: starts[index + 1]?.from ?? 1 }));
}

/** The given change, else the latest opening (preferably from closed, not after a failed probe), else the latest change. */
export function selectedChange(changes: readonly CircuitChange[], id: number): CircuitChange | undefined {
  return (
    changes.find((change) => change.id === id) ??
    changes.findLast(({ from, to }) => to === 'open' && from === 'closed') ??
    changes.findLast(({ to }) => to === 'open') ??
    changes.at(-1)
  );
}

const reasons: Readonly<Record<string, string>> = {
  failure_threshold: 'too many transient failures in a row',
  failure_rate: 'failure rate too high in the window',
  slow_call_rate: 'slow call rate too high in the window',
  probe_failed: 'the probe failed',
  probe_lease_expired: 'the probe did not respond in time',
  open_period_elapsed: 'the open time elapsed, probing',
  probe_succeeded: 'the probe succeeded',
  permanent_probes: 'the probes got permanent errors, so the service responds',
  fleet: 'decided by the fleet',
  manual: 'manually',
};

const verbs: Readonly<Record<CircuitState, string>> = { open: 'Opened', half_open: 'Half-opened', closed: 'Closed' };

/** `too many transient failures in a row`. */
export const reasonText = ({ reason }: CircuitChange): string => reasons[reason] ?? humanize(reason);

/** `Opened: too many transient failures in a row`. */
export const changeTitle = (change: CircuitChange): string => `${verbs[change.to]}: ${reasonText(change)}`;

/** Describes the samples of a change, as a sentence. */
export function samplesSentence({ to, samples, open_for_ms }: CircuitChange): string {
  const counted = samples.filter((sample) => sample.counted).length;
  const span = open_for_ms !== undefined && to === 'open' ? ` It stays open for ${formatDuration(open_for_ms)}, then a probe decides.` : '';
  if (samples.length === 0) return `No outcomes were recorded for this change.${span}`;
  if (counted === 0) return `The ${pluralize(samples.length, 'outcome')} recorded before it.${span}`;
  const verb = { open: 'opened', half_open: 'half-opened', closed: 'closed' }[to];
  return `${counted === 1 ? 'The outcome marked below' : `The ${pluralize(counted, 'outcome')} marked below`} ${verb} it.${span}`;
}

/** The part of the range before the state is known, as a fraction of it. */
export const unknownUntil = (timeline: CircuitTimeline): number => stateSpans(timeline)[0]?.from ?? 0;

/** For screen readers. */
export function timelineSummary(timeline: CircuitTimeline): string {
  const { changes, state } = timeline;
  if (state === null) return 'The tool has no circuit breaker.';
  const unknown = unknownUntil(timeline);
  const known = unknown < 0.005 ? '' : ` ${formatPercent(unknown)} of the range is before the gateway knew the circuit.`;
  if (changes.length === 0) return `The circuit was ${humanize(state)} the whole time.${known}`;
  const opened = changes.filter(({ to }) => to === 'open').length;
  const times = { open: 0, half_open: 0, closed: 0 };
  for (const span of stateSpans(timeline)) times[span.state] += (span.to - span.from) / Math.max(1e-9, 1 - unknown);
  const shares = (['closed', 'half_open', 'open'] as const)
    .filter((name) => times[name] > 0)
    .map((name) => `${humanize(name)} ${Math.round(times[name] * 100)} %`);
  return `The circuit opened ${opened === 1 ? 'once' : `${opened} times`}; of the time it was ${joinWords(shares)}.${known}`;
}
