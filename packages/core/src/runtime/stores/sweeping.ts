/**
 * Owns when a store deletes old rows: shortly after opening, then every hour, in steps with pauses. Never keeps the process alive.
 * Does not own which rows are deleted.
 */
import type { System, TimerHandle } from '../../engine/ports/system.ts';
import { createSystem } from '../system/create-system.ts';

const everyMs = 3_600_000;

/** When rows are deleted, in milliseconds. */
export interface SweepTiming {
  /** From opening to the first step. */
  readonly firstAfterMs: number;
  /** Between two steps while there is more to delete. */
  readonly pauseMs: number;
  /** @default createSystem() */
  readonly system?: Pick<System, 'setTimer' | 'clearTimer'>;
}

/** `step` deletes some rows and returns whether there are more; it must not reject. Returns a function that stops the sweeping. */
export function startSweeping(step: () => Promise<boolean>, { firstAfterMs, pauseMs, system = createSystem() }: SweepTiming): () => void {
  let timer: TimerHandle;
  let stopped = false;
  const sweepAfter = (delayMs: number): void => {
    timer = system.setTimer(delayMs, () => void sweep(), true);
  };
  const sweep = async (): Promise<void> => {
    const more = await step();
    if (!stopped) sweepAfter(more ? pauseMs : everyMs);
  };
  sweepAfter(firstAfterMs);
  return () => {
    stopped = true;
    system.clearTimer(timer);
  };
}
