/**
 * Owns parsing the text of `holdfast.yaml` into a `Manifest`. Reads no file and runs nothing.
 *
 * Invariant: never throws, for any text; all problems are reported at once, in the order of their position.
 */
import { checkOptions, type Fields } from '@holdfast/core/internal/plain';
import { dirname, isAbsolute, resolve } from 'node:path';
import { isRecord } from '@holdfast/core/internal/plain';
import { checkRecoveryRules } from './checks/recovery-rules.ts';
import { checkAlerts } from './checks/alerts.ts';
import { checkEngine } from './checks/engine.ts';
import { checkGateway } from './checks/gateway.ts';
import { offeredNames, sourcePlaces } from './checks/offered-names.ts';
import { checkSources } from './checks/sources.ts';
import { checkStore } from './checks/store.ts';
import type { Checking, ToolPlace } from './checks/checking.ts';
import { checkRate } from './checks/rate.ts';
import { checkTools, toolPlaces } from './checks/tools.ts';
import { alertsEntry, gatewayEntry, openapiEntries, serverEntries } from './entries/defaults.ts';
import { telemetryEntry } from './entries/telemetry.ts';
import { engineEntry, sharedCircuitsDefault, workerEntry } from './entries/engine.ts';
import { storeEntry } from './entries/store.ts';
import { toolEntry } from './entries/tool.ts';
import type { AlertsEntry } from './entries/alerts.ts';
import type { Manifest, RedactEntry } from './manifest.ts';
import type { Problem } from './problem.ts';
import { checkRunners } from './checks/runners.ts';
import { toCode } from './shape/convert.ts';
import type { RecordShape } from './shape/shape.ts';
import { parseTree, type Tree } from './source/document.ts';
import type { Environment } from './source/environment.ts';
import { type Reading, read } from './source/reader.ts';
import { createSourceFile, type SourceFile } from './source/source-file.ts';
import { regexFlaw } from './json-schema/check.ts';
import { manifestShape, singleToolShape } from './tables/manifest.ts';
import { isMap, isScalar } from 'yaml';

/** How a manifest is read and how strictly it is checked. */
export interface ParseOptions {
  /** Name of the file in problems; relative paths are resolved against its folder. @default 'holdfast.yaml' */
  readonly file?: string;
  /** For `${env:NAME}`. @default the environment of this process */
  readonly env?: Environment;
  /** For `check` an invalid schema is an error. For `run` it is a warning, and the tool runs without it. @default 'run' */
  readonly purpose?: 'check' | 'run';
}

/** `manifest` is set unless a problem is an error; `source` is the text, for `formatProblem`. */
export type ManifestResult =
  | { readonly manifest: Manifest; readonly problems: readonly Problem[]; readonly source: string }
  | { readonly manifest?: undefined; readonly problems: readonly Problem[]; readonly source: string };

export const loadFields: Fields = { env: 'object', purpose: ['check', 'run'] };

/** Reads a manifest, YAML or JSON. */
export function parseManifest(text: string, options: ParseOptions = {}): ManifestResult {
  checkOptions({ ...loadFields, file: 'string' }, options, 'parseManifest');
  const { manifest, source } = examineManifest(text, options);
  return manifestResult(manifest, source);
}

/** A parsed manifest: a loader may find further problems. */
export interface Examined {
  readonly manifest: Manifest | undefined;
  readonly source: SourceFile;
  readonly places: readonly ToolPlace[];
  readonly reading: Reading | undefined;
}

export function manifestResult(manifest: Manifest | undefined, source: SourceFile): ManifestResult {
  const problems = source.problems();
  const broken = problems.some((problem) => problem.severity === 'error');
  return manifest && !broken ? { manifest, problems, source: source.text } : { problems, source: source.text };
}

