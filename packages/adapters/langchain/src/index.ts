/** The exports of `@holdfast/langchain`. */
export { reliableTools } from './reliable-tools.ts';
export type { LangChainOptions, LangChainRun, NamesOf, ReliableTools } from './reliable-tools.ts';
export type { LangChainTool, ReliabilityMiddleware } from './adapter-context.ts';
export { createReliability } from '@holdfast/adapter-kit';
export type { Reliability, ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
