export {};
export { manualSystem } from './manual-system.ts';
export type { ManualSystem, ManualSystemOptions } from './manual-system.ts';
