/** Owns how long it takes after a fault until turns succeed again: counted by the seconds in which they begin. */

export interface Recovery {
  /** A turn that ended, with its duration; `Infinity`: without success. */
  add(startedAt: number, tookMs: number): void;
  seconds(): number | 'never' | null;
}

const WANTED = 0.95;
/** Number of consecutive seconds that have to be good, among those in which turns began. */
const LASTING = 5;

export function createRecovery(endsAt: number, durationMs: number, promptMs: number): Recovery {
  const seconds = Math.max(0, Math.ceil((durationMs - endsAt) / 1_000));
  const begun = new Float64Array(seconds);
  const prompt = new Float64Array(seconds);
  return {
    add(startedAt, tookMs) {
      const second = Math.floor((startedAt - endsAt) / 1_000);
      if (second < 0 || second >= seconds) return;
      begun[second] = (begun[second] ?? 0) + 1;
      if (tookMs <= promptMs) prompt[second] = (prompt[second] ?? 0) + 1;
    },
    seconds() {
      let from = 0;
      let good = 0;
      let seen = 0;
      for (let second = 0; second < seconds && good < LASTING; second++) {
        const all = begun[second] ?? 0;
        if (all === 0) continue;
        seen += 1;
        if ((prompt[second] ?? 0) >= WANTED * all) good += 1;
        else {
          good = 0;
          from = second + 1;
        }
      }
      if (seen === 0) return null;
      return good > 0 ? from : 'never';
    },
  };
}
