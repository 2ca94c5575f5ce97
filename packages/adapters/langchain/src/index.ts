/** The table of contents of `@holdfast/langchain`. */
export { reliableTools } from './reliable-tools.ts';
export type { LangChainRun, ReliableTools, ReliabilityMiddleware } from './reliable-tools.ts';
export type { LangChainTool } from './tools.ts';
export type { ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
