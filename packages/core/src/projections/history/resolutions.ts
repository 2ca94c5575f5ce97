/** Owns how finely the past is kept, and for how long. */

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

/** The finest first. The last is kept as long as the history itself. */
export function historyLevels(retentionDays: number): readonly HistoryLevel[] {
  return [
    { stepMs: 1_000, keptMs: 10 * minuteMs },
    { stepMs: 10_000, keptMs: 2 * hourMs },
    { stepMs: minuteMs, keptMs: 25 * hourMs },
    { stepMs: 10 * minuteMs, keptMs: retentionDays * dayMs },
  ];
}
