/**
 * Owns what a message changes in the circuit that a fleet shares: all there is to decide. A keeper loads the state, steps it and saves it, one message about a
 * tool after the other; it knows no rule.
 *
 * 1. At most one probe is live, and only its holder, within its lease, closes the circuit or says that the probe failed. A person may close it at any time, and
 *    what a server says of `Retry-After` makes an open period longer.
 * 2. Every change begins a new generation; generations never fall, also when a keeper has lost its state: it continues behind the highest it hears of.
 * 3. Who has not heard of the latest closing opens nothing: it speaks of what was before.
 * 4. A probe whose lease is over is lost: the next one that asks is given it, and the late answer moves nothing.
 * 5. Time is an argument, and never runs backwards. The state is plain JSON.
 */
import type { FleetCircuitSettings } from './fleet-settings.ts';
import { fleetCircuitDefaults } from './fleet-settings.ts';
import { atTime, fleetCircuitAt, liveProbe, newFleetCircuit, probeFreeAt, type FleetCircuitState } from './fleet-state.ts';
import { cleared, heard, isRepeated, living, quorumOf } from './members.ts';
import type { CircuitReport, FleetCause, FleetCircuit, ProbeAnswer, ProbeEnd, ProbeRequest } from './shared-circuits.ts';

/** A message of a worker or an operator about one tool, as `SharedCircuits` receives it. */
export type FleetCircuitMessage =
  | ({ readonly type: 'report' } & CircuitReport)
  | ({ readonly type: 'acquire_probe' } & ProbeRequest)
  | ({ readonly type: 'probe_ended' } & ProbeEnd)
  | { readonly type: 'reset'; readonly tool: string; readonly worker: string };

/** What a message led to. */
export interface FleetCircuitStep {
  /** The state to save. */
  readonly state: FleetCircuitState;
  /** The circuit after the message, to answer with. */
  readonly circuit: FleetCircuit;
  /** The answer to `acquire_probe`. */
  readonly probe?: ProbeAnswer;
}

/**
 * Returns the state of a circuit after a message, and the answer to it. A pure function: a keeper loads the state, steps it and saves it.
 * @param state as it was saved; `undefined` when nothing is known of the tool
 */
export function stepFleetCircuit(
  state: FleetCircuitState | undefined,
  message: FleetCircuitMessage,
  nowEpochMs: number,
  settings: FleetCircuitSettings = fleetCircuitDefaults,
): FleetCircuitStep {
  const before = atTime(state ?? newFleetCircuit(nowEpochMs), nowEpochMs);
  if (message.type === 'acquire_probe') return acquire(before, message, settings);
  const after = apply(before, message, settings);
  return { state: after, circuit: fleetCircuitAt(message.tool, after, after.at) };
}

function apply(
  state: FleetCircuitState,
  message: Exclude<FleetCircuitMessage, { readonly type: 'acquire_probe' }>,
  settings: FleetCircuitSettings,
): FleetCircuitState {
  if (message.type === 'report') return hear(state, message, settings);
  return message.type === 'reset' ? close(state, 'reset', message.worker) : endProbe(state, message, settings);
}

function hear(state: FleetCircuitState, report: CircuitReport, settings: FleetCircuitSettings): FleetCircuitState {
  const { at } = state;
  const members = living(state.members, at, settings);
  const generation = Math.max(state.generation, wholeNumber(report.generation));
  if (isRepeated(members, report)) return { ...state, generation, members };
  const knowsOfClosing = report.generation >= state.closedGeneration;
  const counts = knowsOfClosing && report.state === 'open' && state.state === 'closed';
  const openUntil = counts ? at + duration(report.openForMs, settings.openMs) : undefined;
  const told: FleetCircuitState = { ...state, generation, members: heard(members, report, openUntil, at) };
  const retryAfterMs = knowsOfClosing ? duration(report.retryAfterMs, 0) : 0;
  if (retryAfterMs > 0 && retryAfterMs >= settings.leastRetryAfterMs) return stayAway(told, at + retryAfterMs, report.worker);
  const quorum = told.state === 'closed' ? quorumOf(told.members, at, settings) : undefined;
  if (!quorum) return told;
  const latest = Math.max(...quorum.map((member) => member.openUntil));
  return open(
    told,
    latest,
    'quorum',
    quorum.map(({ worker }) => worker),
  );
}

/** A server's own word needs no quorum. */
function stayAway(state: FleetCircuitState, until: number, worker: string): FleetCircuitState {
  if (state.state === 'open' && until <= state.openUntil) return state;
  // The probe that is out continues: it asked the server later than the one who was told to stay away.
  return liveProbe(state, state.at) ? { ...state, openUntil: until } : open(state, until, 'retry_after', [worker]);
}

function acquire(state: FleetCircuitState, request: ProbeRequest, settings: FleetCircuitSettings): FleetCircuitStep {
  const { tool, worker } = request;
  const { at } = state;
  const circuit = fleetCircuitAt(tool, state, at);
  if (state.state === 'closed') return { state, circuit, probe: { kind: 'closed', circuit } };
  const freeAt = probeFreeAt(state, at);
  if (at < freeAt) return { state, circuit, probe: { kind: 'refused', retryAfterMs: Math.max(1, Math.ceil(freeAt - at)), circuit } };
  const leaseMs = Math.min(duration(request.leaseMs, settings.openMs), settings.longestLeaseMs);
  const generation = state.generation + 1;
  const token = `${String(generation)}-${at.toString(36)}-${worker}`;
  const given: FleetCircuitState = { ...state, generation, probe: { token, worker, leaseUntil: at + leaseMs } };
  return { state: given, circuit: fleetCircuitAt(tool, given, at), probe: { kind: 'granted', token, leaseMs } };
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
    members: cleared(members),
  };
}

/** What another process sent may be anything. */
function duration(value: number | undefined, otherwise: number): number {
  return value !== undefined && value > 0 && value < Number.MAX_SAFE_INTEGER / 2 ? value : otherwise;
}

function wholeNumber(value: number): number {
  return Number.isSafeInteger(value) ? value : 0;
}
