/** The table of contents of `@holdfast/openai-agents`. */
export { reliableTools } from './reliable-tools.ts';
export type { AgentsOptions, ReliableTools } from './reliable-tools.ts';
export type { AgentsRun, RunSettings } from './agents-run.ts';
export type { ToolDefinition, ToolDefinitions } from './tools.ts';
export type { ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
