/** Owns the options of a service, and their checks. */
import { isRecord } from '../../engine/plain/is-object.ts';
import { checkOptions } from '../../engine/settings/check-options.ts';
import { isSharing, type CircuitSharing } from '../../engine/ports/circuit-sharing.ts';
import type { Store } from '../../engine/ports/store.ts';
import { systemRule, type System } from '../../engine/ports/system.ts';
import type { Advisor, ErrorHandler } from '../../engine/recover/error-handler.ts';
import { readRecoveryRules, type RecoveryRule } from '../../engine/recover/recovery-rules.ts';
import { redactorFields, type RedactorOptions } from '../../engine/plain/redact.ts';
import { suggest } from '../../engine/plain/suggest.ts';
import type { JsonSchemaCompiler } from '../../engine/schema/validator.ts';
import type { ProfileName } from '../../engine/settings/profiles.ts';
import { checkRule, listOf, refuse, withMethods, type Fields } from '../../engine/settings/check.ts';
import { period, toolFields, turnFields } from '../../engine/settings/fields.ts';
import { profiles } from '../../engine/settings/profiles.ts';
import type { ToolPolicy, TurnSettings } from '../../engine/settings/settings.ts';
import type { Middleware } from '../../engine/tool/runner.ts';
import { checkTool, type AnyTool } from '../../engine/tool/tool.ts';
import type { HubFault } from './event-hub.ts';
import type { Capture, RunInContext } from '../drivers/in-process/host-context.ts';

/** Options of a `ToolExecutionService`; only `tools` is required. */
export interface ToolExecutionServiceOptions<Tools extends readonly AnyTool[] = readonly AnyTool[]> {
  /** The tools that can be called, each created with `defineTool`; names must be unique. */
  readonly tools: Tools;
  /** @default 'spec' */
  readonly profile?: ProfileName | undefined;
  /** Settings of all tools, over the profile's; a tool's own and a call's own override them. */
  readonly policy?: ToolPolicy | undefined;
  /** Settings of all turns, over the profile's. */
  readonly turn?: Partial<TurnSettings> | undefined;
  /** Makes every delay and id reproducible. @default random, once per service */
  readonly seed?: string | number | undefined;
  /** Whether episodic memory is kept, and influences decisions. @default as in the profile: only adaptive uses it */
  readonly useMemory?: boolean | undefined;
  /** Rules that allow, deny or prefer recovery strategies. */
  readonly recoveryRules?: readonly RecoveryRule[] | undefined;
  /** May replace a built-in decision within its limits. */
  readonly advisor?: Advisor | undefined;
  /** The time limit of the advisor; after it, the built-in decision is used. @default 50 */
  readonly advisorTimeoutMs?: number | undefined;
  /**
   * Decides about failures in place of an own one: its rules, memory and advisor count, so `recoveryRules`, `advisor`, `advisorTimeoutMs` and `useMemory` cannot be
   * given too. Several services may share it; `service.errorHandler` returns it. @default a new one
   */
  readonly errorHandler?: ErrorHandler | undefined;
  /** `close()` waits this long for the store and the runners; `onFault` reports what was not closed by then. @default 5000 */
  readonly closeTimeoutMs?: number | undefined;
  /** Wrapped around every tool's runner; the first is the outermost. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Keeps the trace, the states of circuits and episodic memory. @default none: the trace is in the turn's report and goes to listeners */
  readonly store?: Store | undefined;
  /** Which arguments and outputs go into the trace, redacted and truncated. @default 'none' */
  readonly capture?: Capture | undefined;
  /**
   * Captures the caller's async context, in which every attempt then runs: pass `AsyncLocalStorage.snapshot`. It costs some microseconds per call.
   * Without it, only a first attempt that starts at once runs in that context; a retry, or an attempt that had to wait, runs in any. @default none
   */
  readonly asyncContext?: (() => RunInContext) | undefined;
  /**
   * Which calls have circuits of their own: where callers use a tool with their own credentials or processes, the failures of one must not count for the others.
   * Called once for each call and turn, with the id of the turn, or of a call without one. The returned function names the partition of each tool; where it
   * returns nothing, a call uses the tool's own circuit. @default every tool has one circuit
   */
  readonly partitionsOf?: ((id: string) => ((toolName: string) => string | undefined) | undefined) | undefined;
  /**
   * Shares the circuits with other processes: `shareCircuits(coordinator)` of `@holdfast/core/fleet`. Closed circuits are decided from the local copy alone.
   * @default every process has its own circuits
   */
  readonly sharedCircuits?: CircuitSharing | undefined;
  /** What is masked in results and traces, besides known forms of secrets. @default nothing else */
  readonly redact?: RedactorOptions | undefined;
  /** Checks JSON Schemas in full. @default types, required and unknown names, enums */
  readonly jsonSchema?: JsonSchemaCompiler | undefined;
  /** Clocks, timers and randomness. @default those of the machine */
  readonly system?: System | undefined;
  /** Called when a listener, the store or memory fails, and for what `close()` could not close. The calls continue. */
  readonly onFault?: ((fault: HubFault) => void) | undefined;
}

