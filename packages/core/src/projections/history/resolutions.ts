/** Owns the resolution of the stored history and how long each is kept. */

/** How long the history keeps cells of one length. */
export interface HistoryLevel {
  /** Length of its cells, in milliseconds. */
  readonly stepMs: number;
  /** How long its cells are kept, in milliseconds. */
  readonly keptMs: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Returns the levels, finest first. The last one is kept for the whole retention. */
export function historyLevels(retentionDays: number): readonly HistoryLevel[] {
  return [
    { stepMs: 1_000, keptMs: 10 * minuteMs },
    { stepMs: 10_000, keptMs: 2 * hourMs },
    { stepMs: minuteMs, keptMs: 25 * hourMs },
    { stepMs: 10 * minuteMs, keptMs: retentionDays * dayMs },
  ];
}
