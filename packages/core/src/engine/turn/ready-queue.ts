/**
 * Owns the order in which ready calls start: critical ones first, then as they became ready, in the canonical order of the plan. Taking one is O(1).
 */
import type { CallProgress, TurnState } from './state.ts';

export function makeReady({ ready }: TurnState, call: CallProgress): void {
  call.stage = 'ready';
  (call.node.call.critical ? ready.critical : ready.others).push(call);
}

export function takeReady({ ready, taken }: TurnState): CallProgress | undefined {
  if (taken.critical < ready.critical.length) return ready.critical[taken.critical++];
  return taken.others < ready.others.length ? ready.others[taken.others++] : undefined;
}
