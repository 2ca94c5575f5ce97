/**
 * Owns reading a trace: the plan, the settings and the events of each call, in order. Accepts events that have passed through JSON.
 */
import { checkShape } from '../engine/settings/check.ts';
import { checkTurnSettings } from '../engine/settings/validate.ts';
import type { CircuitSnapshot } from '../engine/breaker/types.ts';
import { readRecoveryRules, type RecoveryRule } from '../engine/recover/recovery-rules.ts';
import type { ToolSettings, TurnSettings } from '../engine/settings/settings.ts';
import type { SingleCallSettings, TraceEvent, TurnStarted } from '../engine/trace/events.ts';
import type { PlanGraph, PlannedCall } from '../engine/turn/plan.ts';
import { checkPlan } from '../engine/turn/plan.ts';
import { checkEvents } from './check-events.ts';
import { isOutsideCalls } from './event-fields.ts';
import { recordedStop, type RecordedStop } from './recorded-stop.ts';
import { turnEndOf } from '../engine/trace/turn-end.ts';
import { asRecorded, refuse, withReplayErrors } from './misuse.ts';
import { readCallPolicy, readSettings } from './recorded-settings.ts';

/** The events of one call, oldest first. */
export type CallEvents = readonly TraceEvent[];

/** A recorded turn, or a single call: its plan, its settings and its events. */
export interface Recording {
  /** Id of the turn. */
  readonly turnId: string;
  /** Seed of all random parts, such as jitter. */
  readonly seed: string;
  /** When the turn began, milliseconds since 1970. */
  readonly startedAtEpochMs: number;
  /** The plan, without the arguments of its calls. */
  readonly graph: PlanGraph;
  /** Settings of the turn. */
  readonly settings: TurnSettings;
  /** Settings of the tools of the turn, by name. */
  readonly tools: Readonly<Record<string, ToolSettings>>;
  /** Settings of tools that are not among `tools`. */
  readonly base: ToolSettings;
  /** The recovery rules of the turn. */
  readonly recoveryRules: readonly RecoveryRule[];
  /** Circuits that were not in their initial state when the turn began, by tool. */
  readonly circuits: Readonly<Record<string, CircuitSnapshot>>;
  /** Partitions whose gates the turn used, by tool. */
  readonly partitions: Readonly<Record<string, string>>;
  /** The whole trace, oldest first. */
  readonly events: readonly TraceEvent[];
  /** Events by call id, without events outside the calls. */
  readonly calls: ReadonlyMap<string, CallEvents>;
  /** The settings of a single call as recorded: `graph` has only that call. `undefined` for a turn. */
  readonly single: SingleCallSettings | undefined;
  /** How the turn was ended from outside, if it was. */
  readonly stop: RecordedStop | undefined;
  /** The turn has no end: its process stopped, or the turn is still running. */
  readonly interrupted: boolean;
}

/** Reads a recorded turn or single call from its trace. @throws TypeError when the events are not the trace of one */
export function readRecording(events: readonly TraceEvent[]): Recording {
  const first = checkEvents(events);
  const [begun] = events;
  const single = begun?.event_type === 'CallStarted' ? begun.settings : undefined;
  const place = single ? 'events[0].settings' : 'events[0]';
  const plan = checkPlan(first.calls.map(toPlannedCall));
  if (!plan.ok)
    return refuse(`events[0].calls is not a valid plan: ${plan.problems.map(({ message }) => message).join(' ')} ${asRecorded}`);
  const settings: TurnSettings = {
    timeoutMs: first.timeout_ms,
    concurrency: unlimitedIfNull(first.concurrency),
    onDeadline: first.on_deadline,
    maxRetries: first.max_retries,
  };
  return {
    turnId: first.turn_id,
    seed: first.seed,
    startedAtEpochMs: Date.parse(first.timestamp),
    graph: plan.graph,
    settings,
    tools: Object.fromEntries(Object.entries(first.tools).map(([name, own]) => [name, readSettings(own, `${place}.tools['${name}']`)])),
    base: readSettings(first.base, `${place}.base`),
    recoveryRules: readRules(first.recovery_rules, place),
    circuits: first.circuits,
    partitions: first.partitions ?? {},
    events,
    calls: groupByCall(events),
    single,
    stop: recordedStop(events, single !== undefined, settings),
    interrupted: !events.some((event) => turnEndOf(event) !== undefined),
  };
}

function readRules(recorded: unknown, place: string): readonly RecoveryRule[] {
  return withReplayErrors(
    () => readRecoveryRules(recorded, `${place}.recovery_rules`),
    (problem) => `${problem}. ${asRecorded}`,
  );
}

/** Without arguments: they are not fully recorded, and outcomes do not depend on them. */
function toPlannedCall(
  { call_id, tool_id, depends_on, optional, critical, defaults, policy }: TurnStarted['calls'][number],
  index: number,
): PlannedCall {
  return {
    callId: call_id,
    toolName: tool_id,
    dependsOn: depends_on,
    optional,
    critical,
    defaults: defaults && Object.fromEntries(defaults.map((name) => [name, null])),
    policy: policy === undefined ? undefined : readCallPolicy(policy, `events[0].calls[${index}].policy`),
  };
}

/** Returns the settings of a recorded turn under a change. Only `maxRetries` changes those of a single call: no turn limits the time of a single call, or how many others run. */
export function changedTurnSettings(recording: Recording, change: Partial<TurnSettings> = {}): TurnSettings {
  checkShape({ settings: 'object' }, recording, 'changedTurnSettings: recording');
  checkTurnSettings(change, 'changedTurnSettings: change');
  const { settings, single } = recording;
  const { maxRetries = settings.maxRetries } = change;
  return single ? { ...settings, maxRetries } : { ...settings, ...change };
}

function unlimitedIfNull(value: number | null): number {
  return value ?? Number.POSITIVE_INFINITY;
}

function groupByCall(events: readonly TraceEvent[]): ReadonlyMap<string, CallEvents> {
  const calls = new Map<string, TraceEvent[]>();
  for (const event of events) {
    if (!('call_id' in event) || event.call_id === undefined || isOutsideCalls(event)) continue;
    const ofCall = calls.get(event.call_id);
    if (ofCall) ofCall.push(event);
    else calls.set(event.call_id, [event]);
  }
  return calls;
}
