/**
 * Owns the ages of running attempts, to find those that have run too long to count as load.
 * Keeps the start times, in the order of the starts, in a ring that grows with the number of running attempts. Knows nothing of limits.
 *
 * 1. `lagging` is how many running attempts began `lagMs` ago or earlier, as of the latest `advance`.
 * 2. Every function is O(1) amortised; memory is allocated only when the ring grows.
 */
export interface InFlightAges {
  /** The first place in use; attempts with earlier places are not tracked. */
  readonly from: number;
  /** By place modulo the length: when the attempt began; NaN once it has ended. */
  starts: Float64Array;
  /** The oldest place not passed yet, and the next one to assign. */
  first: number;
  next: number;
  lagging: number;
}

export function createInFlightAges(from: number): InFlightAges {
  return { from, starts: new Float64Array(64), first: from, next: from, lagging: 0 };
}

/** Returns the place of the attempt, for `ended`. */
export function attemptBegan(ages: InFlightAges, now: number): number {
  if (ages.next - ages.first === ages.starts.length) grow(ages);
  const place = ages.next;
  ages.starts[place % ages.starts.length] = now;
  ages.next += 1;
  return place;
}

export function attemptEnded(ages: InFlightAges, place: number): void {
  if (place < ages.from) return;
  if (place < ages.first) ages.lagging -= 1;
  else ages.starts[place % ages.starts.length] = Number.NaN;
}

/** Passes the places of attempts that have ended or have been running for `lagMs`. */
export function advance(ages: InFlightAges, lagMs: number, now: number): void {
  while (ages.first < ages.next) {
    const start = ages.starts[ages.first % ages.starts.length] as number;
    // The same sum as in `nextLagAt`, so that a caller that returns at that time finds the attempt passed.
    if (now < start + lagMs) return;
    // A comparison with NaN is false: the attempt has ended.
    if (start <= now) ages.lagging += 1;
    ages.first += 1;
  }
}

/** When the next attempt passes `lagMs`; Infinity when none will. */
export function nextLagAt({ starts, first, next }: InFlightAges, lagMs: number): number {
  return first === next ? Infinity : (starts[first % starts.length] as number) + lagMs;
}

function grow(ages: InFlightAges): void {
  const larger = new Float64Array(ages.starts.length * 2);
  for (let place = ages.first; place < ages.next; place += 1)
    larger[place % larger.length] = ages.starts[place % ages.starts.length] as number;
  ages.starts = larger;
}
