/**
 * Owns replay: a recorded turn run again offline, in virtual time. Without changes it takes the same decisions, made anew from the recorded inputs; with other
 * settings or recoveryRules it answers what they would have done, and says what it had to assume.
 */
import { callerTimeoutFault, cancelledFault } from '../engine/call/fault.ts';
import type { EffectLoop } from '../runtime/drivers/effect-loop.ts';
import type { Agenda } from '../runtime/drivers/virtual/agenda.ts';
import { scripted } from '../runtime/drivers/virtual/script.ts';
import { createVirtualTools } from '../runtime/drivers/virtual/virtual-tools.ts';
import { runVirtualTurn } from '../runtime/drivers/virtual/virtual-turn.ts';
import type { ErrorHandler } from '../engine/recover/error-handler.ts';
import { resolveSettings } from '../engine/settings/resolve.ts';
import type { TraceEvent, TurnStarted } from '../engine/trace/events.ts';
import type { TurnReport } from '../engine/turn/report.ts';
import { AssumedHost } from './assumed-host.ts';
import { createAssumedScript } from './assumed-script.ts';
import type { ReplayDifference } from './differences.ts';
import { compareDecisions, compareEvents, compareRemade } from './differences.ts';
import { asRecorded, refuse, refusing, show } from './misuse.ts';
import { RecordedHost } from './recorded-host.ts';
import type { Recording } from './recording.ts';
import { readRecording } from './recording.ts';
import type { ReplayOptions } from './replay-options.ts';
import { checkChanges } from './replay-options.ts';

/** What a replay or a what-if came to. */
export interface Replay {
  /** The report of the replayed turn. */
  readonly report: TurnReport;
  /** The trace of the replayed turn. */
  readonly trace: readonly TraceEvent[];
  /**
   * What came out otherwise than recorded. Of an exact replay: decisions, then results, then events; empty when today's code does with the record what it did
   * then. Of a what-if: decisions.
   */
  readonly differences: readonly ReplayDifference[];
  /** What a what-if had to assume. Empty for an exact replay. */
  readonly assumptions: readonly string[];
  /** The recorded turn never ended. */
  readonly interrupted: boolean;
}

/**
 * Runs a recorded turn again in virtual time: exactly, or as a what-if when `options` change something.
 * @throws RangeError when `mostUnknown` is exceeded, TypeError when the events are not the trace of one turn, when they are damaged, and when an option cannot be used; names the event, the field, its
 * value and the fix. A trace that breaks off, because its process died, has no end to replay to; a what-if says how the turn might have continued.
 */
export function replayTurn(events: readonly TraceEvent[], options: ReplayOptions = {}): Replay {
  return refusing(
    () => {
      const changed = checkChanges(options);
      const recording = readRecording(events);
      return changed ? whatIf(recording, options) : exactly(recording);
    },
    (problem) => `the record cannot be read: ${problem}. ${asRecorded}`,
  );
}

function exactly(recording: Recording): Replay {
  const { turnId, seed, graph, settings, tools, recoveryRules, startedAtEpochMs, events } = recording;
  if (recording.interrupted) {
    refuse(
      `the recorded turn was interrupted, so there is no end to replay to: its last event is events[${events.length - 1}] (${events.at(-1)?.event_type}). ` +
        'Ask for a what-if, such as { policy: {} }, to see how it might have continued.',
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
    schedule: (agenda: Agenda, loop: EffectLoop) => scheduleCancel(recording, agenda, loop),
    started: events[0] as TraceEvent & TurnStarted,
  };
  const { report, trace } = refusing(
    () => runVirtualTurn(turn),
    (problem) => sayWhereItStops(recording, host, problem),
  );
  const differences = [...compareRemade(host?.remade ?? []), ...compareEvents(events, trace)];
  return { report, trace, differences, assumptions: [], interrupted: false };
}

/** The record does not lead to its own end: something between is missing or was changed. */
function sayWhereItStops({ events }: Recording, host: RecordedHost | undefined, problem: string): string {
  const [first] = compareEvents(events, host?.told ?? []).toSorted((one, other) => one.seq - other.seq);
  const place = first ? `${first.where}: recorded ${show(first.recorded)}, replayed ${show(first.replayed)}` : problem;
  return `the record does not lead to its end: ${place}. ${asRecorded}`;
}

function scheduleCancel({ events }: Recording, agenda: Agenda, loop: EffectLoop): void {
  const cancelled = events.find((event) => event.event_type === 'TurnCancelled');
  if (cancelled?.event_type !== 'TurnCancelled') return;
  const made = cancelled.code === 'TIMEOUT' ? callerTimeoutFault(undefined) : cancelledFault(undefined, (text) => text);
  const fault = { ...made, text: cancelled.message, message: cancelled.message };
  // Cancelled before it was submitted: nothing was started.
  if (cancelled.seq === 2) return loop.feedTurn({ type: 'cancelled', fault });
  agenda.at(cancelled.elapsed_ms, () => loop.feedTurn({ type: 'cancelled', fault }), cancelled.seq);
}

/** Runs the turn with changed settings; attempts without a record are assumed. */
function whatIf(recording: Recording, options: ReplayOptions): Replay {
  const { recoveryRules, policy, tools: changes = {}, turn, unknownAttempts = 'as_last', mostUnknown = Infinity } = options;
  const { turnId, seed, graph, settings, circuits, startedAtEpochMs, interrupted } = recording;
  const { script, assumptions } = createAssumedScript(recording, unknownAttempts, mostUnknown);
  const tools = Object.fromEntries(
    Object.entries(recording.tools).map(([name, own]) => [name, resolveSettings(resolveSettings(own, policy), changes[name])]),
  );
  const virtualTools = createVirtualTools(tools, circuits);
  const { report, trace } = refusing(
    () =>
      runVirtualTurn({
        turnId,
        seed,
        graph,
        settings: { ...settings, ...turn },
        tools: virtualTools,
        base: recording.base,
        recoveryRules: recoveryRules ?? recording.recoveryRules,
        startedAtEpochMs,
        script,
        host: (agenda, handler) => new AssumedHost(recording, { agenda, handler, tools: virtualTools, perform: scripted(agenda, script) }),
      }),
    (problem) => `under these settings the turn comes to no end: ${problem}. Give its tools, or the turn, a time limit (timeoutMs).`,
  );
  return { report, trace, differences: compareDecisions(recording.events, trace), assumptions: assumptions(trace), interrupted };
}
