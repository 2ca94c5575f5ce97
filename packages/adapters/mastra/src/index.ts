/** The exports of `@holdfast/mastra`. */
export { reliableTools, type ReliableTools, type StartRunOptions } from './reliable-tools.ts';
export type { LoopSettings, MastraRun, OwnLoop, RunSettings } from './mastra-run.ts';
export { ToolCallError } from './tool-call-error.ts';
export { createReliability } from '@holdfast/adapter-kit';
export type { Reliability, ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
