/**
 * Owns when a store deletes old rows: shortly after opening, then at intervals, in steps with pauses. Never keeps the process alive.
 * Does not own which rows are deleted.
 */
import type { System, TimerHandle } from '../../engine/ports/system.ts';
import { createSystem } from '../system/create-system.ts';

const hourMs = 3_600_000;

/** When rows are deleted, in milliseconds. */
export interface SweepTiming {
  /** From opening to the first step. */
  readonly firstAfterMs: number;
  /** Between two steps while there is more to delete. */
  readonly pauseMs: number;
  /** From the end of a sweep to the next. @default an hour */
  readonly everyMs?: number;
  /** @default createSystem() */
  readonly system?: Pick<System, 'setTimer' | 'clearTimer'>;
}

/** `step` deletes some rows and returns whether there are more; it must not reject. Returns a function that stops the sweeping. */
export function startSweeping(step: () => Promise<boolean>, timing: SweepTiming): () => void {
  const { firstAfterMs, pauseMs, everyMs = hourMs, system = createSystem() } = timing;
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
