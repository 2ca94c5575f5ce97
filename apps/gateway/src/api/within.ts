/** Owns waiting for something, but not for ever. */
import { longestTimerMs } from './limits.ts';

/** Resolves when the work has ended, or the limit has passed. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(limitMs, longestTimerMs));
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
