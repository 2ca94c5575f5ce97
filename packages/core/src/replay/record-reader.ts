/**
 * Owns reading a recording in step with its replay: which recorded event answers the next question about a call, and when it is to happen.
 *
 * Invariant: a task runs at the rank of the recorded event that it led to, so that what happened at one moment happens in the same order.
 */
import type { Agenda } from '../runtime/drivers/virtual/agenda.ts';
import type { CallRun } from '../runtime/drivers/host.ts';
import type { TimerHandle } from '../engine/ports/system.ts';
import type { TraceEvent, TraceEventBody, TraceEventType } from '../engine/trace/events.ts';
import type { Recording } from './recording.ts';

export type EventOf<Type extends TraceEventType> = Extract<TraceEvent, { readonly event_type: Type }>;

/** What an admission was answered with. */
export type AdmissionEvent = EventOf<'AttemptStarted' | 'CallRefused' | 'AdmissionWaiting'>;

const circuitChanges = ['CircuitBreakerOpened', 'CircuitBreakerHalfOpened', 'CircuitBreakerClosed'] as const;

/** A circuit that opened, an attempt beside it that was told to stop. */
const ledTo = ['LateResult', ...circuitChanges] as const;

type AttemptEventType = 'AttemptStarted' | 'ToolTimeout' | 'AttemptAbandoned' | 'ToolSucceeded' | 'ToolError' | 'LateResult';

/** Of times that are the same but for the arithmetic. */
const HAIR_MS = 1e-6;

const admissions = ['AttemptStarted', 'CallRefused', 'AdmissionWaiting'] as const;

export class RecordReader {
  readonly recording: Recording;
  readonly #agenda: Agenda;
  /** Per call and kind of question: the `seq` of the last recorded event that answered one. */
  readonly #used = new Map<string, number>();
  /** Per call: how many of its events the replay has told. */
  readonly #told = new Map<string, number>();

  constructor(recording: Recording, agenda: Agenda) {
    this.recording = recording;
    this.#agenda = agenda;
  }

  /** Runs a task when the event happened. */
  at(event: TraceEvent, task: () => void): TimerHandle {
    return this.#agenda.at(event.elapsed_ms, task, event.seq);
  }

  /** Runs a task when the attempt failed. An advisor who takes some time puts off the event that tells of it, not the failure. */
  atFailure(run: CallRun, error: EventOf<'ToolError'>, task: () => void): TimerHandle {
    const started = this.ofAttempt(run, error.attempt, ['AttemptStarted']);
    const failedAt = started === undefined ? error.elapsed_ms : started.elapsed_ms + error.duration_ms;
    if (failedAt > error.elapsed_ms - HAIR_MS) return this.at(error, task);
    const { events } = this.recording;
    const led = this.of(run, ledTo).find((event) => Math.abs(event.elapsed_ms - failedAt) < HAIR_MS && this.#isLedTo(run, event));
    if (led) return this.before(led, task);
    const after = events.find(({ elapsed_ms }) => elapsed_ms > failedAt + HAIR_MS) ?? error;
    return this.#agenda.at(failedAt, task, after.seq - 0.5);
  }

  /** Runs a task just before the event happened. */
  before(event: TraceEvent, task: () => void): TimerHandle {
    return this.#agenda.at(event.elapsed_ms, task, event.seq - 0.5);
  }

  /** Events of a call, oldest first. */
  of<Type extends TraceEventType>(run: CallRun, types: readonly Type[]): readonly EventOf<Type>[] {
    const events = this.recording.calls.get(run.state.spec.callKey) ?? [];
    return events.filter((event): event is EventOf<Type> => (types as readonly string[]).includes(event.event_type));
  }

  ofAttempt<Type extends AttemptEventType>(run: CallRun, attempt: number, types: readonly Type[]): EventOf<Type> | undefined {
    return this.of(run, types).find((event) => 'attempt' in event && event.attempt === attempt);
  }

  /** What a failure that itself is told nowhere led to before `until`. */
  ledToBy(run: CallRun, attempt: number, until: TraceEvent): TraceEvent | undefined {
    const told = this.of(run, ['AttemptStarted', 'ToolError']).filter(
      (event) => event.event_type === 'ToolError' || event.attempt === attempt,
    );
    const after = Math.max(...told.map(({ seq }) => seq));
    return this.of(run, ledTo).find((event) => event.seq > after && event.seq < until.seq && this.#isLedTo(run, event));
  }

  /** Of what a failure may lead to at its moment: work whose time was up was told to stop before. */
  #isLedTo(run: CallRun, event: EventOf<(typeof ledTo)[number]>): boolean {
    return event.event_type !== 'LateResult' || !this.ofAttempt(run, event.attempt, ['ToolTimeout']);
  }

  nextAdmission(run: CallRun): AdmissionEvent | undefined {
    return this.#next(run, admissions);
  }

  nextDecision(run: CallRun): EventOf<'RecoveryDecided'> | undefined {
    return this.#next(run, ['RecoveryDecided']);
  }

  /** The transition that the call brought about at this point of its record, if it did. */
  nextCircuitChange(run: CallRun): EventOf<(typeof circuitChanges)[number]> | undefined {
    const { callKey } = run.state.spec;
    const event = this.recording.calls.get(callKey)?.[this.#told.get(callKey) ?? 0];
    return event && isCircuitChange(event) ? event : undefined;
  }

  /** The replay has told an event. */
  tell(event: TraceEventBody): void {
    if ('call_id' in event && event.call_id !== undefined) this.#told.set(event.call_id, (this.#told.get(event.call_id) ?? 0) + 1);
  }

  /** The event has answered its question. */
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
