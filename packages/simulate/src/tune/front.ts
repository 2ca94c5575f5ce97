/** Owns what is better than what: the front of points that nothing beats, the one that is recommended, and how sure that is. */
import type { Fit } from './fit.ts';
import type { Confidence, LabFigures, Recommendation, TunePoint } from './types.ts';

/** Differences below these are chance. */
const same = { success: 0.002, requests: 0.01, latencyMs: 5 } as const;

/** Better in one figure, and no worse in any. */
export function beats(one: LabFigures, other: LabFigures): boolean {
  const noWorse =
    one.success >= other.success - same.success &&
    one.requestsPerCall <= other.requestsPerCall + same.requests &&
    one.addedLatencyMs <= other.addedLatencyMs + same.latencyMs;
  const better =
    one.success > other.success + same.success ||
    one.requestsPerCall < other.requestsPerCall - same.requests ||
    one.addedLatencyMs < other.addedLatencyMs - same.latencyMs;
  return noWorse && better;
}

/** Less is better: a lost call weighs as much as ten requests more, and a second of waiting as a twentieth of a request. */
export function cost({ success, requestsPerCall, addedLatencyMs }: LabFigures): number {
  return 10 * (1 - success) + requestsPerCall + Math.max(0, addedLatencyMs) / 20_000;
}

/** A gain that is worth a change. */
const worthwhile = 0.03;

export function recommend(current: TunePoint, points: readonly TunePoint[], fit: Fit): Recommendation | undefined {
  if (fit.fitted.calls === 0) return undefined;
  const [best] = points
    .filter((point) => point.onFront && !historyIsAgainst(point, current))
    .toSorted((one, other) => cost(one.lab) - cost(other.lab));
  if (!best || best === current || cost(current.lab) - cost(best.lab) < worthwhile) return undefined;
  const { confidence, because } = trust(best, fit);
  return { point: best, reason: reasonFor(best.lab, current.lab), confidence, because };
}

/** On the record it would have done worse, whatever is not known. */
function historyIsAgainst({ history }: TunePoint, current: TunePoint): boolean {
  return history !== undefined && current.history !== undefined && history.success.high < current.history.success.low - same.success;
}

function reasonFor(better: LabFigures, current: LabFigures): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const change = (what: string, from: string, to: string): string =>
    from === to ? `${what} stay at ${to}` : `${what} go from ${from} to ${to}`;
  return [
    `In the lab, ${change('successful calls', percent(current.success), percent(better.success))}`,
    change('requests per call', current.requestsPerCall.toFixed(2), better.requestsPerCall.toFixed(2)),
    `the mean wait is ${Math.round(better.addedLatencyMs)} ms instead of ${Math.round(current.addedLatencyMs)} ms.`,
  ].join(', ');
}

function trust(
  { history }: TunePoint,
  { fitted, failures }: Fit,
): { readonly confidence: Confidence; readonly because: readonly string[] } {
  const observed = history?.observedShare ?? 0;
  const because = [
    `${fitted.calls} calls and ${failures} failed attempts were recorded.`,
    `${Math.round(observed * 100)} % of the recorded calls would have gone the same way whatever is not known.`,
    fitted.longestOutageMs > 0
      ? `The longest recorded outage took ${Math.round(fitted.longestOutageMs / 1_000)} s.`
      : 'No outage was recorded: the one of the lab is assumed.',
  ];
  if (fitted.calls >= 500 && failures >= 20 && fitted.longestOutageMs > 0 && observed >= 0.5) return { confidence: 'high', because };
  return { confidence: fitted.calls >= 100 && failures >= 5 ? 'medium' : 'low', because };
}
