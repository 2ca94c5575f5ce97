/**
 * Owns the gates of an exact replay: admissions, transitions and assessments as recorded. Slots and queues are not simulated, since their effects are in the
 * record.
 */
import { readInputs } from '../engine/recover/decision-record.ts';
import type { Admission, Permit, RefusalCode } from '../engine/admission/types.ts';
import type { Assessment } from '../engine/call/protocol.ts';
import type { CallRun, Effect, Feed, Gates, Host } from '../runtime/drivers/host.ts';
import type { AdmissionEvent, EventOf, RecordReader } from './record-reader.ts';

export class RecordedGates implements Gates {
  readonly #reader: RecordReader;
  readonly #host: Pick<Host, 'append'>;

  constructor(reader: RecordReader, host: Pick<Host, 'append'>) {
    this.#reader = reader;
    this.#host = host;
  }

  admit(run: CallRun, effect: Effect<'admit'>, feed: Feed): void {
    const event = this.#reader.nextAdmission(run);
    // The record ends here: the process stopped, or the call was settled from outside.
    if (!event) return;
    this.#reader.use(run, event);
    this.#appendCircuitChanges(run);
    feed(run, this.#admission(run, event, effect, feed));
  }

  #admission(run: CallRun, event: AdmissionEvent, effect: Effect<'admit'>, feed: Feed): Parameters<Feed>[1] {
    const base = { type: 'admission', request: effect.request, toolName: effect.toolName } as const;
    switch (event.event_type) {
      case 'AttemptStarted':
        return {
          ...base,
          answer: { kind: 'permit', permit: permitOf(event) },
          circuit: event.circuit_breaker_state,
          hedgeAfterMs: this.#hedgeAfter(run, event),
        };
      case 'CallRefused': {
        const refusal = {
          code: event.code as RefusalCode,
          ...(event.retry_after_ms === undefined ? {} : { retryAfterMs: event.retry_after_ms }),
          ...sourceOf(event),
          ...(event.partition && { partition: event.partition }),
        };
        return { ...base, answer: { kind: 'refused', refusal }, circuit: event.circuit_breaker_state, heldMs: event.held_ms };
      }
      case 'AdmissionWaiting': {
        // Only waits at the gate itself have the number of queued calls.
        if (event.wait === 'retry_after' && event.queued === undefined) {
          return {
            ...base,
            answer: { kind: 'refused', refusal: { code: 'RATE_LIMITED', retryAfterMs: event.delay_ms ?? 0 } },
            circuit: 'closed',
            heldMs: event.held_ms,
          };
        }
        const next = this.#reader.nextAdmission(run);
        if (next) this.#reader.at(next, () => this.admit(run, effect, feed));
        return { ...base, answer: { kind: 'wait', ticket: event.seq, ...waitOf(event) }, circuit: 'closed', heldMs: event.held_ms };
      }
    }
  }

  #hedgeAfter(run: CallRun, { attempt, elapsed_ms }: EventOf<'AttemptStarted'>): number | undefined {
    const hedge = this.#reader.of(run, ['AttemptStarted']).find((event) => event.hedge === true && event.attempt === attempt + 1);
    return hedge && hedge.elapsed_ms - elapsed_ms;
  }

  record(run: CallRun, { answer }: Effect<'record'>, feed: Feed): void {
    this.#appendCircuitChanges(run);
    if (answer) this.#assess(run, feed);
  }

  observe(run: CallRun, _effect: Effect<'observe'>, feed: Feed): void {
    this.#assess(run, feed);
  }

  #assess(run: CallRun, feed: Feed): void {
    const inputs = this.#reader.nextDecision(run)?.inputs;
    const assessment: Assessment = inputs
      ? {
          circuit: inputs.circuit_breaker_state,
          retryAfterMs: inputs.retry_after_ms,
          retryBudgetLeft: inputs.retry_budget_left,
          // The host takes the allowed wait from the record.
          usualMs: inputs.may_wait_ms === undefined ? undefined : 0,
          heldMs: inputs.held_ms,
          alternatives: readInputs(inputs).alternatives,
        }
      : { circuit: 'closed', alternatives: [] };
    feed(run, { type: 'assessed', assessment });
  }

  delayStarted(): void {
    noop();
  }

  delayEnded(): void {
    noop();
  }

  cancelWait(): void {
    noop();
  }

  hold(): void {
    noop();
  }

  orphan(): void {
    noop();
  }

  release(): void {
    noop();
  }

  returnPermit(): void {
    noop();
  }

  #appendCircuitChanges(run: CallRun): void {
    for (let change = this.#reader.nextCircuitChange(run); change; change = this.#reader.nextCircuitChange(run)) {
      const { turn_id: _turn, seq: _seq, timestamp: _timestamp, elapsed_ms: _elapsed, ...body } = change;
      this.#host.append(run.trace, body);
    }
  }
}

function noop(): void {
  // The effects are in the record.
}

function sourceOf({ source }: EventOf<'CallRefused'>): { readonly source?: 'circuit' } {
  return source === undefined ? {} : { source: source as 'circuit' };
}

/** The details of a wait at a gate that waits for recovery. */
function waitOf({ wait, delay_ms, limit, queued }: EventOf<'AdmissionWaiting'>): Partial<Extract<Admission, { readonly kind: 'wait' }>> {
  return queued === undefined ? {} : { wait, retryAfterMs: delay_ms, limit, queued };
}

function permitOf({ probe = false }: EventOf<'AttemptStarted'>): Permit {
  return { generation: 0, probe, probeNumber: 0, recorded: false, released: false, orphaned: false };
}
