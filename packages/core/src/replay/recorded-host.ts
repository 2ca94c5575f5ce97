/**
 * Owns the exact replay's host: everything that came from outside (admissions, outcomes, timers, evidence) is taken from the record, at the recorded time;
 * everything that the machines and `decide` make of it is made again.
 */
import type { Outcome } from '../call/protocol.ts';
import type { CallRun, Effect, Feed, Host, TimerPurpose } from '../drivers/host.ts';
import type { Agenda } from '../drivers/virtual/agenda.ts';
import type { TimerHandle } from '../ports/system.ts';
import { decide } from '../recover/decide.ts';
import type { Decision, DecisionInputs } from '../recover/decision.ts';
import type { ErrorHandler, FailureNotice } from '../recover/error-handler.ts';
import type { TraceEvent, TraceEventBody } from '../trace/events.ts';
import type { Trace } from '../trace/turn-trace.ts';
import type { EventOf } from './record-reader.ts';
import { RecordReader } from './record-reader.ts';
import { RecordedGates } from './recorded-gates.ts';
import { lateOutcome, recordedFault, recordedOutcome } from './recorded-outcome.ts';
import type { Recording } from './recording.ts';

export class RecordedHost implements Host {
  readonly gates: RecordedGates;
  /** Every recorded decision with what is decided now from the same inputs. */
  readonly remade: { readonly event: EventOf<'RecoveryDecided'>; readonly decision: Decision }[] = [];
  readonly #reader: RecordReader;
  readonly #agenda: Agenda;
  readonly #handler: ErrorHandler;

  constructor(recording: Recording, agenda: Agenda, handler: ErrorHandler) {
    this.#reader = new RecordReader(recording, agenda);
    this.gates = new RecordedGates(this.#reader, this);
    this.#agenda = agenda;
    this.#handler = handler;
  }

  now(): number {
    return this.#agenda.now();
  }

  get moment(): number {
    return this.now();
  }

  append(trace: Trace, event: TraceEventBody): void {
    this.#reader.tell(event);
    trace.append(event, this.now());
  }

  crashed(error: unknown): void {
    throw error;
  }

  setTimer(_delayMs: number, fire: () => void, purpose: TimerPurpose): TimerHandle {
    const led = this.#eventOfTimer(purpose);
    return led ? this.#reader.at(led, fire) : { dueAt: Number.POSITIVE_INFINITY };
  }

  #eventOfTimer({ run, timer, attempt }: TimerPurpose): TraceEvent | undefined {
    switch (timer) {
      case 'deadline':
        return this.#reader.recording.events.find(({ event_type }) => event_type === 'TurnDeadlineReached');
      case 'attempt':
        return run && this.#reader.ofAttempt(run, attempt, ['ToolTimeout']);
      case 'abandon':
        return run && this.#reader.ofAttempt(run, attempt, ['AttemptAbandoned']);
      case 'hedge':
        return run && this.#reader.of(run, ['AttemptStarted']).find((event) => event.hedge === true && event.attempt > attempt);
      case 'backoff':
        return run && this.#reader.nextAdmission(run);
    }
  }

  clearTimer(handle: TimerHandle): void {
    if (Number.isFinite(handle.dueAt)) this.#agenda.cancel(handle);
  }

  prepare(run: CallRun, { toolName }: Effect<'prepare'>, feed: Feed): void {
    const rejected = this.#reader.of(run, ['ToolError']).find((event) => event.attempt === 0 && event.tool_id === toolName);
    feed(run, rejected ? { type: 'prepared', fault: recordedFault(rejected) } : { type: 'prepared' });
  }

  startAttempt(run: CallRun, { attempt }: Effect<'start_attempt'>, feed: Feed): void {
    const settle = (event: TraceEvent, outcome: Outcome): void =>
      void this.#reader.at(event, () => feed(run, { type: 'attempt_settled', attempt, outcome }));
    for (const event of this.#reader.of(run, ['ToolProgress']))
      if (event.attempt === attempt) this.#reader.at(event, () => this.#report(run, event, feed));
    const ended = this.#reader.ofAttempt(run, attempt, ['ToolSucceeded', 'ToolError']);
    if (ended && !this.#reader.ofAttempt(run, attempt, ['ToolTimeout'])) return settle(ended, recordedOutcome(ended));
    const late = this.#reader.ofAttempt(run, attempt, ['LateResult']);
    if (late) settle(late, lateOutcome(late.result));
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
    const answer = this.#handler.handle(notice);
    if (!recorded) return feed(run, { type: 'decided', answer });
    this.#reader.use(run, recorded);
    const inputs: DecisionInputs = { ...answer.inputs, evidence: recorded.inputs.evidence };
    // What a user's advisor said cannot be made again; what is built in can, and is compared. What was recorded is carried out.
    this.remade.push({ event: recorded, decision: recorded.decided_by === 'handler' ? recorded.decision : decide(inputs) });
    this.#reader.at(recorded, () =>
      feed(run, { type: 'decided', answer: { inputs, decision: recorded.decision, decidedBy: recorded.decided_by } }),
    );
  }

  abortAttempt(): void {
    // What came of it is in the record.
  }
}
