/**
 * Owns when a failed call goes back to its tool's gate to wait there, instead of failing: profile `adaptive` and whoever sets `waitForRecovery`.
 * Does not own the waiting itself (`../admission`), nor how long it may last: that stands in the inputs.
 *
 * Invariants
 * 1. Without `may_wait_ms` nothing in here says anything: `spec` and `service` are decided without it.
 * 2. Nobody waits for what no time is known of, such as a circuit that a person keeps open.
 * 3. Nobody waits where another tool serves at once.
 */
import { sayDuration } from '../plain/duration.ts';
import type { DecisionInputs } from './decision.ts';

/** The circuit itself keeps the next attempt back. */
export function isShut({ circuit_breaker_state, probe }: DecisionInputs): boolean {
  return probe || circuit_breaker_state === 'open';
}

/** The gate would make the next attempt wait: for its circuit, for as long as the server asked, or for its rate limit. */
function isHeld(inputs: DecisionInputs): boolean {
  return inputs.circuit_breaker_state !== 'closed' || inputs.probe || inputs.held_ms !== undefined;
}

/** The call would wait at the gate, if it may: then what keeps it from that; else `undefined`. */
export function whatForbidsWaiting(inputs: DecisionInputs): string | undefined {
  const { may_wait_ms = 0, held_ms, alternatives, circuit_breaker_state } = inputs;
  const what = saysShut(inputs) ?? 'Held by the gate';
  if (alternatives.some(({ available }) => available)) return what;
  if (held_ms === undefined) return circuit_breaker_state === 'open' ? `${what}, nobody can say for how long` : undefined;
  if (held_ms < may_wait_ms) return undefined;
  return `${what}: ${sayDuration(held_ms)} to go, and the call may wait ${sayDuration(may_wait_ms)}`;
}

/** Its next attempt waits at the gate until the tool is back. */
export function waitsForRecovery(inputs: DecisionInputs): boolean {
  const { may_wait_ms, next_delay_ms } = inputs;
  return may_wait_ms !== undefined && isHeld(inputs) && next_delay_ms < may_wait_ms && whatForbidsWaiting(inputs) === undefined;
}

/** The call may wait, and what holds it is not the circuit: whether it may wait is asked beside it. */
export function isHeldOpen(inputs: DecisionInputs): boolean {
  return inputs.may_wait_ms !== undefined && inputs.held_ms !== undefined && !isShut(inputs);
}

/** `circuit open`, where the sentence about a retry says `circuit closed` otherwise. */
export function sayWait(inputs: DecisionInputs): string {
  const what = inputs.probe
    ? 'probe failed, circuit open'
    : (saysShut(inputs)?.toLowerCase() ?? (inputs.circuit_breaker_state === 'half_open' ? 'circuit half open' : 'held by the gate'));
  const long = inputs.held_ms === undefined ? '' : ` for ${sayDuration(inputs.held_ms)}`;
  return `${what}${long}, may wait ${sayDuration(inputs.may_wait_ms ?? 0)}`;
}

function saysShut(inputs: DecisionInputs): string | undefined {
  if (!isShut(inputs)) return undefined;
  return inputs.probe ? 'Probe failed' : 'Circuit open';
}
