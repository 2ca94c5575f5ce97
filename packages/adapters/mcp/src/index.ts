/** The exports of `@holdfast/mcp`. */
export { reliableClient } from './reliable-client.ts';
export type { ClientReliability, ReliableClient } from './reliable-client.ts';
export type { McpClient } from './mcp-client.ts';
export type { ReliableClientOptions } from './toolset.ts';
export type { ReliableOptions, RepairReport, ToolOptions } from '@holdfast/adapter-kit';
