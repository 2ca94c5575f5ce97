/** Owns the data of a server's tool that its runner needs. */
import type { Runner } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';

export interface UpstreamTool {
  /** The name under which the tool is offered. */
  readonly name: string;
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly inputSchema: JsonObject | undefined;
  /** Structured results are checked against it. */
  readonly outputSchema: JsonObject | undefined;
  /** Whether the effect of the tool is not declared: a failure after which the tool may have run is not retried. */
  readonly isGuessed: boolean;
  /** Whether an attempt ends without progress, so that every sign of life has to be reported. */
  readonly watchesProgress: boolean;
}

/** Creates the runner of a server's tool. */
export type RunUpstream = (tool: UpstreamTool) => Runner<unknown>;
