/** Owns the options common to all adapters, and their validation. */
import type {
  AnyTool,
  ClassificationRule,
  Middleware,
  ProfileName,
  ToolExecutionService,
  ToolExecutionServiceOptions,
  ToolPolicy,
} from '@holdfast/core';
import { toolFields } from '@holdfast/core/internal';
import { checkOptions, isRecord, listOf, mapOf, refuse, suggest, type Fields, type Rule } from '@holdfast/core/internal/plain';
import type { AgentRunOptions, ArgumentReader, ModelCall } from '@holdfast/core/agent';
import type { Change, RuleViolation } from '@holdfast/wire';
import { providerProfileOf, providerProfiles } from '@holdfast/wire';

/** Settings of one tool. */
export interface ToolOptions<Name extends string = string> extends Omit<ToolPolicy, 'alternatives'> {
  /** Tools that are tried in this order when this one has finally failed. */
  readonly alternatives?: readonly Name[] | undefined;
  /** Whether the tool may be called; a disabled one answers every call with `TOOL_DISABLED`. @default true */
  readonly enabled?: boolean | undefined;
  /** Overrides of the error classification (docs/specification.md#s1-1-5); the first match wins. */
  readonly classification?: readonly ClassificationRule[] | undefined;
}

/** Options of agent runs; see `AgentRun`. */
export type RunBehavior = Omit<AgentRunOptions, 'service' | 'session' | 'executors' | 'readArguments' | 'schemaOf'>;

/** A transcript that was repaired before it was sent, or could not be. */
export interface RepairReport {
  /** Format of the transcript. */
  readonly format: string;
  /** What a repair changed. Empty if nothing was. */
  readonly changes: readonly Change[];
  /** What is wrong and was not repaired. Empty if nothing is. */
  readonly problems: readonly RuleViolation[];
}

/** What tools that are made per request share: circuits, budgets, metrics and memory. Created by `createReliability`. */
export interface Reliability {
  /** The service that runs the tools of all requests. */
  readonly service: ToolExecutionService<readonly AnyTool[]>;
}

/** Options common to all adapters. `Name`: the names of the tools, where they are known to the compiler. */
export interface ReliableOptions<Name extends string = string> extends Omit<
  ToolExecutionServiceOptions,
  'profile' | 'tools' | 'middleware'
