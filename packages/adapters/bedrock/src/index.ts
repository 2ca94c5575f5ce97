/** The exports of `@holdfast/bedrock`. */
export { reliableTools } from './reliable-tools.ts';
export type { NamesOf, ReliableTools } from './reliable-tools.ts';
export type { BedrockRun } from './bedrock-run.ts';
export type { ConverseAnswer, StreamedAnswer, ToolResults } from './calls.ts';
export { tool } from './tools.ts';
export type { OtherTool, ReliableTool, ToolFunction, ToolSpec } from './tools.ts';
export { createReliability } from '@holdfast/adapter-kit';
export type { Reliability, ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
