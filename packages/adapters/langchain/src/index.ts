/** The table of contents of `@holdfast/langchain`. */
export { reliableTools } from './reliable-tools.ts';
export type { ReliableTools } from './reliable-tools.ts';
export type { LangChainRun, LangChainTools } from './langchain-tools.ts';
export type { ReliabilityMiddleware } from './middleware.ts';
export type { LangChainTool } from './tools.ts';
export type { ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
