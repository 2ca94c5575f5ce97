/**
 * Owns when retention runs: shortly after opening, then every hour, step by step with pauses. Never keeps the process alive.
 */
import { sweepStep } from './retention.ts';
import type { Link } from './link.ts';

const firstAfterMs = 1_000;
const everyMs = 3_600_000;
const pauseMs = 20;

/** Answers how to stop it. */
export function startSweeping(link: Link, retentionDays: number): () => void {
  let timer: NodeJS.Timeout;
  const sweep = (): void => {
    let more = false;
    try {
      more = sweepStep(link.open(), retentionDays, Date.now());
    } catch {
      // Whatever it is, the writer meets it too and says so; old turns can wait an hour.
    }
    timer = setTimeout(sweep, more ? pauseMs : everyMs).unref();
  };
  timer = setTimeout(sweep, firstAfterMs).unref();
  return () => clearTimeout(timer);
}
