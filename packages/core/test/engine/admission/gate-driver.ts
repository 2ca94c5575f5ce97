import { control } from '../../../src/engine/admission/gate-control.ts';
import { admit, record, release } from '../../../src/engine/admission/gate.ts';
import { Gate } from '../../../src/engine/admission/gate-state.ts';
import { health } from '../../../src/engine/admission/health.ts';
import type { Admission, GateChange, GateSettings, OutcomeKind, Permit, Refusal, ToolHealth } from '../../../src/engine/admission/types.ts';
import { takeChanges } from '../../../src/engine/breaker/transition.ts';
import type { CircuitCommand, CircuitTransition } from '../../../src/engine/breaker/types.ts';

/** A gate with a clock turned by hand. */
export class GateDriver {
  readonly gate: Gate;
  now = 1_000;
  /** What the latest request has changed in the circuit. */
  asked: readonly CircuitTransition[] = [];

  constructor(settings: Partial<GateSettings> = {}) {
    this.gate = new Gate({ breaker: {}, ...settings });
  }

  get health(): ToolHealth {
    return health(this.gate, this.now);
  }

  pass(milliseconds: number): void {
    this.now += milliseconds;
  }

  ask(more: { retry?: boolean; ticket?: number } = {}): Admission {
    const answer = admit(this.gate, { retry: false, ...more }, this.now);
    this.asked = takeChanges(this.gate.breaker);
    return answer;
  }

  permit(more: { retry?: boolean; ticket?: number } = {}): Permit {
    const answer = this.ask(more);
    if (answer.kind !== 'permit') throw new Error(`no permit: ${JSON.stringify(answer)}`);
    return answer.permit;
  }

  wait(): number {
    const answer = this.ask();
    if (answer.kind !== 'wait') throw new Error(`no place in the queue: ${JSON.stringify(answer)}`);
    return answer.ticket;
  }

  refusal(more: { retry?: boolean; ticket?: number } = {}): Refusal {
    const answer = this.ask(more);
    if (answer.kind !== 'refused') throw new Error(`not refused: ${JSON.stringify(answer)}`);
    return answer.refusal;
  }

  answer(permit: Permit, outcome: OutcomeKind, more: { retryAfterMs?: number } = {}): GateChange {
    return record(this.gate, permit, { outcome, durationMs: 1, ...more }, this.now);
  }

  end(permit: Permit): GateChange {
    return release(this.gate, permit, this.now);
  }

  call(outcome: OutcomeKind, more: { retry?: boolean } = {}): void {
    const permit = this.permit(more);
    this.answer(permit, outcome);
    this.end(permit);
  }

  order(command: CircuitCommand): GateChange {
    return control(this.gate, command, this.now);
  }

  open(): void {
    while (this.health.circuit === 'closed') this.call('transient');
  }
}
