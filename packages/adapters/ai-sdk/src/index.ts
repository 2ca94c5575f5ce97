/** The exports of `@holdfast/ai-sdk`. */
export { reliableTools, type ReliableTools, type StartRunOptions } from './reliable-tools.ts';
export type { AiSdkRun, LoopSettings, OwnLoop, RunSettings, StepSettings } from './ai-sdk-run.ts';
export { ToolCallError } from './tool-call-error.ts';
export { createReliability } from '@holdfast/adapter-kit';
export type { Reliability, ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
