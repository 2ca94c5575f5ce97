/**
 * Owns the host of an exact replay: external input (admissions, outcomes, timers, evidence) is taken from the record, at the recorded time; the results of the
 * machines and of `decide` are computed again.
 */
import { deadlineFault } from '../engine/call/fault.ts';
import type { Outcome } from '../engine/call/protocol.ts';
import type { CallRun, Effect, Feed, Host, TimerPurpose } from '../runtime/drivers/host.ts';
import type { Agenda } from '../runtime/drivers/virtual/agenda.ts';
import type { TimerHandle } from '../engine/ports/system.ts';
import { decide } from '../engine/recover/decide.ts';
import { readDecision, readInputs, recordDecision } from '../engine/recover/decision-record.ts';
import type { DecisionInputs } from '../engine/recover/decision.ts';
import type { RecordedDecision } from '../engine/trace/events.ts';
import type { ErrorHandler, FailureNotice } from '../engine/recover/error-handler.ts';
import type { TraceEvent, TraceEventBody } from '../engine/trace/events.ts';
import type { Trace } from '../engine/trace/turn-trace.ts';
import type { EventOf } from './record-reader.ts';
import { RecordReader } from './record-reader.ts';
import { RecordedGates } from './recorded-gates.ts';
import { undecidedOutcome, lateOutcome, recordedFault, recordedOutcome } from './recorded-outcome.ts';
import type { Recording } from './recording.ts';

export class RecordedHost implements Host {
  readonly gates: RecordedGates;
  /** Every recorded decision with the decision that is now computed from the same inputs. */
  readonly recomputed: { readonly event: EventOf<'RecoveryDecided'>; readonly decision: RecordedDecision }[] = [];
  readonly #reader: RecordReader;
  readonly #agenda: Agenda;
  readonly #handler: ErrorHandler;
  readonly #replayed: TraceEventBody[] = [];

  constructor(recording: Recording, agenda: Agenda, handler: ErrorHandler) {
    this.#reader = new RecordReader(recording, agenda);
    this.gates = new RecordedGates(this.#reader, this);
    this.#agenda = agenda;
    this.#handler = handler;
  }

  /** The replayed events so far. */
  get replayed(): readonly TraceEventBody[] {
    return this.#replayed;
  }

  now(): number {
    return this.#agenda.now();
  }

  get moment(): number {
    return this.now();
  }

  append(trace: Trace, event: TraceEventBody): void {
    this.#reader.countReplayed(event);
    this.#replayed.push(event);
    trace.append(event, this.now());
  }

  crashed(error: unknown): void {
    throw error;
  }

  setTimer(_delayMs: number, fire: () => void, purpose: TimerPurpose): TimerHandle {
    const event = this.#eventOfTimer(purpose);
    return event ? this.#reader.at(event, fire) : { dueAt: Number.POSITIVE_INFINITY };
  }

  #eventOfTimer({ run, timer, attempt }: TimerPurpose): TraceEvent | undefined {
    const { stop } = this.#reader.recording;
    switch (timer) {
      case 'deadline':
        return stop?.fault ? undefined : stop?.event;
      case 'attempt':
      case 'idle': {
        const event = run && this.#reader.findAttemptEvent(run, attempt, ['ToolTimeout']);
        return (event?.idle === true) === (timer === 'idle') ? event : undefined;
      }
      case 'abandon':
        return run && this.#reader.findAttemptEvent(run, attempt, ['AttemptAbandoned']);
      case 'hedge':
        return run && this.#reader.of(run, ['AttemptStarted']).find((event) => event.hedge === true && event.attempt > attempt);
      case 'backoff':
        return run && this.#reader.nextAdmission(run);
    }
  }

  clearTimer(handle: TimerHandle): void {
    if (Number.isFinite(handle.dueAt)) this.#agenda.cancel(handle);
  }

  /** Prepares at the time of the next event, since a schema may be slow. The call may have ended before. */
  prepare(run: CallRun, { toolName }: Effect<'prepare'>, feed: Feed): void {
    const rejected = this.#reader.of(run, ['ToolError']).find((event) => event.attempt === 0 && event.tool_id === toolName);
    if (rejected) return void this.#reader.at(rejected, () => feed(run, { type: 'prepared', fault: recordedFault(rejected) }));
    const admission = this.#reader.nextAdmission(run);
    if (admission) this.#reader.at(admission, () => feed(run, { type: 'prepared' }));
  }

