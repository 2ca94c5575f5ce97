/** Owns how many of a service's servers work at a time: brownouts remove some, after some faults they return gradually. */
import type { ScheduledFault } from './schedule.ts';

/** Share right after a fault from which a service recovers gradually. */
const LEFT_AT_FIRST = 0.1;

/** The share of the servers that work at a time. */
export function capacityAt(faults: readonly ScheduledFault[], time: number): number {
  let capacity = 1;
  for (const { kind, fromMs, untilMs, recoverOverMs, recoverSteps } of faults) {
    if (time >= fromMs && time < untilMs) {
      if (kind.kind === 'brownout') capacity = Math.min(capacity, kind.capacity);
    } else if (time >= untilMs && time < untilMs + recoverOverMs) {
      const step = Math.floor(((time - untilMs) / recoverOverMs) * recoverSteps) / recoverSteps;
      capacity = Math.min(capacity, LEFT_AT_FIRST + (1 - LEFT_AT_FIRST) * step);
    }
  }
  return capacity;
}

/** When the share changes. */
export function capacityChanges(faults: readonly ScheduledFault[]): readonly number[] {
  return faults.flatMap(({ kind, fromMs, untilMs, recoverOverMs, recoverSteps }) => [
    ...(kind.kind === 'brownout' ? [fromMs] : []),
    ...(kind.kind === 'brownout' || recoverOverMs > 0 ? [untilMs] : []),
    // Slightly late, so that rounding cannot move it into the previous step.
    ...(recoverOverMs > 0
      ? Array.from({ length: recoverSteps }, (_, step) => untilMs + (recoverOverMs * (step + 1)) / recoverSteps + 0.001)
      : []),
  ]);
}
