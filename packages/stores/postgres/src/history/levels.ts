/** Owns how finely the past is kept: as everywhere, and in those steps in which a day and two weeks are looked at, so that these are a few hundred rows of a table. */
import { type HistoryLevel, historyLevels } from '@holdfast/core/internal';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The finest first; each has a table of its own (`schema.ts`), and its step is a multiple of the one before. */
export function levelsOf(retentionDays: number): readonly HistoryLevel[] {
  const keptMs = retentionDays * 24 * hourMs;
  const between = [
    { stepMs: 5 * minuteMs, keptMs: 25 * hourMs },
    { stepMs: hourMs, keptMs },
  ];
  return [...historyLevels(retentionDays), ...between].toSorted((one, other) => one.stepMs - other.stepMs);
}