const where = 'ToolExecutionService';

const serviceFields: Fields = {
  tools: checkTools,
  profile: Object.keys(profiles),
  policy: toolFields,
  turn: turnFields,
  seed: (value, field) => {
    if (typeof value !== 'string' && !Number.isFinite(value)) refuse(field, value, 'a string or a number', '');
  },
  useMemory: 'boolean',
  recoveryRules: (value, field) => void readRecoveryRules(value, field),
  advisor: 'function',
  advisorTimeoutMs: period,
  errorHandler: (value, field, guess) => {
    checkRule(withMethods('handle', 'subscribe'), value, field, guess);
    readRecoveryRules((value as ErrorHandler).recoveryRules, `${field}.recoveryRules`);
  },
  closeTimeoutMs: period,
  middleware: listOf('function', 'an array of functions'),
  store: withMethods('append', 'flush', 'readEvents', 'saveCircuits', 'loadCircuits'),
  capture: ['none', 'arguments', 'all'] satisfies readonly Capture[],
  asyncContext: (value, field) => {
    if (typeof value !== 'function') refuse(field, value, 'a function, such as AsyncLocalStorage.snapshot', '');
  },
  partitionsOf: 'function',
  sharedCircuits: (value, field) => {
    if (!isSharing(value)) refuse(field, value, 'created with shareCircuits(coordinator) of @holdfast/core/fleet', '');
  },
  redact: redactorFields,
  jsonSchema: 'function',
  system: systemRule,
  onFault: 'function',
};

/** @throws TypeError | RangeError naming the field, its value and the fix. */
export function checkServiceOptions(options: ToolExecutionServiceOptions): void {
  const misplaced = isRecord(options) ? Object.keys(options).find((name) => Object.hasOwn(toolFields, name)) : undefined;
  if (misplaced !== undefined)
    throw new TypeError(
      `${where} has no setting '${misplaced}'. Settings of all tools: policy: { ${misplaced} }; of one: defineTool({ ${misplaced} }).`,
    );
  checkOptions(serviceFields, options, where, ['tools']);
  if (options.errorHandler) checkOwnHandler(options);
  checkToolNames(options);
}

/** What an error handler of the caller's has itself. */
const handlerOptions = ['recoveryRules', 'advisor', 'advisorTimeoutMs', 'useMemory'] as const;

function checkOwnHandler(options: ToolExecutionServiceOptions): void {
  const given = handlerOptions.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  const own = given === 'useMemory' ? 'memory' : given;
  throw new TypeError(`${where}.${given} cannot be combined with errorHandler. Give it to the handler: new ErrorHandler({ ${own} }).`);
}

/** Every tool that a setting or a rule names exists. A service without tools gets them later (`replaceTools`), so nothing is known about names yet. */
function checkToolNames({ tools, policy, recoveryRules, errorHandler }: ToolExecutionServiceOptions): void {
  if (tools.length === 0) return;
  const names = tools.map(({ name }) => name);
  checkKnownTools(policy?.alternatives, names, `${where}.policy.alternatives`);
  for (const { name, policy: own } of tools) checkKnownTools(own.alternatives, names, `Tool '${name}'.alternatives`, name);
  const rules = errorHandler?.recoveryRules ?? readRecoveryRules(recoveryRules ?? [], `${where}.recoveryRules`);
  const place = `${where}.${errorHandler ? 'errorHandler.' : ''}recoveryRules`;
  for (const [index, { when }] of rules.entries()) checkKnownTools(when?.tool, names, `${place}[${index}].when.tool`);
}

/** @throws RangeError naming the tool that does not exist, and the nearest one that does. */
export function checkKnownTools(given: readonly string[] | undefined, known: readonly string[], field: string, own?: string): void {
  for (const name of given ?? []) {
    if (name === own) throw new RangeError(`${field} names the tool itself. Name another tool.`);
    if (!known.includes(name)) throw new RangeError(unknownTool(name, known, field));
  }
}

export function unknownTool(name: string, known: readonly string[], field: string): string {
  const nearest = suggest(name, known);
  return `${field} names '${name}', but there is no such tool. ${nearest ? `Did you mean '${nearest}'?` : `Known: ${known.join(', ')}.`}`;
}

/** `checked`: tools that were checked before. @throws TypeError | RangeError that names the tool, the field, its value and the fix. */
export function checkTools(tools: unknown, field = `${where}.tools`, _guess?: unknown, checked?: (tool: AnyTool) => unknown): void {
  if (!Array.isArray(tools)) refuse(field, tools, 'an array of tools, each created with defineTool()', '');
  const names = new Set<string>();
  for (const [index, tool] of (tools as readonly unknown[]).entries()) {
    if (checked?.(tool as AnyTool) === undefined) checkTool(tool, `${field}[${index}]`);
    const { name } = tool as AnyTool;
    if (names.has(name)) throw new TypeError(`${field}[${index}]: two tools are named '${name}'. Give each a unique name.`);
    names.add(name);
  }
}
