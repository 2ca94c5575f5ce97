/** Owns what could be offered, before it has a name. */
import type { AnyTool } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { ToolSource } from './entry.ts';
import type { NameWish } from './names.ts';

export interface Candidate extends NameWish {
  readonly source: ToolSource;
  /** All that decides how it is offered and run, to be compared with. */
  readonly settings: unknown;
  readonly degraded: boolean;
  define(name: string): JsonObject;
  make(name: string): AnyTool;
}

/** Who goes first when two want the same name. */
export const ranks = { manifest: 0, renamed: 1, asItIs: 2, changed: 3 } as const;
