/** Owns what the runner of a server's tool has to know of it. */
import type { Runner } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';

export interface UpstreamTool {
  /** The name under which the tool is offered. */
  readonly name: string;
  readonly server: string;
  /** As the server calls it. */
  readonly tool: string;
  readonly inputSchema: JsonObject | undefined;
  /** Structured answers are checked against it. */
  readonly outputSchema: JsonObject | undefined;
  /** Nobody says what the tool does: a failure that leaves open whether it ran is not repeated. */
  readonly isGuessed: boolean;
  readonly idleTimeoutMs: number | undefined;
}

/** Makes the runner of a server's tool. */
export type RunUpstream = (tool: UpstreamTool) => Runner<unknown>;