  startAttempt(run: CallRun, { attempt }: Effect<'start_attempt'>, feed: Feed): void {
    const settle = (outcome: Outcome) => (): void => feed(run, { type: 'attempt_settled', attempt, outcome });
    for (const event of this.#reader.of(run, ['ToolProgress']))
      if (event.attempt === attempt) this.#reader.at(event, () => this.#report(run, event, feed));
    const ended = this.#reader.findAttemptEvent(run, attempt, ['ToolSucceeded', 'ToolError']);
    if (ended && !this.#reader.findAttemptEvent(run, attempt, ['ToolTimeout'])) {
      const task = settle(recordedOutcome(ended));
      if (ended.event_type === 'ToolError') this.#reader.atFailure(run, ended, task);
      else this.#reader.at(ended, task);
      return;
    }
    const late = this.#reader.findAttemptEvent(run, attempt, ['LateResult']);
    if (late) return void this.#reader.at(late, settle(lateOutcome(late.result)));
    const next = this.#eventAfterUndecidedFailure(run, attempt);
    if (next) this.#reader.before(next, settle(undecidedOutcome));
  }

  /**
   * The attempt had failed, and an advisor had not answered when the turn ended. Such a failure shows by its other consequences, or by the error of the call at the
   * deadline.
   */
  #eventAfterUndecidedFailure(run: CallRun, attempt: number): TraceEvent | undefined {
    const reader = this.#reader;
    if (reader.findAttemptEvent(run, attempt, ['ToolTimeout', 'AttemptAbandoned'])) return undefined;
    const { stop, settings } = reader.recording;
    const [completed] = reader.of(run, ['CallCompleted']);
    if (!stop) return undefined;
    const end = stop.event;
    if (stop.fault) return reader.consequenceOf(run, attempt, end);
    const isBetween = completed?.error === deadlineFault(settings.timeoutMs, 'between_attempts').message;
    return isBetween ? (reader.consequenceOf(run, attempt, end) ?? end) : undefined;
  }

  #report(run: CallRun, { attempt, partial, progress, total, message }: EventOf<'ToolProgress'>, feed: Feed): void {
    if (partial) return feed(run, { type: 'partial_reported', attempt, output: undefined });
    feed(run, {
      type: 'progress_reported',
      attempt,
      progress: {
        ...(progress === undefined ? {} : { progress }),
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      },
    });
  }

  consult(run: CallRun, notice: FailureNotice, feed: Feed): void {
    const recorded = this.#reader.nextDecision(run);
    // The call was settled from outside while the advisor was running.
    if (!recorded) return;
    this.#reader.use(run, recorded);
    const answer = this.#handler.handle(notice);
    const inputs = withRecorded(answer.inputs, readInputs(recorded.inputs));
    // Only built-in decisions can be computed again and compared, not those of a user's advisor. The recorded decision is executed.
    this.recomputed.push({
      event: recorded,
      decision: recorded.decided_by === 'handler' ? recorded.decision : recordDecision(decide(inputs)),
    });
    this.#reader.at(recorded, () =>
      feed(run, { type: 'decided', answer: { inputs, decision: readDecision(recorded.decision), decidedBy: recorded.decided_by } }),
    );
  }

  abortAttempt(): void {
    // The effects are in the record.
  }
}

/**
 * Takes external inputs from the record: evidence, times, since steps of the replay take no time, and the retries of the turn that were left when an advisor was
 * called.
 */
function withRecorded(inputs: DecisionInputs, recorded: DecisionInputs): DecisionInputs {
  const { evidence, retryElapsedMs, turnTimeLeftMs, turnRetriesLeft, mayWaitMs } = recorded;
  return {
    ...inputs,
    evidence,
    retryElapsedMs,
    ...(inputs.turnTimeLeftMs !== undefined && turnTimeLeftMs !== undefined && { turnTimeLeftMs }),
    ...(inputs.mayWaitMs !== undefined && mayWaitMs !== undefined && { mayWaitMs }),
    ...(inputs.turnRetriesLeft !== undefined && turnRetriesLeft !== undefined && { turnRetriesLeft }),
  };
}
