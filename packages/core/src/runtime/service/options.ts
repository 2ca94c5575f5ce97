/** Owns the options of a service, and their checks. */
import { isSharing, type CircuitSharing } from '../../engine/ports/circuit-sharing.ts';
import type { Store } from '../../engine/ports/store.ts';
import type { System } from '../../engine/ports/system.ts';
import type { Advisor } from '../../engine/recover/error-handler.ts';
import type { RecoveryRule } from '../../engine/recover/recovery-rules.ts';
import type { RedactorOptions } from '../../engine/plain/redact.ts';
import type { JsonSchemaCompiler } from '../../engine/schema/validator.ts';
import type { ProfileName } from '../../engine/settings/profiles.ts';
import { profiles } from '../../engine/settings/profiles.ts';
import type { ToolPolicy, TurnSettings } from '../../engine/settings/settings.ts';
import { checkToolPolicy, checkTurnSettings } from '../../engine/settings/validate.ts';
import type { Middleware } from '../../engine/tool/runner.ts';
import type { AnyTool } from '../../engine/tool/tool.ts';
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
   * Shares the circuits with other processes: `shareCircuits(coordinator)` of `@holdfast/core/fleet`. Closed circuits are decided from the local copy alone.
   * @default none: every process has its own
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

/** @throws TypeError | RangeError naming the field, its value and the fix. */
export function checkOptions({
  tools,
  profile = 'spec',
  policy,
  turn,
  useMemory,
  asyncContext,
  sharedCircuits,
  ...limits
}: ToolExecutionServiceOptions): void {
  checkTools(tools);
  if (!Object.hasOwn(profiles, profile))
    throw new RangeError(`ToolExecutionService: 'profile' must be one of ${Object.keys(profiles).join(', ')}, got '${String(profile)}'.`);
  for (const name of ['advisorTimeoutMs', 'closeTimeoutMs'] as const) {
    const limit = limits[name];
    if (limit !== undefined && !(limit > 0))
      throw new RangeError(`ToolExecutionService: '${name}' must be a number of milliseconds above 0, got ${String(limit)}.`);
  }
  if (useMemory !== undefined && typeof useMemory !== 'boolean')
    throw new TypeError(`ToolExecutionService: 'useMemory' must be true or false, got ${String(useMemory)}.`);
  if (asyncContext !== undefined && typeof asyncContext !== 'function')
    throw new TypeError(
      `ToolExecutionService: 'asyncContext' must be a function, such as AsyncLocalStorage.snapshot, got ${typeof asyncContext}.`,
    );
  if (sharedCircuits !== undefined && !isSharing(sharedCircuits))
    throw new TypeError("ToolExecutionService: 'sharedCircuits' must be created with shareCircuits(coordinator) of @holdfast/core/fleet.");
  if (policy) checkToolPolicy(policy, "ToolExecutionService: 'policy'");
  if (turn) checkTurnSettings(turn, "ToolExecutionService: 'turn'");
}

/** @throws TypeError that names the tool and the fix. */
export function checkTools(tools: readonly AnyTool[]): void {
  if (!Array.isArray(tools))
    throw new TypeError(`ToolExecutionService: 'tools' must be an array of tools, got ${typeof tools}. Create each with defineTool().`);
  const names = new Set<string>();
  for (const tool of tools as readonly AnyTool[]) {
    if (typeof tool?.run !== 'function' || typeof tool.name !== 'string')
      throw new TypeError("ToolExecutionService: every entry of 'tools' must be created with defineTool().");
    if (names.has(tool.name)) throw new TypeError(`ToolExecutionService: two tools are named '${tool.name}'. Give each a unique name.`);
    names.add(tool.name);
  }
}
