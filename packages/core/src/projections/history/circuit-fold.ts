/**
 * Owns the timelines of the circuits: the latest outcomes of each tool, and every change with the outcomes before it.
 *
 * Invariants
 * 1. The outcome that caused a change is among the change's samples and marked as counted, even when the trace reports the change first.
 * 2. A change may be returned before that outcome is known; it is returned again, under the same id, once it is.
 * 3. The circuits of partitions are no part of them.
 * 4. Bounded: a fixed number of samples for each tool, a fixed number of tools.
 */
import type { CircuitState } from '../../engine/breaker/types.ts';
import type { Mutable } from '../../engine/plain/mutable.ts';
import type { CircuitBreakerOpened, TraceEvent } from '../../engine/trace/events.ts';
import { BoundedMap, forgetOldest } from './bounded-map.ts';
import { type CircuitRule, causingSamples } from './circuit-cause.ts';
import type { CircuitChange, CircuitSample } from './records.ts';
import type { TrackedCall, RunningAttempt, TrackedEvent } from './open-turns.ts';

/** A change of a tool's circuit. */
export interface ToolCircuitChange {
  /** Name of the tool. */
  readonly toolName: string;
  /** The change, with the outcomes before it. */
  readonly change: CircuitChange;
  /** The circuit is that of a partition of calls: it is no part of the timeline of the tool's circuit. */
  readonly partition?: string;
}

/** A change whose causing outcome is not known yet. */
interface PendingChange {
  readonly change: Mutable<CircuitChange>;
  readonly turnId: string;
  readonly callId: string;
}

interface Circuit {
  state: CircuitState;
  /** Oldest first. */
  readonly samples: Mutable<CircuitSample>[];
  pending: PendingChange[];
}

export interface CircuitFoldOptions {
  /** The settings of a tool's circuit. */
  readonly ruleOf: (tool: string) => CircuitRule | undefined;
  readonly firstId: number;
  readonly maxTools: number;
  /** Maximum number of changes that wait for `take`. */
  readonly maxChanges: number;
  /** The last known change of each circuit. */
  readonly known: Iterable<ToolCircuitChange>;
}

const usuallyBefore = { CircuitBreakerOpened: 'closed', CircuitBreakerHalfOpened: 'open', CircuitBreakerClosed: 'half_open' } as const;
const samplesKept = 64;
/** Attempts that outlive their call. */
const maxLateAttempts = 1_000;
const maxTextLength = 500;

type CircuitEvent = Extract<TraceEvent, { event_type: 'CircuitBreakerOpened' | 'CircuitBreakerHalfOpened' | 'CircuitBreakerClosed' }>;
const stateAfter = { CircuitBreakerOpened: 'open', CircuitBreakerHalfOpened: 'half_open', CircuitBreakerClosed: 'closed' } as const;

export class CircuitFold {
  readonly #options: CircuitFoldOptions;
  readonly #circuits: BoundedMap<Circuit>;
  readonly #late = new BoundedMap<RunningAttempt>(maxLateAttempts);
  #changes = new Map<number, ToolCircuitChange>();
  #nextId: number;

  constructor(options: CircuitFoldOptions) {
    this.#options = options;
    this.#circuits = new BoundedMap(options.maxTools);
    this.#nextId = options.firstId;
    for (const { toolName: tool, change } of options.known) {
      const samples = change.samples.map((sample) => ({ ...sample, counted: false }));
      this.#circuits.set(tool, { state: change.to, samples, pending: [] });
    }
  }

  observe(seen: TrackedEvent): ToolCircuitChange | undefined {
    const { event, call } = seen;
    switch (event.event_type) {
      case 'ToolSucceeded':
        this.#sample(event, seen, { outcome: 'success', attempt: event.attempt, duration_ms: event.duration_ms });
        return undefined;
      case 'ToolError':
        if (event.attempt > 0) this.#recordFailure(event, seen);
        return undefined;
      case 'ToolTimeout':
        // The call was answered before, so no ToolError will follow.
        if (!call) this.#settleLate(event, seen, 'transient', event.timeout_ms);
        return undefined;
      case 'LateResult':
        if (!call) this.#settleLate(event, seen, event.result === 'late_success' ? 'success' : undefined, event.duration_ms);
        return undefined;
      case 'CallCompleted':
        if (call && event.code !== 'CANCELLED')
          for (const running of call.running.values()) this.#late.set(lateKey(event, running.number), running);
        return undefined;
      case 'CircuitBreakerOpened':
      case 'CircuitBreakerHalfOpened':
      case 'CircuitBreakerClosed':
        return this.#change(event, call);
      default:
        return undefined;
    }
  }

