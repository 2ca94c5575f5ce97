/** Owns the settings in the record of a single call: what a replay needs, in a short form, since every call has it. */
import type { Mutable } from '../../engine/plain/mutable.ts';
import { differenceFrom, profileId } from '../../engine/settings/settings-difference.ts';
import type { SingleCallSettings } from '../../engine/trace/events.ts';
import type { GateSettings } from '../../engine/admission/types.ts';
import type { ServiceContext } from './service-context.ts';
import type { ReadCall } from './tool-call.ts';
import { partitionsOf, recordRules, toolsOfCall, touchedCircuits, withRedactedFallback } from './turn-started.ts';

/** Finding differences takes longer than a call. The settings of a gate are those of one tool, until they change, and of all its partitions. */
const usual = new WeakMap<GateSettings, SingleCallSettings>();

export class SingleCallRecords {
  readonly #context: ServiceContext;
  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /** `undefined` while no subscriber receives the start of a call. */
  of(call: ReadCall, timeoutMs: number | undefined): SingleCallSettings | undefined {
    const context = this.#context;
    if (!context.streamedTraces.hasSubscriber('CallStarted')) return undefined;
    const names = toolsOfCall(context, call);
    const base = this.#usualOf(names);
    const circuits = touchedCircuits(context, names);
    const partitions = partitionsOf(context, names);
    if (!call.policy && timeoutMs === undefined && circuits.length === 0 && !partitions) return base;
    const record: Mutable<SingleCallSettings> = { ...base };
    if (call.policy) record.policy = withRedactedFallback(context, call.policy);
    if (timeoutMs !== undefined) record.timeout_ms = timeoutMs;
    if (circuits.length > 0) record.circuits = Object.fromEntries(circuits);
    if (partitions) record.partitions = partitions;
    return record;
  }

  #usualOf(names: readonly string[]): SingleCallSettings {
    const [name = ''] = names;
    // Alternatives may be replaced without their tool.
    const tool = names.length === 1 ? this.#context.runtimeOf(name) : undefined;
    const known = tool && usual.get(tool.gate.settings);
    const record = known ?? recordOf(this.#context, names);
    if (tool && !known) usual.set(tool.gate.settings, record);
    return record;
  }
}

function recordOf(context: ServiceContext, names: readonly string[]): SingleCallSettings {
  const { seed, profile, turnSettings, handler } = context;
  const difference = (settings = context.base): object => withRedactedFallback(context, differenceFrom(profile, settings));
  const tools = Object.fromEntries(names.map((name) => [name, difference(context.runtimeOf(name)?.settings)]));
  const record: Mutable<SingleCallSettings> = { seed, profile, profile_id: profileId(profile), tools };
  const base = difference();
  if (Object.keys(base).length > 0) record.base = base;
  if (turnSettings.maxRetries !== null) record.max_retries = turnSettings.maxRetries;
  if (handler.recoveryRules.length > 0) record.recovery_rules = recordRules(context);
  return record;
}
