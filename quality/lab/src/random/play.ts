/** Owns the contests in many generated worlds. */
import { runAll } from '../crew.ts';
import type { ContestJob } from '../job.ts';
import type { Contest } from './contest.ts';

/** `worlds`: their seeds. `contenders`: `none` first. */
export async function playRandom(worlds: readonly string[], contenders: readonly string[], runs?: number): Promise<readonly Contest[]> {
  const jobs = worlds.map((random): ContestJob => ({ random, contenders, ...(runs !== undefined && { runs }) }));
  const startedAt = Date.now();
  const contests = await runAll(jobs, (done) => {
    if (done % 25 === 0) console.error(`${done} of ${jobs.length} worlds, ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  });
  return contests;
}
