/** The exports of `@holdfast/google-genai`. */
export { reliableTools } from './reliable-tools.ts';
export type { NamesOf, ReliableTools } from './reliable-tools.ts';
export type { GoogleGenAIRun } from './google-genai-run.ts';
export type { FunctionResults, GeminiAnswer } from './calls.ts';
export { functionsOf } from './callable-functions.ts';
export { tool } from './tools.ts';
export type { DeepReadonly, HostedTool, ReliableTool, ToolFunction } from './tools.ts';
export { createReliability } from '@holdfast/adapter-kit';
export type { Reliability, ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
