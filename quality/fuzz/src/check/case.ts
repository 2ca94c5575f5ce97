/** Owns the input of the checks: a run, with its work sorted by turn, call and tool, and what was allowed for each. */
import type { PlannedCall, ToolPolicy, ToolResult, ToolSettings, TraceEvent, TurnSettings } from '@holdfast/core';
import { profiles } from '@holdfast/core';
import { resolveSettings } from '@holdfast/core/internal';
import type { Play, PlayedTurn, SeenEvent, Work } from '../play/observation.ts';
import { awake } from '../play/observation.ts';

/** Maximum difference of times that are equal except for rounding. */
export const TOLERANCE_MS = 1e-6;

export interface CheckedCall {
  readonly call: PlannedCall & { readonly callId: string };
  readonly works: readonly Work[];
  readonly result: ToolResult | undefined;
  /** Includes its last leg: the call's own policy for its tool. */
  readonly settingsOf: (toolName: string) => ToolSettings;
  readonly events: readonly SeenEvent[];
  /** When it was answered; `Infinity` if its process died before. */
  readonly answeredAt: number;
}

export interface CheckedTurn {
  readonly played: PlayedTurn;
  readonly settings: TurnSettings;
  readonly deadlineAt: number;
  readonly calls: readonly CheckedCall[];
}

export interface Case {
  readonly play: Play;
  readonly turns: readonly CheckedTurn[];
  /** The settings of an attempt, its call's own policy included. */
  readonly settingsOf: (work: Work) => ToolSettings;
  readonly callOf: (work: Work) => CheckedCall | undefined;
  /** Reports a violation. */
  readonly fail: (what: string) => void;
}

type CallEvent = Extract<TraceEvent, { readonly call_id: string }>;

function isOf(event: TraceEvent, callId: string): event is CallEvent {
  return 'call_id' in event && event.call_id === callId;
}

export function caseOf(play: Play, fail: (what: string) => void): Case {
  const turns = play.turns.map((played) => checkedTurn(play, played));
  const calls = new Map(
    turns.flatMap(({ played, calls: own }) => own.map((call) => [`${played.process} ${played.turn.turnId} ${call.call.callId}`, call])),
  );
  const callOf = ({ process, turnId, callId }: Work): CheckedCall | undefined => calls.get(`${process} ${turnId} ${callId}`);
  const settingsOf = (work: Work): ToolSettings =>
    callOf(work)?.settingsOf(work.toolName) ?? (play.settings[work.toolName] as ToolSettings);
  return { play, fail, turns, callOf, settingsOf };
}

function checkedTurn(play: Play, played: PlayedTurn): CheckedTurn {
  const { turn, beganAt, process } = played;
  const settings = { ...profiles[play.scene.profile].turn, ...turn.settings };
  const works = play.works.filter((work) => work.turnId === turn.turnId && work.process === process);
  const events = play.events.filter(({ event, process: own }) => own === process && event.turn_id === turn.turnId);
  return {
    played,
    settings,
    deadlineAt: settings.timeoutMs === null ? Number.POSITIVE_INFINITY : beganAt + settings.timeoutMs,
    calls: turn.calls.map((call, index) => {
      const own = events.filter(({ event }) => isOf(event, call.callId));
      return {
        call,
        works: works.filter(({ callId }) => callId === call.callId),
        result: played.report?.results[index],
        settingsOf: (toolName) => settingsOf(play, call, toolName),
        events: own,
        answeredAt: own.find(({ event }) => event.event_type === 'CallCompleted')?.at ?? Number.POSITIVE_INFINITY,
      };
    }),
  };
}

function settingsOf({ settings, scene }: Play, { toolName, policy }: PlannedCall, of: string): ToolSettings {
  const own = settings[of] ?? profiles[scene.profile].tool;
  return of === toolName && policy ? resolveSettings(own, policy as ToolPolicy) : own;
}

/** The result of an attempt when it was no longer waited for, derived from its tool and its limits alone. */
type Verdict = 'success' | 'transient' | 'permanent' | 'unknown' | 'timeout' | 'aborted' | 'open';

export interface Judged {
  readonly verdict: Verdict;
  readonly at: number;
  /** Its side effect may have happened. */
  readonly ambiguous: boolean;
}

