import { circuitState, createBreaker, isHeld, record, returnProbe, tryAcquire } from '../../../src/engine/breaker/breaker.ts';
import { control } from '../../../src/engine/breaker/control.ts';
import { restore, save } from '../../../src/engine/breaker/snapshot.ts';
import { takeChanges } from '../../../src/engine/breaker/transition.ts';
import type {
  Breaker,
  BreakerSettings,
  CircuitCommand,
  CircuitPermit,
  CircuitSnapshot,
  CircuitTransition,
  OutcomeKind,
} from '../../../src/engine/breaker/types.ts';
import { ReferenceCircuit, type ReferencePermit } from './reference-circuit.ts';

export type Step =
  | { readonly do: 'acquire' }
  | { readonly do: 'call'; readonly outcome: OutcomeKind }
  | {
      readonly do: 'record';
      readonly which: number;
      readonly outcome: OutcomeKind;
      readonly hint: number | undefined;
      readonly again: boolean;
    }
  | { readonly do: 'give back'; readonly which: number }
  | { readonly do: 'pass'; readonly by: number }
  | { readonly do: 'order'; readonly command: CircuitCommand }
  | { readonly do: 'move'; readonly clock: number; readonly away: number };

interface PermitPair {
  readonly real: CircuitPermit;
  readonly reference: ReferencePermit;
}

/** The real circuit and the reference, led through the same events; the first difference is thrown. */
export class SideBySide {
  readonly transitions: CircuitTransition[] = [];
  private real: Breaker;
  private readonly reference: ReferenceCircuit;
  private readonly permits: PermitPair[] = [];
  private readonly settings: BreakerSettings;
  private now = 0;
  /** The real circuit lives on another clock after each move. */
  private shift = 0;

  constructor(settings: BreakerSettings) {
    this.settings = settings;
    this.real = createBreaker(settings);
    this.reference = new ReferenceCircuit(settings);
  }

  take(step: Step): string {
    this.reference.advance(this.now);
    this.apply(step);
    this.reference.advance(this.now);
    const state = circuitState(this.real, this.clock);
    agree('state', state, this.reference.shown());
    const held = this.now < this.reference.held && this.reference.mode !== 'shadow';
    agree('hold', isHeld(this.real, this.clock), held);
    return state;
  }

  private get clock(): number {
    return this.now + this.shift;
  }

  private apply(step: Step): void {
    switch (step.do) {
      case 'acquire':
        return this.acquire();
      case 'call':
        this.acquire();
        return this.record({ do: 'record', which: this.permits.length - 1, outcome: step.outcome, hint: undefined, again: false });
      case 'record':
        return this.record(step);
      case 'give back':
        return this.giveBack(this.permitAt(step.which));
      case 'pass':
        this.now += step.by;
        return;
      case 'order':
        control(this.real, step.command, this.clock);
        this.report();
        return this.reference.order(step.command);
      case 'move':
        return this.move(step.clock, step.away);
    }
  }

  private acquire(): void {
    const answer = tryAcquire(this.real, this.clock);
    const expected = this.reference.acquire(this.now);
    this.report();
    if (answer.kind === 'refused' || expected === 'refused') {
      agree('refusal', answer.kind, expected);
      const wait = answer.kind === 'refused' ? answer.refusal.retryAfterMs : undefined;
      agree('a wait above 0', this.real.mode === 'forced_open' || (wait !== undefined && wait > 0), true);
      return;
    }
    agree('probe', answer.permit.probe, expected.probe);
    this.permits.push({ real: answer.permit, reference: expected });
  }

  private record({ which, outcome, hint, again }: Extract<Step, { do: 'record' }>): void {
    const permit = this.permitAt(which);
    if (permit === undefined) return;
    if (!again) this.permits.splice(this.permits.indexOf(permit), 1);
    const observation = hint === undefined ? { outcome, durationMs: 1 } : { outcome, durationMs: 1, retryAfterMs: hint };
    record(this.real, permit.real, observation, this.clock);
    this.report();
    this.reference.record(permit.reference, outcome, hint, this.now);
  }

  private giveBack(permit: PermitPair | undefined): void {
    if (permit === undefined) return;
    returnProbe(this.real, permit.real, this.clock);
    this.report();
    this.reference.giveBack(permit.reference);
  }

  private move(clock: number, away: number): void {
    const saved = JSON.stringify(save(this.real, { now: this.clock, nowEpochMs: 5_000_000 }));
    this.now += away;
    this.shift = clock - this.now;
    this.real = createBreaker(this.settings);
    const restored = restore(this.real, JSON.parse(saved) as CircuitSnapshot, { now: this.clock, nowEpochMs: 5_000_000 + away });
    agree('restored', restored, true);
  }

  private permitAt(which: number): PermitPair | undefined {
    return this.permits[Math.max(0, which) % Math.max(1, this.permits.length)];
  }

  private report(): void {
    for (const transition of takeChanges(this.real)) {
      agree('where a change begins', transition.from, this.transitions.at(-1)?.to ?? 'closed');
      this.transitions.push(transition);
    }
  }
}

function agree(what: string, real: unknown, expected: unknown): void {
  if (real !== expected) throw new Error(`${what}: is ${String(real)}, should be ${String(expected)}`);
}
