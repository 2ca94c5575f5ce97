/**
 * Owns how long a tool's successes usually take, and whether they take much longer now. Slowness stops what the layer adds; it never holds a first attempt.
 */
import { numbers } from './numbers.ts';

export class Durations {
  /** Geometric means over the last few attempts, over the successes among them, and over the successes of the last two minutes; 0 before the first success. */
  recentMs = 0;
  recentSuccessMs = 0;
  usualMs = 0;
  samples = 0;
  lastAt = 0;
  /** Duration of the latest attempt that a time limit ended, and when; Infinity while there is none in the last two minutes. */
  limitMs: number = Infinity;
  limitedAt: number = -Infinity;
}

/**
 * A success. While time-outs limit the tool (`limited`), it shows whether the tool is still slow, but not what is usual; unless the usual time rests on no more answers
 * than the recent one: then even those of an overloaded tool are better than none.
 */
export function learnDuration(durations: Durations, durationMs: number, now: number, limited = false): void {
  if (!limited || durations.samples < 1 / numbers.recentShare) learnUsual(durations, durationMs, now);
  const share = durations.samples === 1 ? 1 : numbers.recentShare;
  durations.recentMs = blend(durations.recentMs, durationMs, share);
  durations.recentSuccessMs = blend(durations.recentSuccessMs, durationMs, share);
}

function learnUsual(durations: Durations, durationMs: number, now: number): void {
  const slow = isSlow(durations);
  if (now - durations.limitedAt > numbers.usualMs) durations.limitMs = Infinity;
  durations.samples += 1;
  const passedMs = (now - durations.lastAt) / (slow ? numbers.usualFactorSlow : 1);
  // The first answer after a pause is not what is usual: the usual time moves at most half as fast as the recent one.
  const byTime = Math.min(1 - Math.exp(-passedMs / numbers.usualMs), numbers.recentShare / 2);
  const share = durations.samples <= numbers.firstSamples ? Math.max(byTime, 1 / durations.samples) : byTime;
  durations.usualMs = durations.samples === 1 ? durationMs : blend(durations.usualMs, durationMs, share);
  durations.lastAt = now;
}

/** An attempt was cut off, by a time limit or by its caller. It would have taken at least so long: it makes a tool slow, but says nothing about what is usual. */
export function learnCutOff(durations: Durations, durationMs: number): void {
  if (durations.samples > 0 && durationMs > durations.recentMs)
    durations.recentMs = blend(durations.recentMs, durationMs, numbers.recentShare);
}

/** Whether a success took the usual time; the first always does. */
export function isUsual({ usualMs, samples }: Durations, durationMs: number): boolean {
  return samples === 0 || durationMs <= numbers.slow * usualMs;
}

/** Compared with what is usual, or with the time limit: what is usual of a tool that was overloaded from the start is no measure. */
export function isSlow(durations: Durations): boolean {
  return durations.recentMs > slowMs(durations);
}

/** Whether time-outs come from overload: requests that hang beside successes that take the usual time have another cause. */
export function isOverloaded(durations: Durations): boolean {
  return durations.recentSuccessMs > slowMs(durations);
}

function slowMs({ usualMs, limitMs }: Durations): number {
  return Math.min(numbers.slow * usualMs, numbers.slowShare * limitMs);
}

/** A time limit ended an attempt. Later answers may show that this attempt proves nothing about now; how long the tool may take is known all the same. */
export function noteTimeLimit(durations: Durations, limitMs: number, now: number): void {
  durations.limitMs = limitMs;
  durations.limitedAt = now;
}

/** The tool is back after an outage: what was slow before it is over. */
export function forgetSlowness(durations: Durations): void {
  durations.recentMs = durations.recentSuccessMs = durations.usualMs;
}

/** A geometric mean: one answer that took a hundred times as long must not hide that all others take twice as long. */
function blend(meanMs: number, durationMs: number, share: number): number {
  return Math.max(meanMs, 1) ** (1 - share) * Math.max(durationMs, 1) ** share;
}
