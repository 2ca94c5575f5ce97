/** Owns the resolutions of the history: the common ones, and the steps in which a day and two weeks are shown, so that these are a few hundred rows. */
import { type HistoryLevel, historyLevels } from '@holdfast/core/internal';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Finest first. Each has its own table (`schema.ts`), and its step is a multiple of the previous one. */
export function levelsOf(retentionDays: number): readonly HistoryLevel[] {
  const keptMs = retentionDays * 24 * hourMs;
  const between = [
    { stepMs: 5 * minuteMs, keptMs: 25 * hourMs },
    { stepMs: hourMs, keptMs },
  ];
  return [...historyLevels(retentionDays), ...between].toSorted((one, other) => one.stepMs - other.stepMs);
}
