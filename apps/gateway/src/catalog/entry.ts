/**
 * Owns the type of an offered tool: how clients see it (`definition`) and how it runs (`tool`).
 */
import type { AnyTool } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';

/** Where a tool comes from. `server` and `tool` are the names of the manifest and of the server. */
export type ToolSource =
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string }
  | { readonly kind: 'tool' }
  | { readonly kind: 'openapi'; readonly api: string; readonly operation: string };

export interface CatalogEntry {
  /** The name by which clients call it; also the name of `tool`. */
  readonly name: string;
  /** The definition in `tools/list`: that of the MCP server, except for name and description. */
  readonly definition: JsonObject;
  readonly tool: AnyTool;
  readonly source: ToolSource;
  /** The server does not answer; this is the last known definition. */
  readonly degraded: boolean;
}

/** A message for the operator. */
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
  /** The connection has failed, which is reported by itself. */
  readonly isOutage?: boolean;
}
