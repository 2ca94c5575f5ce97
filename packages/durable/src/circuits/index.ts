/** The table of contents of the fleet's circuits on Restate. */
export { circuitObject } from './circuit-object.ts';
export type { CircuitObjectOptions } from './circuit-object.ts';
export { restateSharedCircuits } from './restate-shared-circuits.ts';
export type { RestateSharedCircuitsOptions } from './restate-shared-circuits.ts';
