/** The table of contents of `@holdfast/core/fleet`: one circuit per tool for many processes. */
export type { CircuitReport, FleetCircuit, ProbeAnswer, SharedCircuits } from './shared-circuits.ts';
