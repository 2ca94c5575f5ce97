/**
 * Owns which tools are offered, and under which names. Does not own their calls.
 */
import type { AnyTool } from '@holdfast/core';
import type { Manifest } from '@holdfast/manifest';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { CatalogEntry, CatalogNote, ToolSource } from './entry.ts';

export interface Catalog {
  /** What is known now, in a stable order. Changes identity when something changed. */
  list(): readonly CatalogEntry[];
  get(name: string): CatalogEntry | undefined;
  /** Why a tool of this name is not offered though a server has it: its definition has changed and the lock file blocks it. */
  withheld(name: string): string | undefined;
  /** Resolves when every server has been asked once, or the limit of a listing is up. Never rejects. */
  ready(): Promise<void>;
  /** Asks one server, or all of them, again. Never rejects: what could not be asked is degraded. */
  refresh(server?: string): Promise<void>;
  /** Called after each change of the list. Answers the way to stop. */
  subscribe(listener: () => void): () => void;
  /** Takes another manifest over, after the upstreams have; what has not changed stays as it is. */
  apply(input: CatalogInput): void;
  notes(): readonly CatalogNote[];
  close(): Promise<void>;
}

/** The part of the configuration that decides the list. */
export interface CatalogInput {
  readonly manifest: Manifest;
  /** The tools of the manifest itself, of `buildTools`. Those that run on an MCP server are made anew, over the upstreams. */
  readonly tools: readonly AnyTool[];
  /** Tools from elsewhere, such as OpenAPI documents; named already. */
  readonly extra?: readonly ExtraTool[];
}

export interface ExtraTool {
  readonly tool: AnyTool;
  readonly source: ToolSource;
  /** @default made of the tool's name, description and schemas */
  readonly definition?: JsonObject;
}
