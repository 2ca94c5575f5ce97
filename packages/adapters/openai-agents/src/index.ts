/** The exports of `@holdfast/openai-agents`. */
export { reliableTools } from './reliable-tools.ts';
export type { AgentsOptions, ReliableTools } from './reliable-tools.ts';
export type { AgentsRun, EndedRun, RunSettings } from './agents-run.ts';
export type { AgentToolOptions, CallDetails, FinishedTool, AgentToolDefinition, AgentToolDefinitions, NamedTool } from './tools.ts';
export { createReliability } from '@holdfast/adapter-kit';
export type { Reliability, ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
