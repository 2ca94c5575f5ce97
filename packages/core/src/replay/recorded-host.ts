/**
 * Owns the exact replay's host: everything that came from outside (admissions, outcomes, timers, evidence) is taken from the record, at the recorded time;
 * everything that the machines and `decide` make of it is made again.
 *
 * Invariant: a task runs at the rank of the recorded event that it led to, so that what happened at one moment happens in the same order.
 */
import type { Permit, RefusalCode } from '../admission/index.ts';
import type { Assessment, Outcome } from '../call/protocol.ts';
import type { TimerHandle } from '../ports/system.ts';
import type { Decision, DecisionInputs } from '../recover/decision.ts';
import { decide } from '../recover/decide.ts';
import type { ErrorHandler, FailureNotice } from '../recover/error-handler.ts';
import type { TraceEvent, TraceEventBody, TraceEventType } from '../trace/events.ts';
import type { TurnTrace } from '../trace/turn-trace.ts';
import type { Agenda } from '../drivers/virtual/agenda.ts';
import type { CallRun, Effect, Feed, Host, TimerPurpose } from '../drivers/host.ts';
import { lateOutcome, recordedFault, recordedOutcome } from './recorded-outcome.ts';
import type { Recording } from './recording.ts';

type EventOf<Type extends TraceEventType> = Extract<TraceEvent, { readonly event_type: Type }>;

const admissions = ['AttemptStarted', 'CallRefused', 'AdmissionWaiting'] as const;
const circuitChanges: ReadonlySet<TraceEventType> = new Set(['CircuitBreakerOpened', 'CircuitBreakerHalfOpened', 'CircuitBreakerClosed']);

export class RecordedHost implements Host {
  readonly #recording: Recording;
  readonly #agenda: Agenda;
  readonly #trace: TurnTrace;
  readonly #handler: ErrorHandler;
  /** Every recorded decision with what is decided now from the same inputs. */
  readonly remade: { readonly event: EventOf<'RecoveryDecided'>; readonly decision: Decision }[] = [];
  /** The attempts that permits were given for. */
  readonly #permits = new WeakMap<Permit, EventOf<'AttemptStarted'>>();
  /** Per call: the `seq` of the last recorded event that was used for a question of each kind. */
  readonly #used = new Map<string, number>();

  constructor(recording: Recording, agenda: Agenda, trace: TurnTrace, handler: ErrorHandler) {
    this.#recording = recording;
    this.#agenda = agenda;
    this.#trace = trace;
    this.#handler = handler;
  }

  now(): number {
    return this.#agenda.now();
  }

  append(event: TraceEventBody): void {
    this.#trace.append(event, this.now());
  }

  crashed(error: unknown): void {
    throw error;
  }

  setTimer(_delayMs: number, fire: () => void, purpose: TimerPurpose): TimerHandle {
    const led = this.#eventOfTimer(purpose);
    return led ? this.#at(led, fire) : { dueAt: Number.POSITIVE_INFINITY };
  }

