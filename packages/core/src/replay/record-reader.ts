/**
 * Owns reading a recording during its replay: which recorded event answers the next request of a call, and when it happens.
 *
 * Invariant: a task runs at the rank of the recorded event that it caused, so that simultaneous events happen in the same order.
 */
import type { Agenda } from '../runtime/drivers/virtual/agenda.ts';
import type { CallRun } from '../runtime/drivers/host.ts';
import type { TimerHandle } from '../engine/ports/system.ts';
import type { TraceEvent, TraceEventBody, TraceEventType } from '../engine/trace/events.ts';
import type { Recording } from './recording.ts';

export type EventOf<Type extends TraceEventType> = Extract<TraceEvent, { readonly event_type: Type }>;

/** An event that answers a request for admission. */
export type AdmissionEvent = EventOf<'AttemptStarted' | 'CallRefused' | 'AdmissionWaiting'>;

const circuitChanges = ['CircuitBreakerOpened', 'CircuitBreakerHalfOpened', 'CircuitBreakerClosed'] as const;

/** What a failure may cause: a circuit opens, or a concurrent attempt is aborted. */
const consequences = ['LateResult', ...circuitChanges] as const;

type AttemptEventType = 'AttemptStarted' | 'ToolTimeout' | 'AttemptAbandoned' | 'ToolSucceeded' | 'ToolError' | 'LateResult';

/** Tolerance for times that differ only by rounding. */
const EPSILON_MS = 1e-6;

const admissions = ['AttemptStarted', 'CallRefused', 'AdmissionWaiting'] as const;

export class RecordReader {
  readonly recording: Recording;
  readonly #agenda: Agenda;
  /** `seq` of the last recorded event that answered a request, per call and kind of request. */
  readonly #used = new Map<string, number>();
  /** Number of replayed events per call. */
  readonly #replayed = new Map<string, number>();

  constructor(recording: Recording, agenda: Agenda) {
    this.recording = recording;
    this.#agenda = agenda;
  }

  /** Schedules a task at the time of an event. */
  at(event: TraceEvent, task: () => void): TimerHandle {
    return this.#agenda.at(event.elapsed_ms, task, event.seq);
  }

  /** Schedules a task at the failure of an attempt. A slow advisor delays the event of a failure, not the failure itself. */
  atFailure(run: CallRun, error: EventOf<'ToolError'>, task: () => void): TimerHandle {
    const started = this.findAttemptEvent(run, error.attempt, ['AttemptStarted']);
    const failedAt = started === undefined ? error.elapsed_ms : started.elapsed_ms + error.duration_ms;
    if (failedAt > error.elapsed_ms - EPSILON_MS) return this.at(error, task);
    const { events } = this.recording;
    const consequence = this.of(run, consequences).find(
      (event) => Math.abs(event.elapsed_ms - failedAt) < EPSILON_MS && this.#mayBeConsequence(run, event),
    );
    if (consequence) return this.before(consequence, task);
    const after = events.find(({ elapsed_ms }) => elapsed_ms > failedAt + EPSILON_MS) ?? error;
    return this.#agenda.at(failedAt, task, after.seq - 0.5);
  }

  /** Schedules a task just before an event. */
  before(event: TraceEvent, task: () => void): TimerHandle {
    return this.#agenda.at(event.elapsed_ms, task, event.seq - 0.5);
  }

  /** Returns the events of a call of some types, oldest first. */
  of<Type extends TraceEventType>(run: CallRun, types: readonly Type[]): readonly EventOf<Type>[] {
    const events = this.recording.calls.get(run.state.spec.callKey) ?? [];
    return events.filter((event): event is EventOf<Type> => (types as readonly string[]).includes(event.event_type));
  }

  findAttemptEvent<Type extends AttemptEventType>(run: CallRun, attempt: number, types: readonly Type[]): EventOf<Type> | undefined {
    return this.of(run, types).find((event) => 'attempt' in event && event.attempt === attempt);
  }

  /** Returns the first consequence before `until` of a failure that has no event. */
  consequenceOf(run: CallRun, attempt: number, until: TraceEvent): TraceEvent | undefined {
    const earlier = this.of(run, ['AttemptStarted', 'ToolError']).filter(
      (event) => event.event_type === 'ToolError' || event.attempt === attempt,
    );
    const after = Math.max(...earlier.map(({ seq }) => seq));
    return this.of(run, consequences).find((event) => event.seq > after && event.seq < until.seq && this.#mayBeConsequence(run, event));
  }

  /** Whether an event can be the consequence of a failure; work that timed out was aborted earlier. */
  #mayBeConsequence(run: CallRun, event: EventOf<(typeof consequences)[number]>): boolean {
    return event.event_type !== 'LateResult' || !this.findAttemptEvent(run, event.attempt, ['ToolTimeout']);
  }

  nextAdmission(run: CallRun): AdmissionEvent | undefined {
    return this.#next(run, admissions);
  }

  nextDecision(run: CallRun): EventOf<'RecoveryDecided'> | undefined {
    return this.#next(run, ['RecoveryDecided']);
  }

  /** Returns the circuit transition that the call caused at this point of its record, if any. */
  nextCircuitChange(run: CallRun): EventOf<(typeof circuitChanges)[number]> | undefined {
    const { callKey } = run.state.spec;
    const event = this.recording.calls.get(callKey)?.[this.#replayed.get(callKey) ?? 0];
    return event && isCircuitChange(event) ? event : undefined;
  }

  /** Counts an event of the replay. */
  countReplayed(event: TraceEventBody): void {
    if ('call_id' in event && event.call_id !== undefined) this.#replayed.set(event.call_id, (this.#replayed.get(event.call_id) ?? 0) + 1);
  }

  /** Marks an event as used, so that the next request gets the next event. */
  use(run: CallRun, event: AdmissionEvent | EventOf<'RecoveryDecided'>): void {
    this.#used.set(key(run, event.event_type === 'RecoveryDecided' ? 'RecoveryDecided' : admissions[0]), event.seq);
  }

  #next<Type extends TraceEventType>(run: CallRun, types: readonly [Type, ...Type[]]): EventOf<Type> | undefined {
    const after = this.#last(run, types[0]);
    return this.of(run, types).find(({ seq }) => seq > after);
  }

  #last(run: CallRun, kind: TraceEventType): number {
    return this.#used.get(key(run, kind)) ?? 0;
  }
}

function isCircuitChange(event: TraceEvent): event is EventOf<(typeof circuitChanges)[number]> {
  return event.event_type.startsWith('CircuitBreaker');
}

function key(run: CallRun, kind: TraceEventType): string {
  return `${kind} ${run.state.spec.callKey}`;
}
