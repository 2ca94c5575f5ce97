/** Owns the comparison of points: the Pareto front, the recommendation, and its confidence. */
import type { Fit } from './fit.ts';
import type { Confidence, LabFigures, Recommendation, TunePoint } from './types.ts';

/** Smaller differences are chance. */
const same = { success: 0.002, requests: 0.01, latencyMs: 5 } as const;

/** Better in one figure, and not worse in any. */
function beats(one: LabFigures, other: LabFigures): boolean {
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

/** Whether all differences are chance. */
function isSame(one: LabFigures, other: LabFigures): boolean {
  return (
    Math.abs(one.success - other.success) <= same.success &&
    Math.abs(one.requestsPerCall - other.requestsPerCall) <= same.requests &&
    Math.abs(one.addedLatencyMs - other.addedLatencyMs) <= same.latencyMs
  );
}

/** The points that no other point beats; of equal ones, the first. */
export function frontOf<Point extends { readonly lab: LabFigures }>(points: readonly Point[]): ReadonlySet<Point> {
  const front = new Set<Point>();
  for (const point of points)
    if (!points.some((other) => beats(other.lab, point.lab)) && ![...front].some((known) => isSame(known.lab, point.lab))) front.add(point);
  return front;
}

/** Lower is better: a lost call weighs as much as ten additional requests, and a second of waiting as a twentieth of a request. */
export function cost({ success, requestsPerCall, addedLatencyMs }: LabFigures): number {
  return 10 * (1 - success) + requestsPerCall + Math.max(0, addedLatencyMs) / 20_000;
}

/** Maximum difference between the success in the lab and the recorded one for the lab to count as realistic. */
const alike = 0.1;

/** A gain that is worth a change. */
const worthwhile = 0.03;

export interface Weighed {
  readonly current: TunePoint;
  readonly points: readonly TunePoint[];
  readonly fit: Fit;
  /** The figures of a point without the outage that was not recorded. */
  readonly withoutAssumed: (point: TunePoint) => LabFigures;
  /** Number of recorded turns that call the tool, and how many of them were evaluated. */
  readonly turns: { readonly all: number; readonly evaluated: number };
}

export function recommend({ current, points, fit, withoutAssumed, turns }: Weighed): Recommendation | undefined {
  if (fit.fitted.calls === 0) return undefined;
  const [best] = points
    .filter((point) => point.onFront && !historyIsAgainst(point, current))
    .toSorted((one, other) => cost(one.lab) - cost(other.lab));
  if (!best || best === current || cost(current.lab) - cost(best.lab) < worthwhile) return undefined;
  const isGuess = fit.assumed.size > 0 && cost(withoutAssumed(current)) - cost(withoutAssumed(best)) < worthwhile;
  const isKind = current.history !== undefined && current.history.success.high < current.lab.success - alike;
  const because = [
    ...basis(best, fit),
    ...(isGuess ? ['Without it, the change has no benefit.'] : []),
    ...(isKind
      ? ['With the current settings, far more calls succeed in the lab than in the record: its worlds lack some of the real failures.']
      : []),
    ...unknowns(fit, turns),
  ];
  return {
    point: best,
    reason: reasonFor(best.lab, current.lab),
    confidence: isGuess || isKind ? 'low' : confidenceIn(best, fit),
    because,
  };
}

/** Whether it would have done worse on the record, whatever the unknown attempts do. */
function historyIsAgainst({ history }: TunePoint, current: TunePoint): boolean {
  return history !== undefined && current.history !== undefined && history.success.high < current.history.success.low - same.success;
}

function reasonFor(better: LabFigures, current: LabFigures): string {
  const tenths = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const change = (what: string, from: string, to: string): string =>
    from === to ? `${what} stay at ${to}` : `${what} go from ${from} to ${to}`;
  return [
    `In the lab, ${change('successful calls', tenths(current.success), tenths(better.success))}`,
    change('requests per call', current.requestsPerCall.toFixed(2), better.requestsPerCall.toFixed(2)),
    `the mean wait is ${waitMs(better)} ms instead of ${waitMs(current)} ms.`,
  ].join(', ');
}

/** Negative differences are chance. */
const waitMs = ({ addedLatencyMs }: LabFigures): number => Math.max(0, Math.round(addedLatencyMs));

const percent = (share: number): string => `${share > 0 && share < 0.01 ? '<1' : Math.round(share * 100)} %`;

function basis({ history }: TunePoint, { fitted, failures }: Fit): readonly string[] {
  return [
    `${fitted.calls} calls and ${failures} failed attempts were recorded.`,
    `${percent(history?.observedShare ?? 0)} of the recorded calls do not depend on unobserved attempts.`,
    fitted.longestOutageMs > 0
      ? `The longest recorded outage took ${Math.max(1, Math.round(fitted.longestOutageMs / 1_000))} s.`
      : 'No outage was recorded: the one of the lab is assumed.',
  ];
}

function unknowns({ fitted }: Fit, { all, evaluated }: Weighed['turns']): readonly string[] {
  const sentences: string[] = [];
  if (fitted.timeoutShare > 0)
    sentences.push(
      `${percent(fitted.timeoutShare)} of the attempts reached the time limit: it is not known whether they would have been answered later, and the lab treats them as lost.`,
    );
  if (evaluated < all) sentences.push(`Only the newest ${evaluated} of ${all} turns were evaluated.`);
  return sentences;
}

function confidenceIn({ history }: TunePoint, { fitted, failures }: Fit): Confidence {
  if (fitted.calls < 100 || failures < 5) return 'low';
  const isSure = fitted.calls >= 500 && failures >= 20 && fitted.longestOutageMs > 0 && (history?.observedShare ?? 0) >= 0.5;
  return isSure ? 'high' : 'medium';
}
