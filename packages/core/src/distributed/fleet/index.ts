/** The entry `@holdfast/core/fleet`: one circuit per tool for many processes. */
export type { CircuitSharing } from '../../engine/ports/circuit-sharing.ts';
export { shareCircuits } from './share-circuits.ts';
export type { CircuitSharingOptions } from './share-circuits.ts';
export { completeFleetSettings, fleetCircuitDefaults } from './fleet-settings.ts';
export type { FleetCircuitSettings } from './fleet-settings.ts';
export type { FleetCircuitState, FleetProbe } from './fleet-state.ts';
export type { Member } from './members.ts';
export { memorySharedCircuits } from './memory-shared-circuits.ts';
export type { MemorySharedCircuitsOptions } from './memory-shared-circuits.ts';
export type { CircuitReport, FleetCause, FleetCircuit, ProbeAnswer, ProbeEnd, ProbeRequest, SharedCircuits } from './shared-circuits.ts';
export { stepFleetCircuit } from './step-fleet-circuit.ts';
export type { FleetCircuitMessage, FleetCircuitStep } from './step-fleet-circuit.ts';
