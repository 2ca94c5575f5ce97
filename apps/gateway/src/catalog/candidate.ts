/** Owns the type of a tool that may be offered, before it has a name. */
import type { AnyTool } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { ToolSource } from './entry.ts';
import type { NameRequest } from './names.ts';

export interface Candidate extends NameRequest {
  readonly source: ToolSource;
  /** Everything that determines how the tool is offered and run, for comparison. */
  readonly settings: readonly unknown[];
  readonly degraded: boolean;
  define(name: string): JsonObject;
  make(name: string): AnyTool;
}

/** Which candidate gets a name that two request. */
export const ranks = { manifest: 0, renamed: 1, unchanged: 2, changed: 3 } as const;
