/** The exports of `@holdfast/claude-agent-sdk`. */
export { reliableTools, type ReliableTools } from './reliable-tools.ts';
export type { ClaudeAgentRun, Hooks } from './claude-agent-run.ts';
export { tool, type ClaudeTool } from './tool.ts';
export { createReliability } from '@holdfast/adapter-kit';
export type { Reliability, ReliableOptions, ToolOptions } from '@holdfast/adapter-kit';
