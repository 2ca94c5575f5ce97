/**
 * Owns replay: it runs a recorded turn or single call again offline, in virtual time. Without changes it computes the decisions again from the recorded inputs; with other settings
 * or recovery rules it shows their effect and reports its assumptions.
 */
import type { Agenda } from '../runtime/drivers/virtual/agenda.ts';
import { performScript } from '../runtime/drivers/virtual/script.ts';
import { createVirtualTools } from '../runtime/drivers/virtual/virtual-tools.ts';
import { runVirtualTurn } from '../runtime/drivers/virtual/virtual-turn.ts';
import type { TurnInputs } from '../runtime/drivers/virtual/virtual-world.ts';
import type { ErrorHandler } from '../engine/recover/error-handler.ts';
import { show } from '../engine/settings/check.ts';
import { resolveSettings } from '../engine/settings/resolve.ts';
import type { TraceEvent, TurnStarted } from '../engine/trace/events.ts';
import type { TurnReport } from '../engine/turn/report.ts';
import { AssumedHost } from './assumed-host.ts';
import { createAssumedScript } from './assumed-script.ts';
import type { ReplayDifference } from './differences.ts';
import { compareDecisions, compareEvents, compareRecomputed } from './differences.ts';
import { asRecorded, refuse, withReplayErrors } from './misuse.ts';
import { RecordedHost } from './recorded-host.ts';
import type { Recording } from './recording.ts';
import { changedTurnSettings, readRecording } from './recording.ts';
import type { ReplayOptions } from './replay-options.ts';
import { checkChanges } from './replay-options.ts';

/** Result of a replay or a what-if. */
export interface Replay {
  /** The report of the replayed turn. */
  readonly report: TurnReport;
  /** The trace of the replayed turn. */
  readonly trace: readonly TraceEvent[];
  /**
   * Differences from the record. For an exact replay: decisions, then results, then events; empty when the current code behaves as recorded. For a what-if: decisions
   * only.
   */
  readonly differences: readonly ReplayDifference[];
  /** Assumptions of a what-if, as sentences; empty for an exact replay. */
  readonly assumptions: readonly string[];
  /** Whether the recorded turn has no end. */
  readonly interrupted: boolean;
}

/**
 * Runs a recorded turn, or a single call, again in virtual time: exactly, or as a what-if when `options` change something. A trace without an end, because its process stopped, cannot be
 * replayed exactly; a what-if shows how the turn might have continued.
 * @throws RangeError when `maxUnknown` is exceeded, TypeError when the events are damaged or not the trace of one turn, or for an invalid option; names the event, the
 * field, its value and the fix
 */
export function replayTurn(events: readonly TraceEvent[], options: ReplayOptions = {}): Replay {
  return withReplayErrors(
    () => {
      const changed = checkChanges(options);
      const recording = readRecording(events);
      return changed ? whatIf(recording, options) : replayExactly(recording);
    },
    (problem) => `the record cannot be read: ${problem}. ${asRecorded}`,
  );
}

function replayExactly(recording: Recording): Replay {
  const { turnId, seed, graph, settings, tools, recoveryRules, startedAtEpochMs, events } = recording;
  if (recording.interrupted) {
    refuse(
      `the recorded turn was interrupted, so there is no end to replay to: its last event is events[${events.length - 1}] (${events.at(-1)?.event_type}). ` +
        'Use a what-if, such as { policy: {} }, to see how it might have continued.',
    );
  }
  let host: RecordedHost | undefined;
  const turn = {
    turnId,
    seed,
    graph,
    settings,
    tools: createVirtualTools(tools),
    base: recording.base,
    recoveryRules,
    startedAtEpochMs,
    script: () => ({ afterMs: Number.POSITIVE_INFINITY, outcome: { ok: true, output: undefined } }) as const,
    host: (agenda: Agenda, handler: ErrorHandler) => {
      host = new RecordedHost(recording, agenda, handler);
      return host;
    },
    schedule: (agenda: Agenda, inputs: TurnInputs) => scheduleCancel(recording, agenda, inputs),
    single: recording.single,
    started: recording.single ? undefined : (events[0] as TraceEvent & TurnStarted),
  };
  const { report, trace } = withReplayErrors(
    () => runVirtualTurn(turn),
    (problem) => describeBreak(recording, host, problem),
  );
  const differences = [...compareRecomputed(host?.recomputed ?? []), ...compareEvents(events, trace)];
  return { report, trace, differences, assumptions: [], interrupted: false };
}

/** Describes where a record does not lead to its recorded end, because an event is missing or was changed. */
function describeBreak({ events }: Recording, host: RecordedHost | undefined, problem: string): string {
  const [first] = compareEvents(events, host?.replayed ?? []).toSorted((one, other) => one.seq - other.seq);
  const place = first ? `${first.where}: recorded ${show(first.recorded)}, replayed ${show(first.replayed)}` : problem;
  return `the record does not lead to its end: ${place}. ${asRecorded}`;
}

function scheduleCancel({ stop }: Recording, agenda: Agenda, inputs: TurnInputs): void {
  if (!stop?.fault) return;
  const { event, fault } = stop;
  // Cancelled before it was submitted: no call was started.
  if (event.event_type === 'TurnCancelled' && event.seq === 2) return inputs.feedTurn({ type: 'cancelled', fault });
  agenda.at(event.elapsed_ms, () => inputs.feedTurn({ type: 'cancelled', fault }), event.seq);
}

/** Runs the turn with changed settings; attempts without a record are assumed. */
function whatIf(recording: Recording, options: ReplayOptions): Replay {
  const { recoveryRules, policy, tools: changes = {}, turn, unknownAttempts = 'as_last', maxUnknown = Infinity } = options;
  const { turnId, seed, graph, circuits, startedAtEpochMs, interrupted } = recording;
  const { script, assumptions } = createAssumedScript(recording, unknownAttempts, maxUnknown);
  const tools = Object.fromEntries(
    Object.entries(recording.tools).map(([name, recorded]) => [name, resolveSettings(resolveSettings(recorded, policy), changes[name])]),
  );
  const virtualTools = createVirtualTools(tools, circuits);
  const { report, trace } = withReplayErrors(
    () =>
      runVirtualTurn({
        turnId,
        seed,
        graph,
        settings: changedTurnSettings(recording, turn),
        single: recording.single,
        tools: virtualTools,
        base: recording.base,
        recoveryRules: recoveryRules ?? recording.recoveryRules,
        startedAtEpochMs,
        script,
        host: (agenda, handler) =>
          new AssumedHost(recording, { agenda, handler, tools: virtualTools, perform: performScript(agenda, script) }),
      }),
    (problem) => `under these settings, the turn does not end: ${problem}. Set a time limit (timeoutMs) for its tools or for the turn.`,
  );
  return { report, trace, differences: compareDecisions(recording.events, trace), assumptions: assumptions(trace), interrupted };
}
