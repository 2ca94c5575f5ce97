/**
 * Owns what one offered tool is: how clients see it (`definition`) and how it is run (`tool`).
 */
import type { AnyTool } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';

/** Where a tool comes from. `server` and `tool` are the names of the manifest and of the server. */
export type ToolSource =
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string }
  | { readonly kind: 'tool' }
  | { readonly kind: 'openapi'; readonly api: string; readonly operation: string };

export interface CatalogEntry {
  /** As clients call it; the name of `tool` too. */
  readonly name: string;
  /** As `tools/list` says it: of MCP servers what they sent, but for name and description. */
  readonly definition: JsonObject;
  readonly tool: AnyTool;
  readonly source: ToolSource;
  /** The server does not answer; this is what it offered last. */
  readonly degraded: boolean;
}

/** Something that the operator is to know. */
export interface CatalogNote {
  readonly kind:
    | 'collision'
    | 'list_failed'
    | 'bad_definition'
    | 'lock_changed'
    | 'lock_new'
    | 'lock_broken'
    | 'cache_failed'
    | 'unused_entry'
    | 'listener_failed';
  readonly message: string;
  readonly server?: string;
  readonly toolName?: string;
}
