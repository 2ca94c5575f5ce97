/** Owns how a permit is made: the right to one attempt, which holds a slot until it is released. */
import type { CircuitPermit } from '../breaker/types.ts';
import type { Gate, Permit } from './types.ts';

/** Takes a slot for an attempt that the circuit permits. `hedge`: beside a first attempt that still runs. */
export function takeSlot({ bulkhead }: Gate, { generation, probe, probeNumber }: CircuitPermit, hedge = false): Permit {
  bulkhead.held += 1;
  return { generation, probe, probeNumber, hedge, recorded: false, released: false, orphaned: false };
}
