/** Owns the order in which ready calls start: critical ones first, then as they became ready, which is the canonical order of the plan. */
import type { CallProgress, TurnState } from './state.ts';

/** Puts a call where it belongs in the queue of ready calls. */
export function makeReady(state: TurnState, call: CallProgress): void {
  call.stage = 'ready';
  const { ready } = state;
  // Calls become ready in canonical order within one step, so only a critical call has to be moved forward.
  if (call.node.call.critical) {
    const position = ready.findIndex(({ node }) => !node.call.critical);
    if (position >= 0) return void ready.splice(position, 0, call);
  }
  ready.push(call);
}