type Limits = Pick<ToolSettings, 'timeoutMs' | 'idleTimeoutMs'>;

/** When an attempt that has not ended is no longer waited for. */
export function limitOf({ beganAt, partials, sleeps }: Work, { timeoutMs, idleTimeoutMs }: Limits): number {
  const limitAt = awake(sleeps, beganAt + timeoutMs);
  if (idleTimeoutMs === undefined) return limitAt;
  let idleAt = awake(sleeps, beganAt + idleTimeoutMs);
  for (const { at } of partials) if (at < idleAt + TOLERANCE_MS) idleAt = awake(sleeps, at + idleTimeoutMs);
  return Math.min(limitAt, idleAt);
}

export function judge(work: Work, settings: Limits & Pick<ToolSettings, 'unknownFailures'>): Judged {
  const limitAt = limitOf(work, settings);
  // Work that has ended is not aborted any more.
  if (work.abortedAt < limitAt - TOLERANCE_MS) return { verdict: 'aborted', at: work.abortedAt, ambiguous: true };
  if (work.endedAt > limitAt - TOLERANCE_MS) {
    // Work that ends exactly at its limit may be either.
    if (work.endedAt < limitAt + TOLERANCE_MS) return { verdict: 'open', at: limitAt, ambiguous: false };
    return { verdict: 'timeout', at: limitAt, ambiguous: true };
  }
  switch (work.script.kind) {
    case 'ok':
    case 'huge':
    case 'not_json':
      return { verdict: 'success', at: work.endedAt, ambiguous: false };
    case '400':
      return { verdict: 'permanent', at: work.endedAt, ambiguous: false };
    case 'reset':
    case 'secret':
      return { verdict: 'transient', at: work.endedAt, ambiguous: true };
    case 'text':
    case 'nothing':
      return { verdict: settings.unknownFailures === 'report' ? 'unknown' : 'transient', at: work.endedAt, ambiguous: true };
    default:
      return { verdict: 'transient', at: work.endedAt, ambiguous: false };
  }
}

/**
 * Where calls wait for recovery, a retry whose call returns to the gate to wait is free of the budget: it starts no sooner than its tool could serve
 * it. The recorded decision shows which retries these are.
 */
export function isFree(
  { events }: { readonly events: readonly Pick<SeenEvent, 'event' | 'order'>[] },
  work: Pick<SeenEvent, 'order'>,
): boolean {
  const decided = events.findLast(({ event, order }) => order < work.order && event.event_type === 'RecoveryDecided')?.event;
  if (decided?.event_type !== 'RecoveryDecided' || decided.decision.action !== 'retry') return false;
  const { may_wait_ms, held_ms, probe, circuit_breaker_state } = decided.inputs as Waiting;
  return may_wait_ms !== undefined && (held_ms !== undefined || probe || circuit_breaker_state !== 'closed');
}

interface Waiting {
  readonly may_wait_ms?: number;
  readonly held_ms?: number;
  readonly probe: boolean;
  readonly circuit_breaker_state: string;
}

/** Whether an attempt tested a recovering service, according to the trace. */
export function isProbe({ events }: { readonly events: readonly Pick<SeenEvent, 'event'>[] }, work: Work): boolean {
  return events.some(({ event }) => event.event_type === 'AttemptStarted' && event.attempt === work.attempt && event.probe === true);
}

export function describeWork({ toolName, turnId, callId, attempt, beganAt }: Work): string {
  return `${toolName} for ${turnId}/${callId}, attempt ${attempt}, begun at ${round(beganAt)}`;
}

export function round(time: number): number {
  return Math.round(time * 1e3) / 1e3;
}

export function group<Item>(items: readonly Item[], key: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = key(item);
    const known = groups.get(name);
    if (known) known.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}

/** Events that may occur at any time, even after a call's end: they belong to earlier work. */
export const late: ReadonlySet<TraceEvent['event_type']> = new Set([
  'LateResult',
  'AttemptAbandoned',
  'ToolTimeout',
  'ComponentFailed',
  'CircuitBreakerOpened',
  'CircuitBreakerClosed',
  'CircuitBreakerHalfOpened',
  'Escalated',
]);
