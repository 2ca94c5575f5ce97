/**
 * Owns the options of `workerRunner` and their checks.
 */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ResourceLimits } from 'node:worker_threads';
import { isRecord } from '@holdfast/core/internal/plain';
import { count, milliseconds, misuse, onlyFields, text } from '../options/fields.ts';
import { type TextOrSecret, textsOrSecrets } from '../options/secret.ts';

/** The module that runs the calls, in worker threads of this process. */
export interface WorkerRunnerOptions {
  /** The module of the tool: an absolute path or a `file:` URL, such as `new URL('./tool.js', import.meta.url)`. */
  readonly module: string | URL;
  /** Name of the exported function `(args, context) => output`. @default 'default' */
  readonly export?: string;
  /** How many idle workers are kept for the next calls. Calls never wait: a worker is started for each call without an idle one. @default 1 */
  readonly keepIdle?: number;
  /** Environment variables inside the worker. @default a copy of the environment of this process */
  readonly env?: Readonly<Record<string, TextOrSecret>>;
  /** Memory limits of a worker, as in Node. */
  readonly resourceLimits?: ResourceLimits;
  /** Time limit for loading the module. @default 10000 */
  readonly startupTimeoutMs?: number;
}

export interface WorkerSettings {
  readonly module: string;
  readonly exportName: string;
  readonly keepIdle: number;
  readonly env: Readonly<Record<string, TextOrSecret>> | undefined;
  readonly resourceLimits: ResourceLimits | undefined;
  readonly startupTimeoutMs: number;
}

const resourceLimitNames: readonly string[] = [
  'maxOldGenerationSizeMb',
  'maxYoungGenerationSizeMb',
  'codeRangeSizeMb',
  'stackSizeMb',
] satisfies readonly (keyof ResourceLimits)[];

export function workerSettings(options: WorkerRunnerOptions): WorkerSettings {
  const owner = 'workerRunner';
  onlyFields(owner, options, ['module', 'export', 'keepIdle', 'env', 'resourceLimits', 'startupTimeoutMs']);
  const { resourceLimits } = options;
  if (resourceLimits !== undefined && !isRecord(resourceLimits))
    throw misuse(`${owner}: resourceLimits`, resourceLimits, 'give an object such as { maxOldGenerationSizeMb: 256 }');
  if (resourceLimits !== undefined) onlyFields(`${owner}.resourceLimits`, resourceLimits, resourceLimitNames);
  return {
    module: moduleUrl(`${owner}: module`, options.module),
    exportName: options.export === undefined ? 'default' : text(`${owner}: export`, options.export),
    keepIdle: count(`${owner}: keepIdle`, options.keepIdle, 1),
    env: options.env === undefined ? undefined : textsOrSecrets(`${owner}: env`, options.env),
    resourceLimits,
    startupTimeoutMs: milliseconds(`${owner}: startupTimeoutMs`, options.startupTimeoutMs, 10_000),
  };
}

function moduleUrl(field: string, value: unknown): string {
  const hint = "give an absolute path or a file: URL, such as new URL('./tool.js', import.meta.url)";
  const source = value instanceof URL ? value.href : text(field, value, hint);
  const url = isAbsolute(source) ? pathToFileURL(source).href : source;
  if (!url.startsWith('file:')) throw misuse(field, source, hint);
  if (!existsSync(fileURLToPath(url))) throw misuse(field, source, 'there is no such file');
  return url;
}