  #eventOfTimer({ run, timer, attempt }: TimerPurpose): TraceEvent | undefined {
    switch (timer) {
      case 'deadline':
        return this.#recording.events.find(({ event_type }) => event_type === 'TurnDeadlineReached');
      case 'attempt':
        return run && this.#ofAttempt(run, attempt, ['ToolTimeout']);
      case 'abandon':
        return run && this.#ofAttempt(run, attempt, ['AttemptAbandoned']);
      case 'hedge':
        return run && this.#of(run, ['AttemptStarted']).find((event) => event.hedge === true && event.attempt > attempt);
      case 'backoff':
        return run && this.#peekAdmission(run);
    }
  }

  clearTimer(handle: TimerHandle): void {
    if (Number.isFinite(handle.dueAt)) this.#agenda.cancel(handle);
  }

  prepare(run: CallRun, { toolName }: Effect<'prepare'>, feed: Feed): void {
    const rejected = this.#of(run, ['ToolError']).find((event) => event.attempt === 0 && event.tool_id === toolName);
    feed(run, rejected ? { type: 'prepared', fault: recordedFault(rejected) } : { type: 'prepared' });
  }

  admit(run: CallRun, effect: Effect<'admit'>, feed: Feed): void {
    const event = this.#peekAdmission(run);
    // The record ends here: the process died, or the call was settled from outside.
    if (!event) return;
    this.#use(run, 'admission', event);
    this.#appendCircuitChanges(run, event.seq);
    feed(run, this.#admission(run, event, effect, feed));
  }

  #admission(run: CallRun, event: EventOf<(typeof admissions)[number]>, effect: Effect<'admit'>, feed: Feed): Parameters<Feed>[1] {
    const asked = { type: 'admission', request: effect.request, toolName: effect.toolName } as const;
    switch (event.event_type) {
      case 'AttemptStarted':
        return {
          ...asked,
          answer: { kind: 'permit', permit: this.#permitFor(event) },
          circuit: event.circuit_breaker_state,
          hedgeAfterMs: this.#hedgeAfter(run, event),
        };
      case 'CallRefused': {
        const refusal = {
          code: event.code as RefusalCode,
          ...(event.retry_after_ms === undefined ? {} : { retryAfterMs: event.retry_after_ms }),
          ...sourceOf(event),
        };
        return { ...asked, answer: { kind: 'refused', refusal }, circuit: event.circuit_breaker_state };
      }
      case 'AdmissionWaiting': {
        if (event.wait === 'retry_after') {
          return {
            ...asked,
            answer: { kind: 'refused', refusal: { code: 'RATE_LIMITED', retryAfterMs: event.delay_ms ?? 0 } },
            circuit: 'closed',
          };
        }
        const next = this.#peekAdmission(run);
        if (next) this.#at(next, () => this.admit(run, effect, feed));
        return { ...asked, answer: { kind: 'wait', ticket: event.seq }, circuit: 'closed' };
      }
    }
  }

  #permitFor(event: EventOf<'AttemptStarted'>): Permit {
    const permit: Permit = {
      generation: 0,
      probe: event.probe ?? false,
      probeNumber: 0,
      recorded: false,
      released: false,
      orphaned: false,
    };
    this.#permits.set(permit, event);
    return permit;
  }

  #hedgeAfter(run: CallRun, { attempt, elapsed_ms }: EventOf<'AttemptStarted'>): number | undefined {
    const hedge = this.#of(run, ['AttemptStarted']).find((event) => event.hedge === true && event.attempt === attempt + 1);
    return hedge && hedge.elapsed_ms - elapsed_ms;
  }

  startAttempt(run: CallRun, { attempt }: Effect<'start_attempt'>, feed: Feed): void {
    const settle = (event: TraceEvent, outcome: Outcome): void =>
      void this.#at(event, () => feed(run, { type: 'attempt_settled', attempt, outcome }));
    for (const event of this.#of(run, ['ToolProgress']))
      if (event.attempt === attempt) this.#at(event, () => this.#report(run, event, feed));
    const ended = this.#ofAttempt(run, attempt, ['ToolSucceeded', 'ToolError']);
    if (ended && !this.#ofAttempt(run, attempt, ['ToolTimeout'])) return settle(ended, recordedOutcome(ended));
    const late = this.#ofAttempt(run, attempt, ['LateResult']);
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

  record(run: CallRun, { permit, answer }: Effect<'record'>, feed: Feed): void {
    const attempt = this.#permits.get(permit)?.attempt ?? 0;
    const ended = this.#ofAttempt(run, attempt, ['ToolSucceeded', 'ToolError', 'LateResult']);
    this.#appendCircuitChanges(run, ended?.seq ?? 0);
    if (answer) this.#assess(run, feed);
  }

  observe(run: CallRun, _effect: Effect<'observe'>, feed: Feed): void {
    this.#assess(run, feed);
  }

  #assess(run: CallRun, feed: Feed): void {
    const inputs = this.#peekDecision(run)?.inputs;
    const assessment: Assessment = inputs
      ? {
          circuit: inputs.circuit_breaker_state,
          retryAfterMs: inputs.retry_after_ms,
          retryBudgetLeft: inputs.retry_budget_left,
          alternatives: inputs.alternatives,
        }
      : { circuit: 'closed', alternatives: [] };
    feed(run, { type: 'assessed', assessment });
  }

  consult(run: CallRun, notice: FailureNotice, feed: Feed): void {
    const recorded = this.#peekDecision(run);
    const answer = this.#handler.handle(notice);
    if (!recorded) return feed(run, { type: 'decided', answer });
    this.#use(run, 'decision', recorded);
    const inputs: DecisionInputs = { ...answer.inputs, evidence: recorded.inputs.evidence };
    // What a user's advisor said cannot be made again; what is built in can, and is compared. What was recorded is carried out.
    this.remade.push({ event: recorded, decision: recorded.decided_by === 'handler' ? recorded.decision : decide(inputs) });
    this.#at(recorded, () =>
      feed(run, { type: 'decided', answer: { inputs, decision: recorded.decision, decidedBy: recorded.decided_by } }),
    );
  }

  // Slots, waiters and sleepers are not simulated: what came of them is in the record.
  fallAsleep(): void {
    this.#nothing();
  }
  awake(): void {
    this.#nothing();
  }
  cancelWait(): void {
    this.#nothing();
  }
  abortAttempt(): void {
    this.#nothing();
  }
  orphan(): void {
    this.#nothing();
  }
  release(): void {
    this.#nothing();
  }
  returnPermit(): void {
    this.#nothing();
  }
  #nothing(): void {
    // Nothing to do.
  }

  #at(event: TraceEvent, task: () => void): TimerHandle {
    return this.#agenda.at(event.elapsed_ms, task, event.seq);
  }

  #peekAdmission(run: CallRun): EventOf<(typeof admissions)[number]> | undefined {
    const after = this.#used.get(`admission ${run.state.spec.callKey}`) ?? 0;
    return this.#of(run, admissions).find(({ seq }) => seq > after);
  }

  #peekDecision(run: CallRun): EventOf<'RecoveryDecided'> | undefined {
    const after = this.#used.get(`decision ${run.state.spec.callKey}`) ?? 0;
    return this.#of(run, ['RecoveryDecided']).find(({ seq }) => seq > after);
  }

  #use(run: CallRun, kind: 'admission' | 'decision' | 'circuit', { seq }: TraceEvent): void {
    this.#used.set(`${kind} ${run.state.spec.callKey}`, seq);
  }

  /** Transitions that this call had brought about by now. */
  #appendCircuitChanges(run: CallRun, before: number): void {
    const after = this.#used.get(`circuit ${run.state.spec.callKey}`) ?? 0;
    for (const event of this.#recording.calls.get(run.state.spec.callKey) ?? []) {
      if (event.seq <= after || event.seq > before || !circuitChanges.has(event.event_type)) continue;
      this.#use(run, 'circuit', event);
      const { turn_id: _turn, seq: _seq, timestamp: _timestamp, elapsed_ms: _elapsed, ...body } = event;
      this.append(body as TraceEventBody);
    }
  }

  #of<Type extends TraceEventType>(run: CallRun, types: readonly Type[]): readonly EventOf<Type>[] {
    const events = this.#recording.calls.get(run.state.spec.callKey) ?? [];
    return events.filter((event): event is EventOf<Type> => (types as readonly string[]).includes(event.event_type));
  }

  #ofAttempt<Type extends 'ToolTimeout' | 'AttemptAbandoned' | 'ToolSucceeded' | 'ToolError' | 'LateResult'>(
    run: CallRun,
    attempt: number,
    types: readonly Type[],
  ): EventOf<Type> | undefined {
    return this.#of(run, types).find((event) => 'attempt' in event && event.attempt === attempt);
  }
}

function sourceOf({ source }: EventOf<'CallRefused'>): { readonly source?: 'circuit' } {
  return source === undefined ? {} : { source: source as 'circuit' };
}
