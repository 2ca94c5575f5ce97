/**
 * Owns when a failed call goes back to its tool's gate to wait there, instead of failing: profile `adaptive` and whoever sets `waitForRecovery`.
 * Does not own the waiting itself (`../admission`), nor how long it may last: that stands in the inputs.
 *
 * Invariants
 * 1. Without `mayWaitMs` nothing in here says anything: `spec` and `service` are decided without it.
 * 2. Nobody waits for what no time is known of, such as a circuit that a person keeps open.
 * 3. Nobody waits where another tool serves at once.
 */
import { sayDuration } from '../plain/duration.ts';
import type { DecisionInputs } from './decision.ts';

/** The circuit itself keeps the next attempt back. */
export function isShut({ circuit, probe }: DecisionInputs): boolean {
  return probe || circuit === 'open';
}

/** The gate would make the next attempt wait: for its circuit, for as long as the server asked, or for its rate limit. */
function isHeld(inputs: DecisionInputs): boolean {
  return inputs.circuit !== 'closed' || inputs.probe || inputs.heldMs !== undefined;
}

/** The call would wait at the gate, if it may: then what keeps it from that; else `undefined`. */
export function whatForbidsWaiting(inputs: DecisionInputs): string | undefined {
  const { mayWaitMs = 0, heldMs, alternatives, circuit } = inputs;
  const what = saysShut(inputs) ?? 'Held by the gate';
  if (alternatives.some(({ available }) => available)) return what;
  if (heldMs === undefined) return circuit === 'open' ? `${what}, nobody can say for how long` : undefined;
  if (heldMs < mayWaitMs) return undefined;
  return `${what}: ${sayDuration(heldMs)} to go, and the call may wait ${sayDuration(mayWaitMs)}`;
}

/** Its next attempt waits at the gate until the tool is back. */
export function waitsForRecovery(inputs: DecisionInputs): boolean {
  const { mayWaitMs, nextDelayMs } = inputs;
  return mayWaitMs !== undefined && isHeld(inputs) && nextDelayMs < mayWaitMs && whatForbidsWaiting(inputs) === undefined;
}

/** The call may wait, and what holds it is not the circuit: whether it may wait is asked beside it. */
export function isHeldOpen(inputs: DecisionInputs): boolean {
  return inputs.mayWaitMs !== undefined && inputs.heldMs !== undefined && !isShut(inputs);
}

/** `circuit open`, where the sentence about a retry says `circuit closed` otherwise. */
export function sayWait(inputs: DecisionInputs): string {
  const what = inputs.probe
    ? 'probe failed, circuit open'
    : (saysShut(inputs)?.toLowerCase() ?? (inputs.circuit === 'half_open' ? 'circuit half open' : 'held by the gate'));
  const long = inputs.heldMs === undefined ? '' : ` for ${sayDuration(inputs.heldMs)}`;
  return `${what}${long}, may wait ${sayDuration(inputs.mayWaitMs ?? 0)}`;
}

function saysShut(inputs: DecisionInputs): string | undefined {
  if (!isShut(inputs)) return undefined;
  return inputs.probe ? 'Probe failed' : 'Circuit open';
}
