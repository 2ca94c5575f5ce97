import { circuitState, createBreaker, record, tryAcquire } from '../../../src/engine/breaker/breaker.ts';
import { control } from '../../../src/engine/breaker/control.ts';
import { takeChanges } from '../../../src/engine/breaker/transition.ts';
import type {
  Breaker,
  BreakerSettings,
  CircuitAdmission,
  CircuitCommand,
  CircuitPermit,
  CircuitState,
  CircuitTransition,
  Observation,
  OutcomeKind,
} from '../../../src/engine/breaker/types.ts';

/** A breaker with a manual clock, so that a test reads as a sequence of steps. */
export class CircuitDriver {
  readonly breaker: Breaker;
  readonly transitions: CircuitTransition[] = [];
  now = 1_000;

  constructor(settings: Partial<BreakerSettings> = {}) {
    this.breaker = createBreaker(settings);
  }

  get state(): CircuitState {
    return circuitState(this.breaker, this.now);
  }

  get reasons(): readonly string[] {
    return this.transitions.map((transition) => transition.reason);
  }

  pass(milliseconds: number): void {
    this.now += milliseconds;
  }

  ask(): CircuitAdmission {
    const answer = tryAcquire(this.breaker, this.now);
    this.transitions.push(...takeChanges(this.breaker));
    return answer;
  }

  acquire(): CircuitPermit {
    const answer = this.ask();
    if (answer.kind !== 'permit') throw new Error(`refused: ${JSON.stringify(answer.refusal)}`);
    return answer.permit;
  }

  answer(permit: CircuitPermit, outcome: OutcomeKind, more: Partial<Omit<Observation, 'outcome'>> = {}): void {
    record(this.breaker, permit, { outcome, durationMs: 1, ...more }, this.now);
    this.transitions.push(...takeChanges(this.breaker));
  }

  call(...outcomes: readonly OutcomeKind[]): void {
    for (const outcome of outcomes) this.answer(this.acquire(), outcome);
  }

  order(command: CircuitCommand): void {
    control(this.breaker, command, this.now);
    this.transitions.push(...takeChanges(this.breaker));
  }

  /** Opens it with the failures its settings ask for. */
  open(): void {
    while (this.state === 'closed') this.call('transient');
  }
}
