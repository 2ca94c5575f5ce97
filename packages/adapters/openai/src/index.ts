/** The exports of `@holdfast/openai`. */
export { reliableTools } from './reliable-tools.ts';
export type { NamesOf, ReliableTools } from './reliable-tools.ts';
export type { OpenAIRun } from './openai-run.ts';
export type { CallOutput, ChatAnswer, ResponsesAnswer } from './calls.ts';
export type { RunToolsTool, ToolsRunner } from './run-tools.ts';
export type { ToolParameters, ReliableTool, RunnableFunction, RunnableTool, FunctionDeclaration, ToolFunction } from './tools.ts';
export { createReliability } from '@holdfast/adapter-kit';
export type { Reliability, ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
