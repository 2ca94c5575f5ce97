/**
 * Owns running recorded turns again in one world of simulated time: observed attempts run as observed, all others in a given way.
 *
 * 1. An attempt was observed if one of the same call and tool was recorded at the same moment of the turn; it ends at the recorded moment.
 * 2. An attempt that was cut off is known until then, and unknown afterwards.
 */
import { ErrorHandler } from '@holdfast/core';
import { recordedFault } from '@holdfast/core/replay';
import {
  type Abort,
  type Agenda,
  createAgenda,
  createVirtualTools,
  createVirtualWorld,
  partitionedTools,
  restoreCircuits,
  type Outcome,
  type Perform,
  VirtualHost,
  type VirtualHostOptions,
  type VirtualTools,
  type VirtualWorld,
} from '@holdfast/core/internal';
import { RunTrace } from './run-record.ts';
import type { SeenAttempt } from './observed-attempts.ts';
import { plannedCalls, type ReadTurn } from './read-turns.ts';
import { type Setting, turnSettings } from './settings-of.ts';
import { outcomeOf, type UnknownOutcome } from './unknown-outcomes.ts';

/** Receives the attempts that are made and their results. Times are those of the world. */
export interface RunListener {
  recordUnknown(made: MadeAttempt): void;
  /** An observed attempt is made. */
  recordStart(made: MadeAttempt): void;
  /** An observed attempt ends. `neither`: the circuit counts it neither as a success nor as a failure. */
  recordEnd(turn: ReadTurn, toolName: string, now: number, how: AttemptEnd, certain: boolean): void;
}

export type AttemptEnd = 'success' | 'failure' | 'neither';

export interface MadeAttempt {
  readonly turn: ReadTurn;
  readonly callId: string;
  readonly toolName: string;
  readonly now: number;
  /** The tool's circuit admits all calls. */
  readonly circuitClosed: boolean;
  /** It was made at a moment without a recorded one. */
  readonly deviates: boolean;
}

/** Which turns run again, under which settings, and what unknown attempts do. */
export interface RunOptions {
  readonly turns: readonly ReadTurn[];
  readonly setting: Setting;
  /** The world's time 0. */
  readonly originEpochMs: number;
  readonly wayOf: (callId: string, toolName: string) => UnknownOutcome;
  /** Whether observations of the tool in that time are unreliable. */
  readonly isMarked: (toolName: string, from: number, to: number) => boolean;
  /** Whether the tool's gate may refuse an attempt at that time, or make it wait. */
  readonly isInDoubt: (toolName: string, now: number) => boolean;
  /** Whether an attempt is made at another moment than the recorded one, so that it is not observed. @default none is */
  readonly isMoved?: ((callId: string, toolName: string, now: number) => boolean) | undefined;
  /** Whether the call is known to go as recorded, so that its attempts end when they did, whenever they are made here. @default none is */
  readonly isCertain?: ((callId: string) => boolean) | undefined;
  readonly sameMomentMs: number;
  readonly maxUnknown: number;
  readonly listener?: RunListener | undefined;
}

export interface RanTurn {
  readonly turn: ReadTurn;
  readonly trace: RunTrace;
  /** When it began. */
  readonly beganAt: number;
  /** Calls that depend on unobserved attempts. */
  readonly loose: Set<string>;
  readonly used: Set<SeenAttempt>;
  unknown: number;
  settled: boolean;
}

type Prepare = Parameters<VirtualHost['prepare']>;

/** Rejects a call where its tool did. */
class RecordedArguments extends VirtualHost {
  readonly #ran: ReadonlyMap<string, RanTurn>;

  constructor(options: VirtualHostOptions, ran: ReadonlyMap<string, RanTurn>) {
    super(options);
    this.#ran = ran;
  }

  override prepare(run: Prepare[0], effect: Prepare[1], feed: Prepare[2]): void {
    const { turnId, callKey } = run.state.spec;
    const event = this.#ran.get(turnId)?.turn.turnedDown.get(`${callKey} ${effect.toolName}`);
    if (event) return feed(run, { type: 'prepared', fault: recordedFault(event) });
    super.prepare(run, effect, feed);
  }
}

