/** Owns the effect that a tool counts with after a failure: the declared one, or the one that its settings assume. */
import type { Effect } from '../recover/decision.ts';

/** `undefined`: nothing is declared and nothing is assumed. */
export function countedEffect({
  effect,
  assumedEffect,
}: {
  readonly effect?: Effect | undefined;
  readonly assumedEffect?: Effect | undefined;
}): Effect | undefined {
  return effect ?? assumedEffect;
}
