/** Owns how finely the past is kept, and for how long. */

export interface HistoryLevel {
  readonly stepMs: number;
  readonly keptMs: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The finest first. The last is kept as long as the history itself. */
export function historyLevels(retentionDays: number): readonly HistoryLevel[] {
  return [
    { stepMs: 1_000, keptMs: 10 * minuteMs },
    { stepMs: 10_000, keptMs: 2 * hourMs },
    { stepMs: minuteMs, keptMs: 25 * hourMs },
    { stepMs: 10 * minuteMs, keptMs: retentionDays * dayMs },
  ];
}
