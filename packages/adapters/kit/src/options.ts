/** Owns the options common to all adapters, and their validation. */
import type { ClassificationRule, Middleware, ToolExecutionServiceOptions, ToolPolicy } from '@holdfast/core';
import { isRecord, suggest } from '@holdfast/core/internal/plain';
import type { AgentRunOptions, ArgumentReader, ModelCall } from '@holdfast/core/agent';
import type { Change, RuleViolation } from '@holdfast/wire';
import { providerProfileOf, providerProfiles } from '@holdfast/wire';

/** Settings of one tool. */
export interface ToolOptions extends ToolPolicy {
  /** Whether the tool may be called; a disabled one answers every call with `TOOL_DISABLED`. @default true */
  readonly enabled?: boolean | undefined;
  /** Overrides of the error classification (docs/specification.md#s1-1-5); the first match wins. */
  readonly classification?: readonly ClassificationRule[] | undefined;
}

/** Options of agent runs; see `AgentRun`. */
export type RunBehavior = Omit<AgentRunOptions, 'service' | 'session' | 'executors' | 'readArguments'>;

/** A transcript that was repaired before it was sent, or could not be. */
export interface RepairReport {
  /** Format of the transcript. */
  readonly format: string;
  /** What a repair changed. Empty if nothing was. */
  readonly changes: readonly Change[];
  /** What is wrong and was not repaired. Empty if nothing is. */
  readonly problems: readonly RuleViolation[];
}

/** Options common to all adapters. */
export interface ReliableOptions extends Omit<ToolExecutionServiceOptions, 'tools' | 'middleware'> {
  /** Settings by tool name; they override `policy` and settings from the framework. */
  readonly tools?: Readonly<Record<string, ToolOptions>> | undefined;
  /** Middleware around every tool; the first is the outermost. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Behavior of runs: validation retries, repeated failures, refusals, open circuits. */
  readonly run?: RunBehavior | undefined;
  /** Reads the arguments a model sent. @default `readArguments` of `@holdfast/wire` */
  readonly readArguments?: ArgumentReader | undefined;
  /** Returns the ids of the calls in the same answer that a call waits for; `siblings` are the calls known so far. @default none */
  readonly dependsOn?: ((call: ModelCall, siblings: readonly ModelCall[]) => readonly string[]) | undefined;
  /** The backend whose rules are used to repair transcripts, such as `deepseek`. @default the format's own provider */
  readonly backend?: string | undefined;
  /** Called for every transcript that was repaired. Repairs are also in the trace. */
  readonly onRepair?: ((report: RepairReport) => void) | undefined;
}

type Kind = 'string' | 'object' | 'function' | 'functions' | 'checked by the service';

/** The expected kind of each option. A field of the interface that is missing here does not compile. */
const kinds: Readonly<Record<keyof ReliableOptions, Kind>> = {
  tools: 'object',
  policy: 'object',
  turn: 'object',
  run: 'object',
  middleware: 'functions',
  asyncContext: 'checked by the service',
  dependsOn: 'function',
  readArguments: 'function',
  onRepair: 'function',
  backend: 'string',
  profile: 'checked by the service',
  seed: 'checked by the service',
  recoveryRules: 'checked by the service',
  advisor: 'checked by the service',
  advisorTimeoutMs: 'checked by the service',
  closeTimeoutMs: 'checked by the service',
  store: 'checked by the service',
  capture: 'checked by the service',
  redact: 'checked by the service',
  jsonSchema: 'checked by the service',
  sharedCircuits: 'checked by the service',
  system: 'checked by the service',
  onFault: 'checked by the service',
};

const kindNames: Readonly<Record<Exclude<Kind, 'checked by the service'>, string>> = {
  string: 'a name',
  object: 'an object',
  function: 'a function',
  functions: 'an array of functions',
};

function isOfKind(kind: Kind, value: unknown): boolean {
  if (kind === 'object') return isRecord(value);
  if (kind === 'functions') return Array.isArray(value) && value.every((entry) => typeof entry === 'function');
  return kind === 'checked by the service' || typeof value === kind;
}

/** @throws TypeError | RangeError that names the invalid option, its value and how to fix it, or the unknown tool in `tools`. */
export function checkReliableOptions(options: ReliableOptions, known: readonly string[]): void {
  const given: unknown = options;
  if (!isRecord(given)) throw new TypeError(`The options must be an object, got ${describeValue(given)}.`);
  for (const [name, value] of Object.entries(options) as readonly (readonly [string, unknown])[]) {
    if (!Object.hasOwn(kinds, name)) throw new TypeError(`Unknown option '${name}'. ${hintFor(name)}`);
    const kind = kinds[name as keyof ReliableOptions];
    if (value !== undefined && kind !== 'checked by the service' && !isOfKind(kind, value))
      throw new TypeError(`'${name}' must be ${kindNames[kind]}, got ${describeValue(value)}.`);
  }
  const { backend } = options;
  if (backend !== undefined && providerProfileOf(backend) === undefined)
    throw new RangeError(`'backend' must be one of ${providerProfiles.join(', ')}, got '${backend}'.`);
  for (const [name, settings] of Object.entries(options.tools ?? {}) as readonly (readonly [string, unknown])[]) {
    if (!known.includes(name))
      throw new TypeError(`'tools' has settings for '${name}', but there is no such tool. Available tools: ${known.join(', ') || 'none'}.`);
    if (settings !== undefined && !isRecord(settings))
      throw new TypeError(`'tools' must have an object of settings for '${name}', got ${describeValue(settings)}.`);
  }
}

/**
 * Checks that a value is an array of objects.
 * @throws TypeError if the value is not a list of tools.
 */
export function checkToolList(tools: unknown): void {
  if (!Array.isArray(tools)) throw new TypeError(`The tools must be an array, got ${describeValue(tools)}.`);
  for (const [index, tool] of tools.entries())
    if (!isRecord(tool)) throw new TypeError(`tools[${index}] must be a tool, got ${describeValue(tool)}.`);
}

/** Tool settings, which are often put one level too high by mistake. */
const settingsOfTools: readonly string[] = [
  'timeoutMs',
  'idleTimeoutMs',
  'retry',
  'breaker',
  'effect',
  'assumedEffect',
  'unknownFailures',
  'alternatives',
  'concurrency',
  'rateLimit',
  'fallback',
];

function hintFor(name: string): string {
  if (settingsOfTools.includes(name)) return `For all tools: policy: { ${name} }; for one: tools: { <name>: { ${name} } }.`;
  const nearest = suggest(name, Object.keys(kinds));
  return nearest ? `Did you mean '${nearest}'?` : `Known: ${Object.keys(kinds).join(', ')}.`;
}

function describeValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return typeof value === 'string' ? `'${value}'` : String(value);
}
