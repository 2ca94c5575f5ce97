import type { BreakerSettings, CircuitCommand, CircuitMode, CircuitState, OutcomeKind } from '../../../src/engine/breaker/types.ts';

export interface ReferencePermit {
  readonly era: number;
  readonly probe: boolean;
  readonly moves: boolean;
}

/**
 * The rules of the circuit once more, written to be obvious: time is applied eagerly, permits are compared by identity, and nothing is
 * shared or saved. The property tests hold the real one against it.
 */
export class ReferenceCircuit {
  state: CircuitState = 'closed';
  mode: CircuitMode = 'auto';
  failures = 0;
  held = Number.NEGATIVE_INFINITY;
  /** The hint of the latest hold: how long it held, and when its request was sent. */
  hint: { readonly heldFor: number; readonly sentAt: number } | undefined;
  openUntil = 0;
  probe: { readonly permit: ReferencePermit; readonly until: number } | undefined;
  private era = 0;
  private goodProbes = 0;
  private rejectedProbes = 0;

  private readonly rules: BreakerSettings;

  constructor(rules: BreakerSettings) {
    this.rules = rules;
  }

  advance(now: number): void {
    if (this.probe !== undefined && now >= this.probe.until) {
      this.failures += 1;
      this.open(this.probe.until);
    }
    if (this.state === 'open' && now >= this.openUntil) this.move('half_open');
  }

  shown(): CircuitState {
    if (this.mode === 'forced_open') return 'open';
    return this.mode === 'disabled' ? 'closed' : this.state;
  }

  acquire(now: number): ReferencePermit | 'refused' {
    const untracked = { era: -1, probe: false, moves: false };
    if (this.mode === 'forced_open') return 'refused';
    if (this.mode === 'disabled') return untracked;
    if (this.state === 'closed') return { era: this.era, probe: false, moves: true };
    if (this.state === 'half_open' && this.probe === undefined) {
      const permit = { era: this.era, probe: true, moves: true };
      this.probe = { permit, until: now + this.rules.probeLeaseMs };
      return permit;
    }
    return this.mode === 'shadow' ? untracked : 'refused';
  }

  record(permit: ReferencePermit, outcome: OutcomeKind, hint: number | undefined, now: number): void {
    if (outcome === 'neutral') return this.giveBack(permit);
    this.hear(outcome, hint, now);
    const counts = this.mode === 'auto' || this.mode === 'shadow';
    if (!permit.moves || permit.era !== this.era || !counts) return;
    if (permit.probe) {
      if (this.probe?.permit === permit) this.settleProbe(outcome, now);
      return;
    }
    this.failures = outcome === 'transient' ? this.failures + 1 : 0;
    if (this.failures >= this.rules.failureThreshold) this.open(now);
  }

  /** Every request takes 1 ms. */
  private hear(outcome: OutcomeKind, hint: number | undefined, now: number): void {
    const sentAt = now - 1;
    const isLater = this.hint === undefined || sentAt > this.hint.sentAt;
    if (hint === undefined) {
      if (!isLater) return;
      if (outcome === 'transient') this.hint = this.hint && { ...this.hint, heldFor: 0 };
      else this.forget();
    } else if (hint > 0) {
      const limit = isLater && now >= this.held ? Math.max(10_000, 2 * (this.hint?.heldFor ?? 0)) : 10_000;
      const length = Math.min(hint, limit);
      const isLonger = now + length > this.held;
      this.hint = { heldFor: isLonger ? length : (this.hint?.heldFor ?? 0), sentAt: Math.max(sentAt, this.hint?.sentAt ?? sentAt) };
      if (isLonger) this.held = now + length;
      if (isLonger && this.state === 'open') this.openUntil = Math.max(this.openUntil, this.held);
    }
  }

  private forget(): void {
    this.held = Number.NEGATIVE_INFINITY;
    this.hint = undefined;
  }

  giveBack(permit: ReferencePermit): void {
    if (this.probe?.permit === permit) this.probe = undefined;
  }

  order(command: CircuitCommand): void {
    if (command === 'reset') {
      if (this.mode === 'forced_open') this.mode = 'auto';
      this.failures = 0;
      this.forget();
      this.move('closed');
      return;
    }
    const watching: readonly CircuitCommand[] = ['auto', 'shadow'];
    if (command !== this.mode && !(watching.includes(command) && watching.includes(this.mode))) {
      this.era += 1;
      this.probe = undefined;
    }
    this.mode = command;
  }

  private settleProbe(outcome: Exclude<OutcomeKind, 'neutral'>, now: number): void {
    this.probe = undefined;
    if (outcome === 'transient') {
      this.failures += 1;
      this.open(now);
      return;
    }
    this.goodProbes += outcome === 'success' ? 1 : 0;
    this.rejectedProbes = outcome === 'success' ? 0 : this.rejectedProbes + 1;
    if (this.goodProbes < this.rules.successThreshold && this.rejectedProbes < this.rules.permanentProbeLimit) return;
    this.failures = 0;
    this.move('closed');
  }

  private open(at: number): void {
    this.openUntil = Math.max(at + this.rules.openMs, this.held);
    this.move('open');
  }

  private move(to: CircuitState): void {
    this.state = to;
    this.era += 1;
    this.probe = undefined;
    this.goodProbes = 0;
    this.rejectedProbes = 0;
  }
}
