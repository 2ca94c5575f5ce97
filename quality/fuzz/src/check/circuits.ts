/** Owns the promises about circuits, from what the tools saw and what the trace says of transitions: nothing passes while open, one probe at a time, opened for a reason. */
import type { CircuitBreakerSettings, TraceEvent } from '@holdfast/core';
import type { SeenEvent, Work } from '../play/observation.ts';
import type { Case } from './case.ts';
import { HAIR_MS, judge, round, describeWork } from './case.ts';

type Transition = Extract<TraceEvent, { readonly event_type: `CircuitBreaker${string}` }>;
type SeenTransition = SeenEvent & { readonly event: Transition };

export function checkCircuits(one: Case): void {
  const { play } = one;
  const controlled = new Set(play.scene.commands.map(({ toolName }) => toolName));
  for (const [toolName, { breaker }] of Object.entries(play.settings)) {
    if (breaker === false || controlled.has(toolName)) continue;
    const processes = new Set(play.works.map(({ process }) => process));
    for (const process of processes) checkCircuit(one, toolName, process, breaker);
  }
}

function checkCircuit({ play, turns, say }: Case, toolName: string, process: number, breaker: CircuitBreakerSettings): void {
  const works = play.works.filter((work) => work.toolName === toolName && work.process === process);
  const transitions = play.events.filter((seen): seen is SeenTransition => isTransition(seen, toolName, process));
  const probes = probesOf(play.events, toolName, process);
  for (const [index, { event, at, order }] of transitions.entries()) {
    const next = transitions[index + 1];
    const within = works.filter(
      (work) => work.order > order && work.order < (next?.order ?? Number.POSITIVE_INFINITY) && work.beganAt > at + HAIR_MS,
    );
    if (event.event_type === 'CircuitBreakerOpened') {
      for (const work of within) say(`${describeWork(work)}: while the circuit is open since ${round(at)}`);
      const until = openUntil(event, at, breaker);
      // A probe that takes longer than the next one waits, and succeeds, closes what was opened when it was looked at, or when the next one failed.
      if (next?.event.reason === 'probe_succeeded' && (event.reason === 'probe_lease_expired' || (breaker.probes ?? 1) > 1)) continue;
      if (next && next.at < until - 1 && event.reason !== 'manual')
        say(`${toolName}: open from ${round(at)} until ${round(next.at)}, to be open until ${round(until)}`);
    }
    if (event.event_type === 'CircuitBreakerHalfOpened') checkProbes(turns, within, { toolName, probes, breaker, say });
  }
  const killedAt = play.scene.killAtMs ?? Number.POSITIVE_INFINITY;
  checkOpenings(play.scene.profile === 'adaptive' ? [] : transitions, works, { toolName, breaker, say, turns, killedAt });
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

function openUntil(event: Transition, at: number, { openMs, openGrowth = 1 }: CircuitBreakerSettings): number {
  const said = event.event_type === 'CircuitBreakerOpened' ? event.open_for_ms : undefined;
  // A lease that ran out before anybody looked: part of the time has passed.
  return event.reason === 'probe_lease_expired' || openGrowth > 1 ? at + (said ?? 0) : at + Math.max(openMs, said ?? 0);
}

interface ProbeCheck {
  readonly toolName: string;
  readonly probes: ReadonlySet<string>;
  readonly breaker: CircuitBreakerSettings;
  readonly say: Case['say'];
}

/** While half-open there is one probe out, and nothing beside it. */
function checkProbes(turns: Case['turns'], within: readonly Work[], { probes, breaker, say }: ProbeCheck): void {
  const most = breaker.probes ?? 1;
  for (const [index, work] of within.entries()) {
    if (!probes.has(`${work.turnId} ${work.callId} ${work.attempt}`))
      say(`${describeWork(work)}: no probe, while the circuit is half-open`);
    const out = within.slice(0, index).filter((earlier) => verdictAt(turns, earlier) > work.beganAt + HAIR_MS);
    if (out.length >= most) say(`${describeWork(work)}: beside ${out.length} probes where ${most} may be out`);
  }
}

/** When a probe has told what it can tell. */
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
  readonly say: Case['say'];
  readonly turns: Case['turns'];
  /** The end of the first process. */
  readonly killedAt: number;
}

/** It opens when so many attempts in a row have failed, not before and not later: counted again from what the tools know. */
function checkOpenings(
  transitions: readonly SeenTransition[],
  works: readonly Work[],
  { toolName, breaker, say, turns, killedAt }: OpeningCheck,
): void {
  if (breaker.count !== 'attempt' || breaker.rate !== undefined || breaker.falseAlarmRate !== undefined) return;
  const [opened] = transitions;
  const until = opened?.at ?? Number.POSITIVE_INFINITY;
  const told = works
    .flatMap((work) => {
      const call = turns
        .flatMap(({ calls, played }) => (played.turn.turnId === work.turnId ? calls : []))
        .find(({ call: { callId } }) => callId === work.callId);
      if (!call) return [];
      const judged = judge(work, call.settingsOf(toolName));
      // A killed process hears nothing any more, nor of what a turn has left running.
      const isHeard = call.result && !(work.process === 1 && judged.at > killedAt);
      return isHeard ? [judged] : [{ ...judged, verdict: 'open' as const }];
    })
    .toSorted((a, b) => a.at - b.at);
  if (told.some(({ verdict, at }, index) => verdict === 'open' || Math.abs(at - (told[index + 1]?.at ?? -1)) < HAIR_MS)) return;
  let row = 0;
  for (const { verdict, at } of told) {
    if (verdict === 'aborted') continue;
    row = verdict === 'transient' || verdict === 'timeout' ? row + 1 : 0;
    if (row < breaker.failureThreshold) continue;
    if (Math.abs(at - until) > HAIR_MS)
      say(`${toolName}: ${row} failures in a row at ${round(at)}, opened ${opened ? `at ${round(until)}` : 'never'}`);
    return;
  }
  if (opened?.event.event_type === 'CircuitBreakerOpened')
    say(`${toolName}: opened at ${round(until)} after ${row} failures in a row, where ${breaker.failureThreshold} are needed`);
}
