/**
 * Owns the guarantees about circuits, from what the tools saw and the traced transitions: no call passes while open, one probe at a time, opened for a reason.
 */
import type { CircuitBreakerSettings, ToolSettings, TraceEvent } from '@holdfast/core';
import type { SeenEvent, Work } from '../play/observation.ts';
import type { Case } from './case.ts';
import { TOLERANCE_MS, judge, round, describeWork } from './case.ts';

type Transition = Extract<TraceEvent, { readonly event_type: `CircuitBreaker${string}` }>;
type SeenTransition = SeenEvent & { readonly event: Transition };

export function checkCircuits(one: Case): void {
  const { play } = one;
  const controlled = new Set(play.scene.commands.map(({ toolName }) => toolName));
  for (const [toolName, { breaker, waitForRecovery }] of Object.entries(play.settings)) {
    // A gate where calls wait has rules of its own: a call that was never sent gets a last chance while the circuit is open.
    if (breaker === false || controlled.has(toolName) || isWaiting({ waitForRecovery })) continue;
    const processes = new Set(play.works.map(({ process }) => process));
    for (const process of processes) checkCircuit(one, toolName, process, breaker);
  }
}

function checkCircuit({ play, turns, fail }: Case, toolName: string, process: number, breaker: CircuitBreakerSettings): void {
  const works = play.works.filter((work) => work.toolName === toolName && work.process === process);
  const transitions = play.events.filter((seen): seen is SeenTransition => isTransition(seen, toolName, process));
  const probes = probesOf(play.events, toolName, process);
  for (const [index, { event, at, order }] of transitions.entries()) {
    const next = transitions[index + 1];
    const within = works.filter(
      (work) => work.order > order && work.order < (next?.order ?? Number.POSITIVE_INFINITY) && work.beganAt > at + TOLERANCE_MS,
    );
    if (event.event_type === 'CircuitBreakerOpened') {
      for (const work of within) fail(`${describeWork(work)}: while the circuit has been open since ${round(at)}`);
      const until = openUntil(event, at, breaker);
      if (next && next.at < until - 1 && event.reason !== 'manual')
        fail(`${toolName}: open from ${round(at)} until ${round(next.at)}, expected until ${round(until)}`);
    }
    if (event.event_type === 'CircuitBreakerHalfOpened') checkProbes(turns, within, { probes, fail });
  }
  const killedAt = play.scene.killAtMs ?? Number.POSITIVE_INFINITY;
  checkOpenings(transitions, works, { toolName, breaker, fail, turns, killedAt });
}

function isWaiting({ waitForRecovery = false }: Pick<ToolSettings, 'waitForRecovery'>): boolean {
  return waitForRecovery !== false;
}

function isTransition({ event, process: own }: SeenEvent, toolName: string, process: number): boolean {
  return own === process && event.event_type.startsWith('CircuitBreaker') && 'tool_id' in event && event.tool_id === toolName;
}

function probesOf(events: readonly SeenEvent[], toolName: string, process: number): ReadonlySet<string> {
  return new Set(
    events.flatMap(({ event, process: own }) =>
      own === process && event.event_type === 'AttemptStarted' && event.tool_id === toolName && event.probe
        ? [`${event.turn_id} ${event.call_id} ${event.attempt}`]
        : [],
    ),
  );
}

function openUntil(event: Transition, at: number, { openMs }: CircuitBreakerSettings): number {
  const openForMs = event.event_type === 'CircuitBreakerOpened' ? event.open_for_ms : undefined;
  // A lease that had ended before it was checked: part of the open period has passed.
  return event.reason === 'probe_lease_expired' ? at + (openForMs ?? 0) : at + Math.max(openMs, openForMs ?? 0);
}

interface ProbeCheck {
  readonly probes: ReadonlySet<string>;
  readonly fail: Case['fail'];
}

/** While half-open there is one probe, and no attempt beside it. */
function checkProbes(turns: Case['turns'], within: readonly Work[], { probes, fail }: ProbeCheck): void {
  for (const [index, work] of within.entries()) {
    if (!probes.has(`${work.turnId} ${work.callId} ${work.attempt}`))
      fail(`${describeWork(work)}: not a probe, while the circuit is half-open`);
    const out = within.slice(0, index).filter((earlier) => verdictAt(turns, earlier) > work.beganAt + TOLERANCE_MS);
    if (out.length > 0) fail(`${describeWork(work)}: beside another probe`);
  }
}

/** When a probe's outcome is known. */
function verdictAt(turns: Case['turns'], work: Work): number {
  const call = turns
    .flatMap(({ calls, played }) => (played.turn.turnId === work.turnId && played.process === work.process ? calls : []))
    .find(({ call: { callId } }) => callId === work.callId);
  const settings = call?.settingsOf(work.toolName);
  return settings ? judge(work, settings).at : work.endedAt;
}

interface OpeningCheck {
  readonly toolName: string;
  readonly breaker: CircuitBreakerSettings;
  readonly fail: Case['fail'];
  readonly turns: Case['turns'];
  /** The end of the first process. */
  readonly killedAt: number;
}

/** It opens exactly when enough consecutive attempts have failed: counted again from what the tools know. */
function checkOpenings(
  transitions: readonly SeenTransition[],
  works: readonly Work[],
  { toolName, breaker, fail, turns, killedAt }: OpeningCheck,
): void {
  if (breaker.count !== 'attempt' || breaker.rate !== undefined) return;
  const [opened] = transitions;
  const until = opened?.at ?? Number.POSITIVE_INFINITY;
  const outcomes = works
    .flatMap((work) => {
      const call = turns
        .flatMap(({ calls, played }) => (played.turn.turnId === work.turnId ? calls : []))
        .find(({ call: { callId } }) => callId === work.callId);
      if (!call) return [];
      const judged = judge(work, call.settingsOf(toolName));
      // A killed process receives no outcomes any more, not even of work that a turn left running.
      const isHeard = call.result && !(work.process === 1 && judged.at > killedAt);
      return isHeard ? [judged] : [{ ...judged, verdict: 'open' as const }];
    })
    .toSorted((a, b) => a.at - b.at);
  if (outcomes.some(({ verdict, at }, index) => verdict === 'open' || Math.abs(at - (outcomes[index + 1]?.at ?? -1)) < TOLERANCE_MS))
    return;
  let row = 0;
  for (const { verdict, at } of outcomes) {
    if (verdict === 'aborted' || verdict === 'unknown') continue;
    row = verdict === 'transient' || verdict === 'timeout' ? row + 1 : 0;
    if (row < breaker.failureThreshold) continue;
    if (Math.abs(at - until) > TOLERANCE_MS)
      fail(`${toolName}: ${row} failures in a row at ${round(at)}, opened ${opened ? `at ${round(until)}` : 'never'}`);
    return;
  }
  if (opened?.event.event_type === 'CircuitBreakerOpened')
    fail(`${toolName}: opened at ${round(until)} after ${row} failures in a row, but ${breaker.failureThreshold} are needed`);
}
