/** Owns how a permit is made: the right to one attempt, which holds a slot until it is released. */
import type { CircuitPermit } from '../breaker/types.ts';
import type { Gate, Permit } from './types.ts';

/** Takes a slot for an attempt that the circuit permits. `cost`: the tokens that were paid for it. */
export function takeSlot({ bulkhead }: Gate, { generation, probe, probeNumber }: CircuitPermit, cost = 0): Permit {
  bulkhead.held += 1;
  bulkhead.slots.taken += 1;
  return { generation, probe, probeNumber, cost, recorded: false, released: false, orphaned: false };
}
