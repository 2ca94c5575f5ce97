/**
 * Owns the effect of a message on a circuit that a fleet shares, with all its rules. A coordinator only loads the state, steps it and saves it, sequentially for each
 * tool.
 *
 * 1. At most one probe is active, and only its holder, within its lease, closes the circuit or reports that the probe failed. An operator may close it at any time,
 *    and a server's `Retry-After` extends an open period.
 * 2. Every change begins a new generation. Generations never decrease: a coordinator that has lost its state continues after the highest reported one.
 * 3. A worker that does not know the latest closing cannot open the circuit, since its report is about the time before.
 * 4. A probe whose lease is over is lost: the next worker that requests one gets it, and a late answer has no effect.
 * 5. Time is an argument, and never decreases. The state is plain JSON.
 */
import { checkRule, checkShape, type Fields } from '../../engine/settings/check.ts';
import type { FleetCircuitSettings } from './fleet-settings.ts';
import { fleetCircuitDefaults } from './fleet-settings.ts';
import { atTime, fleetCircuitAt, liveProbe, newFleetCircuit, probeFreeAt, type FleetCircuitState } from './fleet-state.ts';
import { activeMembers, isRepeated, quorumOf, withClosedVotes, withReport } from './members.ts';
import type { CircuitReport, FleetCause, FleetCircuit, ProbeAnswer, ProbeEnd, ProbeRequest } from './shared-circuits.ts';

/** A message of a worker or an operator about one tool, as `SharedCircuits` receives it. */
export type FleetCircuitMessage =
  | ({ readonly type: 'report' } & CircuitReport)
  | ({ readonly type: 'acquire_probe' } & ProbeRequest)
  | ({ readonly type: 'probe_ended' } & ProbeEnd)
  | { readonly type: 'reset'; readonly toolName: string; readonly worker: string };

/** Result of a message. */
export interface FleetCircuitStep {
  /** The state to save. */
  readonly state: FleetCircuitState;
  /** The circuit after the message, to answer with. */
  readonly circuit: FleetCircuit;
  /** The answer to `acquire_probe`. */
  readonly probe?: ProbeAnswer;
}

const messageFields: Fields = {
  type: ['report', 'acquire_probe', 'probe_ended', 'reset'] satisfies readonly FleetCircuitMessage['type'][],
  toolName: 'string',
};
const stateFields: Fields = { state: 'string', generation: 'number' };

/**
 * Returns the state of a circuit after a message, and the answer to it. A pure function: a coordinator loads the state, steps it and saves it.
 * @param state the saved state; `undefined` for a new tool
 */
export function stepFleetCircuit(
  state: FleetCircuitState | undefined,
  message: FleetCircuitMessage,
  nowEpochMs: number,
  settings: FleetCircuitSettings = fleetCircuitDefaults,
): FleetCircuitStep {
  checkShape(messageFields, message, 'stepFleetCircuit: message');
  checkRule('number', nowEpochMs, 'stepFleetCircuit: nowEpochMs');
  if (state !== undefined) checkShape(stateFields, state, 'stepFleetCircuit: state');
  checkShape({ openMs: 'number', minRetryAfterMs: 'number' }, settings, 'stepFleetCircuit: settings');
  const before = atTime(state ?? newFleetCircuit(nowEpochMs), nowEpochMs);
  if (message.type === 'acquire_probe') return acquire(before, message, settings);
  const after = apply(before, message, settings);
  return { state: after, circuit: fleetCircuitAt(message.toolName, after, after.at) };
}

function apply(
  state: FleetCircuitState,
  message: Exclude<FleetCircuitMessage, { readonly type: 'acquire_probe' }>,
  settings: FleetCircuitSettings,
): FleetCircuitState {
  if (message.type === 'report') return applyReport(state, message, settings);
  return message.type === 'reset' ? close(state, 'reset', message.worker) : endProbe(state, message, settings);
}

