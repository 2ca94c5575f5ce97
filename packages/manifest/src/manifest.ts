/** Owns the typed form of `holdfast.yaml`: checked, in camelCase, with absolute paths and defaults. */
import type { ClassificationRule, JsonSchema, RecoveryRule, ProfileName, ToolPolicy, TurnSettings } from '@holdfast/core';
import type { RetryPolicyLayer } from '@holdfast/core/agent';
import type { HttpRunnerOptions, ProcessRunnerOptions, WorkerRunnerOptions } from '@holdfast/runners';
import type { AlertsEntry } from './entries/alerts.ts';
import type { EngineEntry, SharedCircuitsEntry, WorkerEntry } from './entries/engine.ts';
import type { TelemetryEntry } from './entries/telemetry.ts';
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

/** How a tool is run: exactly one of the fields is set. */
export type RunEntry =
  | ModuleEntry
  | { readonly http: HttpRunnerOptions }
  | { readonly command: ProcessRunnerOptions }
  | { readonly worker: WorkerRunnerOptions & { readonly module: string } }
  | { readonly mcp: { readonly server: string; readonly tool?: string } };

/** One entry of `tools`. */
export interface ToolEntry extends ToolPolicy {
  /** Name by which the model calls the tool. In the file it is `id`. */
  readonly name: string;
  /** Description for the model. */
  readonly description?: string;
  /** A disabled tool refuses each call as permanent. @default true */
  readonly enabled?: boolean;
  /** How the tool is run. */
  readonly run: RunEntry;
  /** Arguments are checked against it before the tool runs. In the file it is `input_schema`. @default unchecked */
  readonly input?: JsonSchema;
  /** An output that violates it is a permanent failure. In the file it is `output_schema`. @default unchecked */
  readonly output?: JsonSchema;
  /** Rules that override the classification of this tool's errors; the first match wins. @default none */
  readonly classification?: readonly ClassificationRule[];
  /** How often and when a model may correct invalid arguments, in an agent run. @default as in the run */
  readonly validationRetries?: RetryPolicyLayer;
}

/** Secrets besides the recognised ones. */
export interface RedactEntry {
  /** Sources of regular expressions. */
  readonly patterns: readonly string[];
  /** Environment variables whose values are secret. */
  readonly environment: readonly string[];
}

/** `holdfast.yaml` after checking: names in camelCase, paths absolute, defaults filled in. */
export interface Manifest {
  /** The path that was given to the loader. */
  readonly file: string;
  /** Absolute; relative paths of the file are resolved against it. */
  readonly folder: string;
  /** Version of the file format. */
  readonly version: 1;
  /** @default 'spec' */
  readonly profile: ProfileName;
  /** Whether episodic memory is kept, and influences decisions. @default as in the profile */
  readonly memory?: 'on' | 'off';
  /** Makes every delay and id reproducible. @default random per process */
  readonly seed?: string;
  /** Policy of all tools; a tool's own settings override it. @default {} */
  readonly defaults: ToolPolicy;
  /** Settings of turns, over those of the profile. @default {} */
  readonly turn: Partial<TurnSettings>;
  /** Where traces are kept. `false` keeps them in memory only. @default a SQLite file next to the manifest */
  readonly store: StoreEntry | false;
  /** @default 'none' */
  readonly capture: 'none' | 'arguments' | 'all';
  /** What is hidden in traces, logs and results besides the secrets that are recognized. */
  readonly redact: RedactEntry;
  /** MCP servers by name. @default {} */
  readonly mcpServers: Readonly<Record<string, McpServerEntry>>;
  /** HTTP APIs by name. @default {} */
  readonly openapi: Readonly<Record<string, OpenapiEntry>>;
  /** Settings of `holdfast serve`. */
  readonly gateway: GatewayEntry;
  /** Where turns run that outlive their process. @default none */
  readonly engine?: EngineEntry;
  /** Settings of `holdfast worker`. */
  readonly worker: WorkerEntry;
  /** @default 'off' */
  readonly sharedCircuits: SharedCircuitsEntry;
  /** Where spans are sent. @default {} */
  readonly telemetry: TelemetryEntry;
  /** Alert rules and receivers of `holdfast serve`. */
  readonly alerts: AlertsEntry;
  /** Rules that allow, deny or prefer a strategy. @default [] */
  readonly recoveryRules: readonly RecoveryRule[];
  /** The tools that the file itself declares, in its order. @default [] */
  readonly tools: readonly ToolEntry[];
}
