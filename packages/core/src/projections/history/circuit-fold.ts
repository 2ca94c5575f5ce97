/**
 * Owns the timelines of the circuits: the latest outcomes of each tool, and every change with what the circuit had seen before it.
 *
 * Invariants
 * 1. The outcome that made a circuit change is in the change's samples and is counted, also where the trace tells of the change first.
 * 2. A change may be handed out before that outcome is known; then it is handed out again, under the same id, when it is.
 * 3. Bounded: a fixed number of samples for each tool, a fixed number of tools.
 */
import type { CircuitState } from '../../engine/breaker/types.ts';
import type { Mutable } from '../../engine/plain/mutable.ts';
import type { CircuitBreakerOpened, TraceEvent } from '../../engine/trace/events.ts';
import { BoundedMap, forgetOldest } from './bounded-map.ts';
import { type CircuitRule, tippedBy } from './circuit-cause.ts';
import type { CircuitChange, CircuitSample } from './records.ts';
import type { CallTrack, RunningAttempt, Seen } from './open-turns.ts';

/** A change of a tool's circuit. */
export interface ToolCircuitChange {
  /** Name of the tool. */
  readonly tool: string;
  /** The change, with the outcomes before it. */
  readonly change: CircuitChange;
}

interface Waiting {
  readonly change: Mutable<CircuitChange>;
  readonly turnId: string;
  readonly callId: string;
}

interface Circuit {
  state: CircuitState;
  /** The oldest first. */
  readonly samples: Mutable<CircuitSample>[];
  /** Changes whose outcome is still to be told. */
  waiting: Waiting[];
}

export interface CircuitFoldOptions {
  /** What a tool's circuit goes by. */
  readonly ruleOf: (tool: string) => CircuitRule | undefined;
  readonly firstId: number;
  readonly mostTools: number;
  /** That wait to be taken. */
  readonly mostChanges: number;
  /** The last change of each circuit that was known before. */
  readonly known: Iterable<ToolCircuitChange>;
}

const samplesKept = 64;
/** Attempts that continue after their call was answered. */
const mostLate = 1_000;
const longestText = 500;

type CircuitEvent = Extract<TraceEvent, { event_type: 'CircuitBreakerOpened' | 'CircuitBreakerHalfOpened' | 'CircuitBreakerClosed' }>;
const stateAfter = { CircuitBreakerOpened: 'open', CircuitBreakerHalfOpened: 'half_open', CircuitBreakerClosed: 'closed' } as const;

export class CircuitFold {
  readonly #options: CircuitFoldOptions;
  readonly #circuits: BoundedMap<Circuit>;
  readonly #late = new BoundedMap<RunningAttempt>(mostLate);
  #changes = new Map<number, ToolCircuitChange>();
  #nextId: number;

  constructor(options: CircuitFoldOptions) {
    this.#options = options;
    this.#circuits = new BoundedMap(options.mostTools);
    this.#nextId = options.firstId;
    for (const { tool, change } of options.known) {
      const samples = change.samples.map((sample) => ({ ...sample, counted: false }));
      this.#circuits.set(tool, { state: change.to, samples, waiting: [] });
    }
  }

