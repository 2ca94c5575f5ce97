/**
 * Owns replay: a recorded turn run again offline, in virtual time. Without changes it takes the same decisions, made anew from the recorded inputs; with other
 * settings or policies it answers what they would have done, and says what it had to assume.
 */
import { callerTimeoutFault, cancelledFault } from '../call/fault.ts';
import type { Conductor } from '../drivers/conductor.ts';
import type { Agenda } from '../drivers/virtual/agenda.ts';
import { createVirtualTools, runVirtualTurn } from '../drivers/virtual/virtual-turn.ts';
import type { PolicyRule } from '../recover/policies.ts';
import { resolveSettings } from '../settings/resolve.ts';
import type { ToolPolicy, TurnSettings } from '../settings/settings.ts';
import type { TraceEvent } from '../trace/events.ts';
import type { TurnReport } from '../turn/report.ts';
import { createAssumedScript } from './assumed-script.ts';
import type { ReplayDifference } from './differences.ts';
import { compareDecisions, compareRemade } from './differences.ts';
import { RecordedHost } from './recorded-host.ts';
import type { Recording } from './recording.ts';
import { readRecording } from './recording.ts';

/** What to change. Results come back in canonical order, not in the order of submission, which is not on record. Leave everything out for the exact replay. */
export interface ReplayOptions {
  /** In place of the recorded rules. */
  readonly policies?: readonly PolicyRule[] | undefined;
  /** Over every tool's recorded settings. */
  readonly policy?: ToolPolicy | undefined;
  /** By tool, over its recorded settings. */
  readonly tools?: Readonly<Record<string, ToolPolicy>> | undefined;
  readonly turn?: Partial<TurnSettings> | undefined;
}

export interface Replay {
  readonly report: TurnReport;
  readonly trace: readonly TraceEvent[];
  /** Decisions that came out otherwise than recorded, in order. Empty for an exact replay. */
  readonly differences: readonly ReplayDifference[];
  /** What a what-if had to assume. Empty for an exact replay. */
  readonly assumptions: readonly string[];
  /** The recorded turn never ended. */
  readonly interrupted: boolean;
}

/** @throws TypeError when the events are not the trace of a turn. */
export function replayTurn(events: readonly TraceEvent[], options: ReplayOptions = {}): Replay {
  const recording = readRecording(events);
  const { policies, policy, tools, turn } = options;
  const changed = policies !== undefined || policy !== undefined || tools !== undefined || turn !== undefined;
  return changed ? whatIf(recording, options) : exactly(recording);
}

function exactly(recording: Recording): Replay {
  const { turnId, seed, graph, settings, tools, policies, startedAtEpochMs, interrupted } = recording;
  if (interrupted) throw new TypeError('replay: the recorded turn was interrupted, so there is no end to replay to.');
  let host: RecordedHost | undefined;
  const { report, trace } = runVirtualTurn({
    turnId,
    seed,
    graph,
    settings,
    tools: createVirtualTools(tools),
    base: recording.base,
    policies,
    startedAtEpochMs,
    script: () => ({ afterMs: Number.POSITIVE_INFINITY, outcome: { ok: true, output: undefined } }),
    host: (agenda, handler) => {
      host = new RecordedHost(recording, agenda, handler);
      return host;
    },
    schedule: (agenda, conductor) => scheduleCancel(recording, agenda, conductor),
    started: recording.events[0]?.event_type === 'TurnStarted' ? recording.events[0] : undefined,
  });
  return { report, trace, differences: compareRemade(host?.remade ?? []), assumptions: [], interrupted };
}

function scheduleCancel({ events }: Recording, agenda: Agenda, conductor: Conductor): void {
  const cancelled = events.find((event) => event.event_type === 'TurnCancelled');
  if (cancelled?.event_type !== 'TurnCancelled') return;
  const made = cancelled.code === 'TIMEOUT' ? callerTimeoutFault(undefined) : cancelledFault(undefined, (text) => text);
  const fault = { ...made, text: cancelled.message, message: cancelled.message };
  agenda.at(cancelled.elapsed_ms, () => conductor.feedTurn({ type: 'cancelled', fault }), cancelled.seq);
}

function whatIf(recording: Recording, { policies, policy, tools: changes = {}, turn }: ReplayOptions): Replay {
  const { turnId, seed, graph, settings, circuits, startedAtEpochMs, interrupted } = recording;
  const { script, assumptions } = createAssumedScript(recording);
  const tools = Object.fromEntries(
    Object.entries(recording.tools).map(([name, own]) => [name, resolveSettings(resolveSettings(own, policy), changes[name])]),
  );
  const { report, trace } = runVirtualTurn({
    turnId,
    seed,
    graph,
    settings: { ...settings, ...turn },
    tools: createVirtualTools(tools, circuits),
    base: recording.base,
    policies: policies ?? recording.policies,
    startedAtEpochMs,
    script,
  });
  return { report, trace, differences: compareDecisions(recording.events, trace), assumptions: assumptions(), interrupted };
}
