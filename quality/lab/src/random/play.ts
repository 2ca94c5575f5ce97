/** Owns the contests in many generated worlds. */
import { runAll } from '../crew.ts';
import type { ContestJob } from '../job.ts';
import type { Contest } from './contest.ts';

/** `worlds`: their seeds. */
export async function playRandom(worlds: readonly string[], how: Omit<ContestJob, 'random'>): Promise<readonly Contest[]> {
  const jobs = worlds.map((random): ContestJob => ({ ...how, random }));
  const startedAt = Date.now();
  return runAll(jobs, (done) => {
    if (done % 25 === 0) console.error(`${done} of ${jobs.length} worlds, ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  });
}
