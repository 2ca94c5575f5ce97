/**
 * Owns when a failed call returns to its tool's gate to wait there, instead of failing, in profile `adaptive` and wherever `waitForRecovery` is set.
 * Does not own the waiting itself (`../admission`), or its time limit, which is in the inputs.
 *
 * Invariants
 * 1. Without `mayWaitMs` nothing here applies: `spec` and `service` decide without it.
 * 2. No call waits for an unknown time, as for a circuit that an operator keeps open.
 * 3. No call waits when another tool can serve it at once.
 */
import { formatDuration } from '../plain/duration.ts';
import type { DecisionInputs } from './decision.ts';

/** The circuit itself prevents the next attempt. */
export function isShut({ circuit, probe }: DecisionInputs): boolean {
  return probe || circuit === 'open';
}

/** The gate would make the next attempt wait: for its circuit, for as long as the server asked, or for its rate limit. */
function isHeld(inputs: DecisionInputs): boolean {
  return inputs.circuit !== 'closed' || inputs.probe || inputs.heldMs !== undefined;
}

/** For a call that would wait at the gate if it could: the reason why it does not; otherwise `undefined`. */
export function whyNotWait(inputs: DecisionInputs): string | undefined {
  const { mayWaitMs = 0, heldMs, alternatives, circuit } = inputs;
  const what = describeShut(inputs) ?? 'Held by the gate';
  if (alternatives.some(({ available }) => available)) return what;
  if (heldMs === undefined) return circuit === 'open' ? `${what} for an unknown time` : undefined;
  if (heldMs < mayWaitMs) return undefined;
  return `${what}: ${formatDuration(heldMs)} left, and the call may wait ${formatDuration(mayWaitMs)}`;
}

/** Whether the next attempt waits at the gate until the tool is back. */
export function waitsForRecovery(inputs: DecisionInputs): boolean {
  const { mayWaitMs, nextDelayMs } = inputs;
  return mayWaitMs !== undefined && isHeld(inputs) && nextDelayMs < mayWaitMs && whyNotWait(inputs) === undefined;
}

/** Whether the call may wait and is held by something other than the circuit: that wait is a separate check. */
export function isHeldOpen(inputs: DecisionInputs): boolean {
  return inputs.mayWaitMs !== undefined && inputs.heldMs !== undefined && !isShut(inputs);
}

/** `circuit open`, where the reason of a retry otherwise contains `circuit closed`. */
export function describeWait(inputs: DecisionInputs): string {
  const what = inputs.probe
    ? 'probe failed, circuit open'
    : (describeShut(inputs)?.toLowerCase() ?? (inputs.circuit === 'half_open' ? 'circuit half open' : 'held by the gate'));
  const long = inputs.heldMs === undefined ? '' : ` for ${formatDuration(inputs.heldMs)}`;
  return `${what}${long}, may wait ${formatDuration(inputs.mayWaitMs ?? 0)}`;
}

function describeShut(inputs: DecisionInputs): string | undefined {
  if (!isShut(inputs)) return undefined;
  return inputs.probe ? 'Probe failed' : 'Circuit open';
}