  observe(seen: Seen): ToolCircuitChange | undefined {
    const { event, call } = seen;
    switch (event.event_type) {
      case 'ToolSucceeded':
        this.#sample(event, seen, { outcome: 'success', attempt: event.attempt, duration_ms: event.duration_ms });
        return undefined;
      case 'ToolError':
        if (event.attempt > 0) this.#failed(event, seen);
        return undefined;
      case 'ToolTimeout':
        // Of a call that was answered before: no failure will be told.
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

  /** Changes that are new, or known better, since they were taken last. */
  take(): readonly ToolCircuitChange[] {
    const changes = [...this.#changes.values()];
    this.#changes = new Map();
    return changes;
  }

  /** The latest outcomes, the oldest first. */
  samplesOf(tool: string): readonly CircuitSample[] {
    return (this.#circuits.get(tool)?.samples ?? []).map((sample) => ({ ...sample }));
  }

  #circuitOf(tool: string): Circuit {
    return this.#circuits.get(tool) ?? this.#circuits.touch(tool, () => ({ state: 'closed', samples: [], waiting: [] }));
  }

  #failed(event: Extract<TraceEvent, { event_type: 'ToolError' }>, seen: Seen): void {
    const { classification: outcome, attempt, duration_ms, code } = event;
    const probe = seen.call?.running.get(attempt)?.probe === true;
    // Such a circuit hears of a call's last failure only.
    if (this.#options.ruleOf(event.tool_id)?.countsCalls === true && event.decision === 'retry' && outcome === 'transient' && !probe)
      return;
    this.#sample(event, seen, { outcome, attempt, duration_ms, code, error: event.error.slice(0, longestText) });
  }

  #settleLate(
    event: Extract<TraceEvent, { event_type: 'ToolTimeout' | 'LateResult' }>,
    seen: Seen,
    outcome: CircuitSample['outcome'] | undefined,
    durationMs: number,
  ): void {
    const key = lateKey(event, event.attempt);
    const running = this.#late.get(key);
    if (!running) return;
    this.#late.delete(key);
    const tipped = this.#circuits.get(event.tool_id)?.waiting.some((waiting) => isOf(waiting, event)) === true;
    const told = { attempt: event.attempt, duration_ms: durationMs, code: outcome === 'success' ? undefined : 'LATE_FAILURE' };
    this.#sample(event, seen, { outcome: outcome ?? (tipped ? 'transient' : 'neutral'), ...told }, running.probe);
  }

  #sample(
    event: TraceEvent & { readonly tool_id: string; readonly call_id: string; readonly attempt: number },
    { call }: Seen,
    told: Pick<CircuitSample, 'outcome' | 'attempt' | 'duration_ms'> & { readonly code?: string | undefined; readonly error?: string },
    probe: boolean = call?.running.get(event.attempt)?.probe === true,
  ): void {
    const circuit = this.#circuitOf(event.tool_id);
    const { code, ...rest } = told;
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
    const place = circuit.waiting.findIndex((waiting) => isOf(waiting, event));
    const [waiting] = place < 0 ? [] : circuit.waiting.splice(place, 1);
    if (!waiting) return;
    this.#explain(event.tool_id, circuit, waiting.change);
  }

  #change(event: CircuitEvent, call: CallTrack | undefined): ToolCircuitChange {
    const { tool_id: tool, call_id, turn_id, reason, message, timestamp: at } = event;
    const circuit = this.#circuitOf(tool);
    const change: Mutable<CircuitChange> = {
      id: this.#nextId,
      at,
      from: stateBefore(circuit.state, event.event_type),
      to: stateAfter[event.event_type],
      reason,
      message,
      ...(event.event_type === 'CircuitBreakerOpened' ? openingOf(event) : {}),
      ...(call_id === undefined ? {} : { turn_id, call_id }),
      samples: [],
    };
    this.#nextId += 1;
    circuit.state = change.to;
    this.#explain(tool, circuit, change);
    if (call_id !== undefined && this.#isToCome(event, call))
      circuit.waiting = [...circuit.waiting.slice(-7), { change, turnId: turn_id, callId: call_id }];
    return { tool, change };
  }

  /** Whether the outcome that made the change will still be told: an attempt of the same call has not ended. */
  #isToCome({ reason, tool_id, turn_id, call_id }: CircuitEvent, call: CallTrack | undefined): boolean {
    if (reason === 'open_period_elapsed' || reason === 'manual' || reason === 'probe_lease_expired') return false;
    const running = call ? [...call.running.values()] : [];
    if (running.some(({ tool }) => tool === tool_id)) return true;
    const prefix = `${turn_id}\0${call_id}\0`;
    return [...this.#late.keys()].some((key) => key.startsWith(prefix));
  }

  #explain(tool: string, circuit: Circuit, change: Mutable<CircuitChange>): void {
    const counted = tippedBy(change, circuit.samples, this.#options.ruleOf(tool));
    change.samples = circuit.samples.map((sample) => ({ ...sample, counted: counted.has(sample) }));
    this.#changes.set(change.id, { tool, change: { ...change } });
    if (this.#changes.size > this.#options.mostChanges) forgetOldest(this.#changes);
  }
}

/** A circuit that was begun anew is not what was known of it. */
function stateBefore(known: CircuitState, type: CircuitEvent['event_type']): CircuitState {
  if (known !== stateAfter[type]) return known;
  return known === 'closed' ? 'open' : known === 'open' ? 'closed' : 'open';
}

function openingOf({ failure_count, open_for_ms }: CircuitBreakerOpened): Partial<CircuitChange> {
  return { failure_count, ...(open_for_ms === undefined ? {} : { open_for_ms }) };
}

const lateKey = ({ turn_id, call_id }: { readonly turn_id: string; readonly call_id: string }, attempt: number): string =>
  `${turn_id}\0${call_id}\0${attempt}`;

function isOf({ turnId, callId }: Waiting, { turn_id, call_id }: { readonly turn_id: string; readonly call_id: string }): boolean {
  return turnId === turn_id && callId === call_id;
}
