/** The exports of `@holdfast/mastra`. */
export { reliableTools, type ReliableTools, type StartRunOptions } from './reliable-tools.ts';
export type { LoopSettings, MastraRun, OwnLoop, RunSettings } from './mastra-run.ts';
export { createReliability, ToolCallError } from '@holdfast/adapter-kit';
export type { Reliability, ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
