/**
 * Owns the interface of the catalog: which tools are offered, and under which names. Does not own their calls.
 */
import type { AnyTool } from '@holdfast/core';
import type { Manifest } from '@holdfast/manifest';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { NeededLogin } from '../server-auth/auth-error.ts';
import type { PartKind } from './locked-parts.ts';
import type { CatalogEntry, CatalogNote, ToolSource } from './entry.ts';

export interface Catalog {
  /** Returns the offered tools in a stable order. A change creates a new array. */
  list(): readonly CatalogEntry[];
  get(name: string): CatalogEntry | undefined;
  /** Why a server's tool with this name is not offered: its definition has changed and the lock file blocks it. */
  withheld(name: string): string | undefined;
  /** Why tools of a server are not offered, by the server's names of them: the lock file blocks them. */
  withheldTools(server: string): Readonly<Record<string, string>>;
  /** Whether these instructions of a server are not passed on: the lock file blocks them, or has not been compared with them yet. */
  withholdsInstructions(server: string, instructions: string): boolean;
  /** Compares a list of prompts or resources with the lock file, and returns why entries are not offered, by their key. Never rejects. */
  withheldParts(server: string, kind: PartKind, entries: readonly JsonObject[]): Promise<ReadonlyMap<string, string>>;
  /** Calls the listener after each change of the lock file. Returns a function that unsubscribes. */
  subscribeLock(listener: () => void): () => void;
  /** The server that a tool of this name would belong to, if that server has not listed its tools yet. */
  unlisted(name: string): UnlistedServer | undefined;
  /** Resolves when every server has listed its tools once, or the time limit is over. Never rejects. */
  ready(): Promise<void>;
  /** Lists the tools of one server, or of all, again. Never rejects: a server that does not answer is degraded. */
  refresh(server?: string): Promise<void>;
  /** Calls the listener after each change of the list. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Applies another manifest, after the upstreams have applied it; unchanged entries stay the same. Resolves when its tools are offered. */
  apply(input: CatalogInput): Promise<void>;
  notes(): readonly CatalogNote[];
  close(): Promise<void>;
}

export interface UnlistedServer {
  readonly server: string;
  /** Settles with the next answer of the server, or its failure. */
  readonly asked: Promise<void>;
  /** Why there is no list yet; `undefined` while the server starts. */
  readonly reason: string | undefined;
  /** The code of that failure, which is the code of a missing or refused login if it is one. */
  readonly code: string | undefined;
  /** The login that is missing, if it is one. */
  readonly login?: NeededLogin | undefined;
}

/** The part of the configuration that determines the list. */
export interface CatalogInput {
  readonly manifest: Manifest;
  /** The tools of the manifest itself, from `buildTools`. Those that run on an MCP server are created again, over the upstreams. */
  readonly tools: readonly AnyTool[];
  /** Tools from other sources, such as OpenAPI documents. They have names already. */
  readonly extra?: readonly ExtraTool[];
}

export interface ExtraTool {
  readonly tool: AnyTool;
  readonly source: ToolSource;
  /** @default created from the tool's name, description and schemas */
  readonly definition?: JsonObject;
}
