/**
 * The entry `@holdfast/core/internal/store`: what the stores of Holdfast share. It follows no version rule; do not depend on it.
 * It is apart from `@holdfast/core/internal` so that a store's thread loads nothing else.
 */
export { MAX_MEMORY_ENTRIES, readMemoryEntry } from '../../engine/recover/memory-entry.ts';
export { createStateQueue, isEmpty } from './state-queue.ts';
export type { StateQueue, States } from './state-queue.ts';
export { pushAll } from './push-all.ts';
export type { BoundedQueue } from './push-all.ts';
export { sharedListener } from './shared-listener.ts';
export type { ListenedProcess } from './shared-listener.ts';
export { eventColumns } from './stored-event.ts';
export type { EventColumns } from './stored-event.ts';
export { createStoreFaults, withoutFaultKind } from './store-faults.ts';
export type { StoreFault, StoreFaults } from './store-faults.ts';
export { fromStoredText, toStoredText } from './stored-text.ts';
export { startSweeping } from './sweeping.ts';
export type { SweepTiming } from './sweeping.ts';