export function runTurns(options: RunOptions): ReadonlyMap<string, RanTurn> {
  const { turns, setting, originEpochMs } = options;
  const ran = new Map<string, RanTurn>();
  const [first] = turns;
  const start = first === undefined ? 0 : first.beganAtEpochMs - originEpochMs;
  const agenda = createAgenda(start);
  const tools = virtualTools(setting);
  const handler = new ErrorHandler({ recoveryRules: setting.recoveryRules });
  /** By partitions: clients with gates of their own share the limits of the tools. */
  const worlds = new Map<string, VirtualWorld>();
  if (start === 0 && first) restoreCircuits(partitionedTools(tools, first.recording.partitions), first.recording.circuits);
  for (const turn of turns) agenda.at(turn.beganAtEpochMs - originEpochMs, () => begin(turn));
  agenda.run();
  return ran;

  function worldOf({ recording: { partitions } }: ReadTurn): VirtualWorld {
    const key = JSON.stringify(partitions);
    const known = worlds.get(key);
    if (known) return known;
    const own = partitionedTools(tools, partitions);
    const perform = performer(options, agenda, ran, (name) => own.get(name)?.gate.breaker.state === 'closed');
    const host = new RecordedArguments({ agenda, handler, tools: own, perform }, ran);
    const world = createVirtualWorld({ host, tools: own, base: setting.base });
    worlds.set(key, world);
    return world;
  }

  function begin(turn: ReadTurn): void {
    const { turnId, recording } = turn;
    const trace = new RunTrace(agenda.now(), plannedCalls(turn));
    const running: RanTurn = {
      turn,
      trace,
      beganAt: agenda.now(),
      loose: new Set(),
      used: new Set(),
      unknown: 0,
      settled: false,
    };
    ran.set(turnId, running);
    const { stop, single } = recording;
    worldOf(turn).startTurn({
      turnId,
      seed: recording.seed,
      graph: recording.graph,
      settings: turnSettings(turn, setting),
      trace,
      single,
      schedule: (inputs) => {
        if (!stop?.fault) return;
        const { fault } = cancelledOutcome(stop.fault.message);
        agenda.at(running.beganAt + stop.event.elapsed_ms, () => inputs.feedTurn({ type: 'cancelled', fault }));
      },
      onSettled: () => {
        running.settled = true;
      },
    });
  }
}

function virtualTools({ tools, gates }: Setting): VirtualTools {
  if (gates === undefined) return createVirtualTools(tools);
  const gated = createVirtualTools(gates);
  return new Map([...gated].map(([name, own]) => [name, { ...own, settings: tools[name] ?? own.settings }]));
}

