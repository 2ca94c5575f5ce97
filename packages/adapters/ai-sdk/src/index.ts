/** The exports of `@holdfast/ai-sdk`. */
export { reliableTools, type ReliableTools, type StartRunOptions } from './reliable-tools.ts';
export type { AiSdkRun, LoopSettings, OwnLoop, RunSettings, StepSettings } from './ai-sdk-run.ts';
export { createReliability, ToolCallError } from '@holdfast/adapter-kit';
export type { Reliability, ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