export function examineManifest(given: string, { file = 'holdfast.yaml', env = process.env, purpose = 'run' }: ParseOptions): Examined {
  const source = createSourceFile(file, given);
  const tree = parseTree(source);
  if (!tree) return { manifest: undefined, source, places: [], reading: undefined };
  const shape = shapeOf(tree);
  const reading = read(tree, shape, source, env);
  const folder = dirname(resolve(file));
  const value = isRecord(reading.value) ? reading.value : {};
  const places = toolPlaces(value);
  const checking: Checking = { source, reading, schemas: purpose === 'check' ? 'error' : 'warning' };
  const sources = sourcePlaces(value);
  const ids = places.map(({ tool }) => tool['id']).filter((id) => typeof id === 'string');
  const names = offeredNames(value, ids, sources);
  if (isRecord(reading.value)) checkContents(value, shape, checking);
  checkTools(places, isRecord(value['mcp_servers']) ? value['mcp_servers'] : {}, names, checking);
  checkSources(sources, { ...checking, value, places, names });
  if (isRecord(value['gateway'])) checkGateway(value['gateway'], checking);
  checkStore(value['store'], checking);
  checkEngine(value, checking);
  if (isRecord(value['alerts'])) checkAlerts(value['alerts'], checking);
  checkRecoveryRules(value['recovery_rules'], names, checking);
  checkRedact(value, checking);
  if (isRecord(value['defaults'])) checkRate(value['defaults'], ['defaults'], checking);
  const sound = source.problems().every((problem) => problem.severity !== 'error');
  const manifest = sound ? toManifest(value, shape, file, folder) : undefined;
  if (manifest) checkRunners(manifest, places, checking);
  return { manifest, source, places, reading };
}

/** A file with `tool:` and without `tools:` declares one tool. */
function shapeOf({ root, resolved }: Tree): RecordShape {
  const node = resolved(root);
  if (!isMap(node)) return manifestShape;
  const keys = node.items.map(({ key }) => (isScalar(key) ? key.value : undefined));
  return keys.includes('tool') && !keys.includes('tools') ? singleToolShape : manifestShape;
}

/** Requires at least one tool or source of tools. */
function checkContents(value: Readonly<Record<string, unknown>>, shape: RecordShape, { source, reading }: Checking): void {
  const keys = shape.oneOf ?? [];
  const brings = (content: unknown): boolean => typeof content === 'object' && content !== null && Object.keys(content).length > 0;
  if (keys.length === 0 || keys.some((key) => brings(value[key]) || reading.hasKeys(key))) return;
  const wrong = keys.some((key) => reading.has(key) && value[key] === undefined);
  if (wrong) return;
  const message = 'no tools are defined';
  source.report({ code: 'missing_key', at: reading.at('tools'), path: ['tools'], message, allowed: `at least one of ${keys.join(', ')}` });
}

/** A name in capital letters is an environment variable; anything else is a pattern. */
const environmentName = /^[A-Z_][A-Z0-9_]*$/;

function checkRedact(value: Readonly<Record<string, unknown>>, { source, reading }: Checking): void {
  const entries = Array.isArray(value['redact']) ? (value['redact'] as readonly unknown[]) : [];
  for (const [index, entry] of entries.entries()) {
    if (typeof entry !== 'string' || environmentName.test(entry)) continue;
    const flaw = regexFlaw(entry);
    if (flaw)
      source.report({
        code: 'bad_regex',
        at: reading.at('redact', index),
        path: ['redact', index],
        message: `redact[${index}] is not a regular expression (${flaw})`,
      });
  }
}

type Plain = Readonly<Record<string, unknown>>;

function toManifest(value: Readonly<Record<string, unknown>>, shape: RecordShape, file: string, folder: string): Manifest {
  const absolutePath = (path: string): string => (isAbsolute(path) ? path : resolve(folder, path));
  const {
    tool,
    tools,
    redact,
    store,
    mcpServers,
    openapi,
    gateway,
    engine: given,
    worker,
    telemetry,
    alerts,
    ...rest
  } = toCode(value, shape, absolutePath) as Readonly<Record<string, unknown>>;
  const defaults = {
    version: 1,
    profile: 'spec',
    defaults: {},
    turn: {},
    capture: 'none',
    recoveryRules: [],
    sharedCircuits: sharedCircuitsDefault,
  };
  const engine = engineEntry(given);
  return {
    ...defaults,
    ...rest,
    file,
    folder,
    tools: (tool === undefined ? ((tools ?? []) as readonly Plain[]) : [tool as Plain]).map(toolEntry),
    mcpServers: serverEntries(mcpServers),
    openapi: openapiEntries(openapi),
    gateway: gatewayEntry((gateway ?? {}) as Readonly<Record<string, unknown>>, absolutePath),
    alerts: alertsEntry((alerts ?? {}) as Partial<AlertsEntry>),
    redact: sortRedact((redact ?? []) as readonly string[]),
    ...(engine ? { engine } : {}),
    worker: workerEntry(worker),
    telemetry: telemetryEntry(telemetry),
    store: storeEntry(store, absolutePath),
  } as Manifest;
}

function sortRedact(entries: readonly string[]): RedactEntry {
  return {
    patterns: entries.filter((entry) => !environmentName.test(entry)),
    environment: entries.filter((entry) => environmentName.test(entry)),
  };
}
