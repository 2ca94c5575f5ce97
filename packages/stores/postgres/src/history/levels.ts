/** Owns how finely the past is kept: as everywhere, and in steps of an hour, so that two weeks are a few hundred rows of a table. */
import { type HistoryLevel, historyLevels } from '@holdfast/core/history';

const hourMs = 3_600_000;

/** The finest first. Each has a table of its own (`schema.ts`). */
export function levelsOf(retentionDays: number): readonly HistoryLevel[] {
  return [...historyLevels(retentionDays), { stepMs: hourMs, keptMs: retentionDays * 24 * hourMs }];
}