  /** Removes and returns the changes that are new or were completed since the last `take`. */
  take(): readonly ToolCircuitChange[] {
    const changes = [...this.#changes.values()];
    this.#changes = new Map();
    return changes;
  }

  /** The latest outcomes, oldest first. */
  samplesOf(tool: string): readonly CircuitSample[] {
    return (this.#circuits.get(tool)?.samples ?? []).map((sample) => ({ ...sample }));
  }

  #circuitOf(tool: string): Circuit {
    return this.#circuits.get(tool) ?? this.#circuits.touch(tool, () => ({ state: 'closed', samples: [], pending: [] }));
  }

  #recordFailure(event: Extract<TraceEvent, { event_type: 'ToolError' }>, seen: TrackedEvent): void {
    const { classification, attempt, duration_ms, code } = event;
    // A failure without evidence of its cause is not counted, unless the settings classify it as transient.
    const outcome = classification === 'permanent' && event.rule === 'unknown' ? 'neutral' : classification;
    const probe = seen.call?.running.get(attempt)?.probe === true;
    // Such a circuit counts only the last failure of a call.
    if (this.#options.ruleOf(event.tool_id)?.countsCalls === true && event.decision === 'retry' && outcome === 'transient' && !probe)
      return;
    this.#sample(event, seen, { outcome, attempt, duration_ms, code, error: event.error.slice(0, maxTextLength) });
  }

  #settleLate(
    event: Extract<TraceEvent, { event_type: 'ToolTimeout' | 'LateResult' }>,
    seen: TrackedEvent,
    outcome: CircuitSample['outcome'] | undefined,
    durationMs: number,
  ): void {
    const key = lateKey(event, event.attempt);
    const running = this.#late.get(key);
    if (!running) return;
    this.#late.delete(key);
    const hasPending = this.#circuits.get(event.tool_id)?.pending.some((pending) => belongsTo(pending, event)) === true;
    const result = { attempt: event.attempt, duration_ms: durationMs, code: outcome === 'success' ? undefined : 'LATE_FAILURE' };
    this.#sample(event, seen, { outcome: outcome ?? (hasPending ? 'transient' : 'neutral'), ...result }, running.probe);
  }

  #sample(
    event: TraceEvent & { readonly tool_id: string; readonly call_id: string; readonly attempt: number },
    { call }: TrackedEvent,
    result: Pick<CircuitSample, 'outcome' | 'attempt' | 'duration_ms'> & { readonly code?: string | undefined; readonly error?: string },
    probe: boolean = call?.running.get(event.attempt)?.probe === true,
  ): void {
    const circuit = this.#circuitOf(event.tool_id);
    const { code, ...rest } = result;
    const sample: Mutable<CircuitSample> = {
      at: event.timestamp,
      ...rest,
      ...(code === undefined ? {} : { code }),
      turn_id: event.turn_id,
      call_id: event.call_id,
      ...(probe ? { probe } : {}),
      counted: false,
    };
    circuit.samples.push(sample);
    if (circuit.samples.length > samplesKept) circuit.samples.shift();
    const place = circuit.pending.findIndex((pending) => belongsTo(pending, event));
    const [pending] = place < 0 ? [] : circuit.pending.splice(place, 1);
    if (!pending) return;
    this.#explain(event.tool_id, circuit, pending.change);
  }

  #change(event: CircuitEvent, call: TrackedCall | undefined): ToolCircuitChange {
    const { tool_id: tool, call_id, turn_id, reason, message, timestamp: at, partition } = event;
    const circuit = this.#circuitOf(tool);
    const change: Mutable<CircuitChange> = {
      id: this.#nextId,
      at,
      from: partition === undefined ? stateBefore(circuit.state, event.event_type) : usuallyBefore[event.event_type],
      to: stateAfter[event.event_type],
      reason,
      message,
      ...(event.event_type === 'CircuitBreakerOpened' ? openingOf(event) : {}),
      ...(call_id === undefined ? {} : { turn_id, call_id }),
      samples: [],
    };
    if (partition !== undefined) return { toolName: tool, change, partition };
    this.#nextId += 1;
    circuit.state = change.to;
    this.#explain(tool, circuit, change);
    if (call_id !== undefined && this.#isOutcomePending(event, call))
      circuit.pending = [...circuit.pending.slice(-7), { change, turnId: turn_id, callId: call_id }];
    return { toolName: tool, change };
  }

  /** Whether the outcome that caused the change is still to come: an attempt of the same call has not ended. */
  #isOutcomePending({ reason, tool_id, turn_id, call_id }: CircuitEvent, call: TrackedCall | undefined): boolean {
    if (reason === 'open_period_elapsed' || reason === 'manual' || reason === 'probe_lease_expired') return false;
    const running = call ? [...call.running.values()] : [];
    if (running.some(({ toolName: tool }) => tool === tool_id)) return true;
    const prefix = `${turn_id}\0${call_id}\0`;
    return [...this.#late.keys()].some((key) => key.startsWith(prefix));
  }

  #explain(tool: string, circuit: Circuit, change: Mutable<CircuitChange>): void {
    const counted = causingSamples(change, circuit.samples, this.#options.ruleOf(tool));
    change.samples = circuit.samples.map((sample) => ({ ...sample, counted: counted.has(sample) }));
    this.#changes.set(change.id, { toolName: tool, change: { ...change } });
    if (this.#changes.size > this.#options.maxChanges) forgetOldest(this.#changes);
  }
}

/** The known state, unless the change leads to that very state: then the circuit was replaced in the meantime. */
function stateBefore(known: CircuitState, type: CircuitEvent['event_type']): CircuitState {
  if (known !== stateAfter[type]) return known;
  return known === 'closed' ? 'open' : known === 'open' ? 'closed' : 'open';
}

function openingOf({ failure_count, open_for_ms }: CircuitBreakerOpened): Partial<CircuitChange> {
  return { failure_count, ...(open_for_ms === undefined ? {} : { open_for_ms }) };
}

const lateKey = ({ turn_id, call_id }: { readonly turn_id: string; readonly call_id: string }, attempt: number): string =>
  `${turn_id}\0${call_id}\0${attempt}`;

function belongsTo(
  { turnId, callId }: PendingChange,
  { turn_id, call_id }: { readonly turn_id: string; readonly call_id: string },
): boolean {
  return turnId === turn_id && callId === call_id;
}