function performer(
  { wayOf, isMarked, isInDoubt, isMoved, isCertain, sameMomentMs, maxUnknown, listener }: RunOptions,
  agenda: Agenda,
  ran: ReadonlyMap<string, RanTurn>,
  isClosed: (toolName: string) => boolean,
): Perform {
  return ({ turnId, callKey: callId, toolName, now }, settle, reportPartial, reportProgress) => {
    const running = ran.get(turnId) as RanTurn;
    const { beganAt, loose } = running;
    const asRecorded = isCertain?.(callId) === true;
    const seen = takeSeen(running, callId, toolName, now - beganAt, asRecorded ? Infinity : sameMomentMs);
    const way = wayOf(callId, toolName);
    const task = { agenda, settle };
    if (way === 'refused' && isInDoubt(toolName, now)) {
      loose.add(callId);
      running.trace.withdrawAttempt(callId);
      return settles(task, now, outcomeOf(way));
    }
    const made = (deviates: boolean): MadeAttempt => ({
      turn: running.turn,
      callId,
      toolName,
      now: agenda.now(),
      circuitClosed: isClosed(toolName),
      deviates,
    });
    const unknown = (deviates: boolean): void => {
      loose.add(callId);
      running.unknown += 1;
      listener?.recordUnknown(made(deviates));
    };
    // A moved attempt takes as long as it took.
    const origin = seen && sameMomentMs === Infinity && !asRecorded ? now - seen.startedAt : beganAt;
    // After an unknown attempt, which may have taken any time, the next one of the call is made at an unknown moment.
    const isLater = loose.has(callId) && sameMomentMs !== Infinity;
    if (seen === undefined || isLater || isMoved?.(callId, toolName, now) || isMarked(toolName, now, origin + seen.endedAt)) {
      unknown(seen === undefined);
      return settles(task, now, outcomeOf(running.unknown > maxUnknown ? 'fails_for_good' : way));
    }
    const certain = !loose.has(callId);
    listener?.recordStart(made(false));
    for (const at of seen.partialsAt) agenda.at(origin + at, () => reportPartial(undefined));
    for (const at of seen.progressAt) agenda.at(origin + at, reportProgress);
    const { outcome } = seen;
    const notifyEnd = (how: AttemptEnd): void => listener?.recordEnd(running.turn, toolName, agenda.now(), how, certain);
    if (outcome) {
      return settles(task, Math.max(now, origin + seen.endedAt), outcome, (reason) => {
        if (reason === undefined && outcome.ok) notifyEnd('success');
        else notifyEnd(isTimeLimit(reason) || (reason === undefined && countsAsFailure(outcome)) ? 'failure' : 'neither');
      });
    }
    return cutOff({ ...task, settle }, origin + seen.endedAt, notifyEnd, () => {
      notifyEnd('neither');
      unknown(true);
      return outcomeOf(way);
    });
  };
}

interface Task {
  readonly agenda: Agenda;
  readonly settle: (outcome: Outcome) => void;
}

type AbortReason = Parameters<Abort>[0];

/** `undefined`: never. */
function settles({ agenda, settle }: Task, at: number, outcome: Outcome | undefined, ended?: (reason?: AbortReason) => void): Abort {
  const handle =
    outcome &&
    agenda.at(at, () => {
      ended?.();
      settle(outcome);
    });
  return (reason) => {
    if (handle) agenda.cancel(handle);
    ended?.(reason);
    agenda.at(agenda.now(), () => settle(cancelledOutcome('aborted')));
  };
}

/** The attempt was cut off without an answer; what would have followed is unknown. It ends slightly later, so that the same limit cuts it off again. */
function cutOff({ agenda, settle }: Task, knownUntil: number, ended: (how: AttemptEnd) => void, beyond: () => Outcome | undefined): Abort {
  const handle = agenda.at(knownUntil + sameLimitMs, () => {
    const outcome = beyond();
    if (outcome) settle(outcome);
  });
  return (reason) => {
    agenda.cancel(handle);
    ended(isTimeLimit(reason) ? 'failure' : 'neither');
    agenda.at(agenda.now(), () => settle(cancelledOutcome('aborted')));
  };
}

const sameLimitMs = 25;

function isTimeLimit(reason: AbortReason | undefined): boolean {
  return reason === 'timeout' || reason === 'idle';
}

const none: readonly never[] = [];

function takeSeen(
  { turn, used }: RanTurn,
  callId: string,
  toolName: string,
  elapsed: number,
  sameMomentMs: number,
): SeenAttempt | undefined {
  let nearest: SeenAttempt | undefined;
  for (const each of turn.seenOf.get(`${callId} ${toolName}`) ?? none) {
    if (used.has(each)) continue;
    const apart = Math.abs(each.startedAt - elapsed);
    if (apart <= sameMomentMs && (nearest === undefined || apart < Math.abs(nearest.startedAt - elapsed))) nearest = each;
  }
  if (nearest) used.add(nearest);
  return nearest;
}

const countsAsFailure = (outcome: Outcome): boolean => !outcome.ok && outcome.fault.classification.classification === 'transient';

function cancelledOutcome(text: string): Extract<Outcome, { readonly ok: false }> {
  const classification = { classification: 'neutral', category: 'cancelled', rule: 'cancelled', ambiguous: false } as const;
  return { ok: false, fault: { kind: 'cancelled', code: 'CANCELLED', message: text, text, classification } };
}
