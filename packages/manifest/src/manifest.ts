/** Owns the typed form of `holdfast.yaml`: checked, in the code's words, paths absolute, defaults of the file itself filled in. */
import type { ClassificationRule, JsonSchema, RecoveryRule, ProfileName, ToolPolicy, TurnSettings } from '@holdfast/core';
import type { HttpRunnerOptions, ProcessRunnerOptions, WorkerRunnerOptions } from '@holdfast/runners';
import type { AlertsEntry } from './entries/alerts.ts';
import type { EngineEntry, SharedCircuitsEntry, WorkerEntry } from './entries/engine.ts';
import type { GatewayEntry } from './entries/gateway.ts';
import type { StoreEntry } from './entries/store.ts';
import type { McpServerEntry, OpenapiEntry } from './entries/upstream.ts';

/** A tool of a JavaScript module, run inside this process. */
export interface ModuleEntry {
  /** Absolute. */
  readonly module: string;
  /** @default 'default' */
  readonly export?: string;
}

/** How a tool is run: exactly one of the fields is there. */
export type RunEntry =
  | ModuleEntry
  | { readonly http: HttpRunnerOptions }
  | { readonly command: ProcessRunnerOptions }
  | { readonly worker: WorkerRunnerOptions & { readonly module: string } }
  | { readonly mcp: { readonly server: string; readonly tool?: string } };

export interface ToolEntry extends ToolPolicy {
  readonly name: string;
  readonly description?: string;
  readonly enabled?: boolean;
  readonly run: RunEntry;
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
  readonly classification?: readonly ClassificationRule[];
}

/** What is secret besides what is recognised as such. */
export interface RedactEntry {
  /** Sources of regular expressions. */
  readonly patterns: readonly string[];
  /** Environment variables whose values are secret. */
  readonly environment: readonly string[];
}

export interface Manifest {
  /** As given to the loader. */
  readonly file: string;
  /** Absolute; relative paths of the file are resolved against it. */
  readonly folder: string;
  readonly version: 1;
  /** @default 'spec' */
  readonly profile: ProfileName;
  readonly seed?: string;
  readonly defaults: ToolPolicy;
  readonly turn: Partial<TurnSettings>;
  readonly store: StoreEntry | false;
  /** @default 'none' */
  readonly capture: 'none' | 'arguments' | 'all';
  readonly redact: RedactEntry;
  readonly mcpServers: Readonly<Record<string, McpServerEntry>>;
  readonly openapi: Readonly<Record<string, OpenapiEntry>>;
  readonly gateway: GatewayEntry;
  /** Where turns run that outlive their process. @default none */
  readonly engine?: EngineEntry;
  readonly worker: WorkerEntry;
  /** @default 'off' */
  readonly sharedCircuits: SharedCircuitsEntry;
  readonly alerts: AlertsEntry;
  readonly recoveryRules: readonly RecoveryRule[];
  readonly tools: readonly ToolEntry[];
}