function applyReport(state: FleetCircuitState, report: CircuitReport, settings: FleetCircuitSettings): FleetCircuitState {
  const { at } = state;
  const members = activeMembers(state.members, at, settings);
  const generation = Math.max(state.generation, wholeNumber(report.generation));
  if (isRepeated(members, report)) return { ...state, generation, members };
  const knowsClosing = report.generation >= state.closedGeneration;
  const counts = knowsClosing && report.state === 'open' && state.state === 'closed';
  const openUntil = counts ? at + duration(report.openForMs, settings.openMs) : undefined;
  const updated: FleetCircuitState = { ...state, generation, members: withReport(members, report, openUntil, at) };
  const retryAfterMs = knowsClosing ? duration(report.retryAfterMs, 0) : 0;
  if (retryAfterMs > 0 && retryAfterMs >= settings.minRetryAfterMs) return applyRetryAfter(updated, at + retryAfterMs, report.worker);
  const quorum = updated.state === 'closed' ? quorumOf(updated.members, at, settings) : undefined;
  if (!quorum) return updated;
  const latest = Math.max(...quorum.map((member) => member.openUntil));
  return open(
    updated,
    latest,
    'quorum',
    quorum.map(({ worker }) => worker),
  );
}

/** A server's Retry-After needs no quorum. */
function applyRetryAfter(state: FleetCircuitState, until: number, worker: string): FleetCircuitState {
  if (state.state === 'open' && until <= state.openUntil) return state;
  // A running probe continues: its request is later than the one that got the Retry-After.
  return liveProbe(state, state.at) ? { ...state, openUntil: until } : open(state, until, 'retry_after', [worker]);
}

function acquire(state: FleetCircuitState, request: ProbeRequest, settings: FleetCircuitSettings): FleetCircuitStep {
  const { toolName: tool, worker } = request;
  const { at } = state;
  const circuit = fleetCircuitAt(tool, state, at);
  if (state.state === 'closed') return { state, circuit, probe: { kind: 'closed', circuit } };
  const freeAt = probeFreeAt(state, at);
  if (at < freeAt) return { state, circuit, probe: { kind: 'refused', retryAfterMs: Math.max(1, Math.ceil(freeAt - at)), circuit } };
  const leaseMs = Math.min(duration(request.leaseMs, settings.openMs), settings.maxLeaseMs);
  const generation = state.generation + 1;
  const token = `${String(generation)}-${at.toString(36)}-${worker}`;
  const granted: FleetCircuitState = { ...state, generation, probe: { token, worker, leaseUntil: at + leaseMs } };
  return { state: granted, circuit: fleetCircuitAt(tool, granted, at), probe: { kind: 'granted', token, leaseMs } };
}

function endProbe(state: FleetCircuitState, end: ProbeEnd, settings: FleetCircuitSettings): FleetCircuitState {
  const { at } = state;
  const probe = liveProbe(state, at);
  if (probe === undefined || probe.token !== end.token) return state;
  if (end.outcome === 'success') return close(state, 'probe_succeeded', probe.worker);
  const { probe: _ended, ...rest } = state;
  if (end.outcome === 'neutral') return { ...rest, generation: state.generation + 1 };
  return open(rest, Math.max(state.openUntil, at + duration(end.openForMs, settings.openMs)), 'probe_failed', [probe.worker]);
}

function open(state: FleetCircuitState, openUntil: number, cause: FleetCause, workers: readonly string[]): FleetCircuitState {
  const { probe: _lost, ...rest } = state;
  const by = workers.toSorted().slice(0, 8);
  return { ...rest, state: 'open', generation: state.generation + 1, openUntil, cause, by };
}

function close(state: FleetCircuitState, cause: FleetCause, worker: string): FleetCircuitState {
  const { at, members } = state;
  const generation = state.generation + 1;
  return {
    version: 1,
    at,
    state: 'closed',
    generation,
    closedGeneration: generation,
    openUntil: 0,
    cause,
    by: [worker],
    members: withClosedVotes(members),
  };
}

/** Numbers from another process are not trusted. */
function duration(value: number | undefined, otherwise: number): number {
  return value !== undefined && value > 0 && value < Number.MAX_SAFE_INTEGER / 2 ? value : otherwise;
}

function wholeNumber(value: number): number {
  return Number.isSafeInteger(value) ? value : 0;
}