> {
  /**
   * Named set of defaults. Under `adaptive`, adapters start all calls of an answer at once, and a call waits at most ten seconds for its tool to recover.
   * @default 'adaptive'
   */
  readonly profile?: ProfileName | undefined;
  /** For tools made per request: what they share, from `createReliability`. Its options are those of the service and of tools. @default a service of their own */
  readonly reliability?: Reliability | undefined;
  /** Settings by tool name; they override `policy` and settings from the framework. */
  readonly tools?: { readonly [Each in Name]?: ToolOptions<Name> | undefined } | undefined;
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

/** A user often waits for the answer of an agent, and hosts end requests that take long: the wait for a tool must not cost the conversation. */
const defaultWaitMs = 10_000;

/**
 * Returns the options with the defaults of adapters: the profile `adaptive`, all calls of an answer at once, as the frameworks run them, and a shorter wait for
 * recovery. The numbers of another profile are left as they are.
 */
export function withAdapterDefaults(options: ReliableOptions): ReliableOptions {
  const { profile = 'adaptive', policy, turn } = options;
  if (profile !== 'adaptive') return options;
  const { waitForRecovery } = policy ?? {};
  const wait: unknown = waitForRecovery ?? {};
  return {
    ...options,
    profile,
    // What is no object is `false`, or refused by the service.
    policy: {
      ...policy,
      waitForRecovery: isRecord(wait) ? { ...wait, maxWaitMs: wait['maxWaitMs'] ?? defaultWaitMs } : waitForRecovery,
    } as ToolPolicy,
    turn: { ...turn, concurrency: turn?.concurrency ?? Infinity },
  };
}

/** The service and its agent runs check it with all its fields. */
const checkedLater: Rule = () => undefined;

/** Each option. A field of the interface that is missing here does not compile. */
const reliableFields: Fields & Readonly<Record<keyof ReliableOptions, Rule>> = {
  tools: mapOf('object', 'an object of settings by tool name'),
  policy: 'object',
  turn: 'object',
  run: 'object',
  middleware: listOf('function', 'an array of functions'),
  dependsOn: 'function',
  readArguments: 'function',
  onRepair: 'function',
  backend: (value, field) => {
    if (typeof value === 'string' && providerProfileOf(value) !== undefined) return;
    const nearest = typeof value === 'string' ? suggest(value, providerProfiles) : undefined;
    refuse(field, value, `one of ${providerProfiles.join(', ')}${nearest === undefined ? '' : ` (did you mean '${nearest}'?)`}`, 'string');
  },
  asyncContext: checkedLater,
  profile: checkedLater,
  seed: checkedLater,
  useMemory: checkedLater,
  recoveryRules: checkedLater,
  advisor: checkedLater,
  advisorTimeoutMs: checkedLater,
  errorHandler: checkedLater,
  closeTimeoutMs: checkedLater,
  store: checkedLater,
  capture: checkedLater,
  redact: checkedLater,
  jsonSchema: checkedLater,
  partitionsOf: checkedLater,
  sharedCircuits: checkedLater,
  system: checkedLater,
  onFault: checkedLater,
  reliability: 'object',
};

/**
 * Checks the options of an adapter.
 * @param known names of the tools, which the settings by tool must be about
 * @param own further options of the adapter
 * @param where the function that takes them, in front of every field in errors
 * @throws TypeError | RangeError that names the invalid option, its value and how to fix it, or the unknown tool in `tools`.
 */
export function checkReliableOptions(
  options: ReliableOptions,
  known: readonly string[] | undefined,
  own: Fields = {},
  where = 'reliableTools',
): void {
  const given: unknown = options;
  const misplaced = isRecord(given) ? Object.keys(given).find((name) => Object.hasOwn(toolFields, name)) : undefined;
  if (misplaced !== undefined)
    throw new TypeError(
      `${where} has no setting '${misplaced}'. For all tools: policy: { ${misplaced} }; for one: tools: { <name>: { ${misplaced} } }.`,
    );
  checkOptions({ ...reliableFields, ...own }, options, where);
  if (known) checkToolNames(options.tools, known, `${where}.tools`);
}

/** @throws TypeError for settings by tool name that name an unknown tool. */
export function checkToolNames(settings: object | undefined, known: readonly string[], where: string): void {
  const unknown = Object.keys(settings ?? {}).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const nearest = suggest(unknown, known);
  const hint = nearest === undefined ? `Known: ${known.join(', ') || 'none'}.` : `Did you mean '${nearest}'?`;
  throw new TypeError(`${where} has settings for '${unknown}', but there is no such tool. ${hint}`);
}

/** Options that a request may set beside `reliability`. */
const perRequest: ReadonlySet<string> = new Set(['reliability', 'run', 'readArguments', 'dependsOn', 'backend', 'onRepair']);

/** @throws TypeError for an option that belongs to all requests. */
export function checkSharedOptions(options: ReliableOptions): void {
  const misplaced = Object.entries(options).find(([name, value]) => value !== undefined && !perRequest.has(name));
  if (misplaced) throw new TypeError(`With 'reliability', set '${misplaced[0]}' in createReliability: it applies to all requests.`);
}

/**
 * Checks the options of `startRun`. `session` is checked later, by the run.
 * @param own rules for the options that one adapter adds; by default none
 * @throws TypeError for an unknown option of a conversation.
 */
export function checkStartOptions(options: object, own: Fields = {}): void {
  checkOptions({ session: checkedLater, ...own }, options, 'startRun');
}

/**
 * Checks that a value is an array of objects.
 * @throws TypeError if the value is not a list of tools.
 */
export function checkToolList(tools: unknown): void {
  if (!Array.isArray(tools)) refuse('The tools', tools, 'an array', '');
  for (const [index, tool] of tools.entries()) if (!isRecord(tool)) refuse(`tools[${index}]`, tool, 'a tool', '');
}
