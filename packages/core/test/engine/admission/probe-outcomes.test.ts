import { describe, expect, it } from 'vitest';
import { control } from '../../../src/engine/admission/gate-control.ts';
import { admit, createGate, markOrphaned, record, release, returnPermit } from '../../../src/engine/admission/gate.ts';
import { health } from '../../../src/engine/admission/health.ts';
import type { Admission, CircuitTransition, Gate, OutcomeKind, Permit } from '../../../src/engine/admission/types.ts';
import type { BreakerSettings } from '../../../src/engine/breaker/types.ts';

const TIME_LIMIT_MS = 30_000;

/** A gate whose circuit has opened at 0, with a clock turned by hand. */
class Looking {
  readonly gate: Gate;
  now = 0;

  constructor(breaker: Partial<BreakerSettings>, callsBefore = 0, gapMs = 0) {
    this.gate = createGate({ breaker: { failureThreshold: 1, openMs: 100, ...breaker } });
    this.now = -callsBefore * gapMs;
    for (let nth = 0; nth < callsBefore; nth += 1) {
      this.end(this.probe(), 'success');
      this.now += gapMs;
    }
    this.end(this.probe(), 'transient');
  }

  ask(): Admission {
    return admit(this.gate, { retry: false, timeLimitMs: TIME_LIMIT_MS }, this.now);
  }

  probe(): Permit {
    const answer = this.ask();
    if (answer.kind !== 'permit') throw new Error(`no permit: ${JSON.stringify(answer)}`);
    return answer.permit;
  }

  end(permit: Permit, outcome: OutcomeKind, durationMs = 10): readonly CircuitTransition[] {
    const { transitions } = record(this.gate, permit, { outcome, durationMs }, this.now);
    release(this.gate, permit, this.now);
    return transitions;
  }

  get circuit(): string {
    return health(this.gate, this.now).circuit;
  }
}

describe('several probes', () => {
  it('are out at once, as many as may be and no more', () => {
    const looking = new Looking({ probes: 2 });
    const out: Permit[] = [];
    for (let second = 1; second <= 60; second += 1) {
      looking.now = second * 1_000;
      const answer = looking.ask();
      if (answer.kind === 'permit') out.push(answer.permit);
    }
    expect(out).toHaveLength(2);
    expect(looking.ask()).toMatchObject({ kind: 'refused', refusal: { source: 'probe_in_progress' } });
    looking.end(out[0] as Permit, 'transient');
    looking.now += 5_000;
    expect(looking.ask().kind).toBe('permit');
  });

  it.each([
    ['was recorded and released', (on: Looking, permit: Permit) => void on.end(permit, 'neutral')],
    ['went back unused', (on: Looking, permit: Permit) => void returnPermit(on.gate, permit, on.now)],
    [
      'was released, and recorded after that',
      (on: Looking, permit: Permit): void => {
        release(on.gate, permit, on.now);
        record(on.gate, permit, { outcome: 'neutral', durationMs: 1 }, on.now);
      },
    ],
    [
      'was given up on before its work ended',
      (on: Looking, permit: Permit): void => {
        record(on.gate, permit, { outcome: 'neutral', durationMs: 1 }, on.now);
        markOrphaned(on.gate, permit);
        release(on.gate, permit, on.now);
      },
    ],
  ])('one that %s makes room for one', (_what, end) => {
    const looking = new Looking({ probes: 2 });
    looking.now = 1_000;
    for (let nth = 0; nth < 5; nth += 1) {
      end(looking, looking.probe());
      looking.now += 60_000;
    }
    expect(looking.gate.probing.out).toBe(0);
    expect(health(looking.gate, looking.now)).toMatchObject({ inFlight: 0, orphaned: 0 });
  });

  it('one that is slow and succeeds closes the circuit without having opened it', () => {
    const looking = new Looking({ probes: 4 });
    looking.now = 1_000;
    const probe = looking.probe();
    looking.now = 9_000;
    expect(looking.end(probe, 'success')).toMatchObject([{ to: 'closed', reason: 'probe_succeeded' }]);
    expect(looking.gate.breaker.counters.opened).toBe(1);
  });

  it('one that has lost its place to the next closes the circuit all the same', () => {
    const looking = new Looking({ probes: 4 });
    looking.now = 1_000;
    const [first, second] = [looking.probe(), ((looking.now = 9_000), looking.probe())];
    expect(looking.end(first, 'success').at(-1)).toMatchObject({ to: 'closed', reason: 'probe_succeeded' });
    expect(looking.end(second, 'transient').at(-1)?.to).not.toBe('half_open');
  });

  it('none closes a circuit that a person keeps open', () => {
    const looking = new Looking({ probes: 4 });
    looking.now = 1_000;
    const [first, second] = [looking.probe(), ((looking.now = 9_000), looking.probe())];
    control(looking.gate, 'forced_open', looking.now);
    looking.end(first, 'success');
    looking.end(second, 'success');
    expect(looking.circuit).toBe('open');
    control(looking.gate, 'auto', looking.now);
    expect(looking.circuit).not.toBe('closed');
  });
});

describe('openings', () => {
  /** How long each lasts whose probe fails at once. */
  function openings(looking: Looking, many: number): readonly (number | undefined)[] {
    return Array.from({ length: many }, () => {
      looking.now = Math.max(looking.now, looking.gate.breaker.openUntil);
      return looking.end(looking.probe(), 'transient')[0]?.openForMs;
    });
  }

  it('grow by the factor up to the longest, and begin anew once the circuit was closed', () => {
    const looking = new Looking({ openGrowth: 3, maxOpenMs: 1_000 }, 3, 60_000);
    expect(openings(looking, 4)).toEqual([300, 900, 1_000, 1_000]);
    looking.now = looking.gate.breaker.openUntil;
    expect(looking.end(looking.probe(), 'success')).toMatchObject([{ to: 'closed' }]);
    expect(openings(looking, 2)).toEqual([100, 300]);
  });

  it('a probe that hangs keeps the next one away for as long as the opening before it was', () => {
    const looking = new Looking({ openGrowth: 3, maxOpenMs: 10_000, probes: 16 }, 3, 60_000);
    expect(openings(looking, 1)).toEqual([300]);
    looking.now = looking.gate.breaker.openUntil;
    looking.probe();
    looking.now += 299;
    expect(looking.ask()).toMatchObject({ kind: 'refused', refusal: { source: 'probe_in_progress', retryAfterMs: 1 } });
  });

  it('grow no further than two calls are apart, where many ask', () => {
    const busy = new Looking({ openMs: 50, openGrowth: 10 }, 400, 100);
    const [first = 0] = openings(busy, 1);
    expect(first).toBeGreaterThan(150);
    expect(first).toBeLessThan(250);
  });

  it('do not grow where they are not told to', () => {
    expect(openings(new Looking({ probes: 4 }), 3)).toEqual([100, 100, 100]);
  });
});
