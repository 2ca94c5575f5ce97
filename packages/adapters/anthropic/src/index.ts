/** The exports of `@holdfast/anthropic`. */
export { reliableTools } from './reliable-tools.ts';
export type { NamesOf, ReliableTools } from './reliable-tools.ts';
export type { AnthropicRun } from './anthropic-run.ts';
export type { ClaudeMessage, AnyMessageParam, ToolResults } from './calls.ts';
export type { ReliableTool, RunContext, RunnableTool, ToolFunction } from './tools.ts';
export { createReliability } from '@holdfast/adapter-kit';
export type { Reliability, ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
