import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isFinished } from '../../../src/engine/call/machine.ts';
import type { CallEffect, CallInput, Outcome } from '../../../src/engine/call/protocol.ts';
import type { DecisionAction } from '../../../src/engine/recover/decision.ts';
import { mayTake } from '../../../src/engine/recover/error-handler.ts';
import { CallBench, newPermit } from '../../support/call-bench.ts';
import { cancelFault, permanentFault, transientFault } from '../../support/faults.ts';
import { sameDraws } from '../../support/same-draws.ts';

type Debt = Extract<CallEffect, { type: 'prepare' | 'admit' | 'record' | 'observe' | 'consult' | 'start_attempt' }>;

interface Roll {
  readonly pick: number;
  readonly roll: number;
  readonly pass: number;
}

/** Drives a bench as a driver may: every answer at its own time, in any order, with anything else in between. */
class Wanderer {
  readonly bench: CallBench;
  readonly debts: Debt[] = [];
  readonly waiting: number[] = [];
  readonly seen = new Set<string>();

  constructor(bench: CallBench) {
    this.bench = bench;
    this.#then(() => bench.submit());
  }

  /** Performs an action and records the effects. */
  #then(act: () => unknown): void {
    const before = this.bench.effects.length;
    act();
    for (const effect of this.bench.effects.slice(before)) {
      this.seen.add(effect.type === 'append' ? effect.event.event_type : effect.type);
      if (effect.type === 'record' ? effect.answer : ['prepare', 'admit', 'observe', 'consult', 'start_attempt'].includes(effect.type))
        this.debts.push(effect as Debt);
    }
  }

  step({ pick, roll, pass }: Roll): void {
    this.bench.pass(pass);
    this.fireDue();
    const choice = roll % 40;
    if (choice === 0) return this.#then(() => this.bench.feed({ type: 'cancelled', fault: cancelFault() }));
    if (choice === 1) {
      return this.#then(() =>
        this.bench.feed({ type: 'deadline_reached', onDeadline: pick % 2 === 0 ? 'detach' : 'abort', timeoutMs: 300_000 }),
      );
    }
    if (choice === 2) return this.nonsense(pick);
    if (choice <= 6) return this.report(pick);
    const debt = this.debts.splice(pick % Math.max(this.debts.length, 1), 1)[0];
    if (debt) this.#then(() => this.pay(debt, roll));
  }

  report(pick: number): void {
    const attempt = 1 + (pick % Math.max(this.bench.state.attempts, 1));
    this.#then(() => this.bench.feed({ type: 'progress_reported', attempt, progress: { progress: pick } }));
    this.#then(() => this.bench.feed({ type: 'partial_reported', attempt, output: pick }));
  }

  fireDue(): void {
    for (;;) {
      const [next] = [...this.bench.ledger.timers].toSorted((a, b) => a[1] - b[1]);
      if (!next || next[1] > this.bench.now) return;
      const [timer, attempt] = next[0].split(' ');
      this.#then(() => this.bench.fire(timer as 'attempt', Number(attempt)));
    }
  }

  /** Unrequested inputs change nothing. */
  nonsense(pick: number): void {
    const { bench } = this;
    const { phase } = bench.state;
    const strange = 70 + (pick % 10);
    const strangeInputs: readonly CallInput[] = [
      { type: 'attempt_settled', attempt: strange, outcome: { ok: true, output: 1 } },
      { type: 'timer_fired', timer: 'attempt', attempt: strange },
      { type: 'timer_fired', timer: 'abandon', attempt: strange },
      { type: 'timer_fired', timer: 'hedge', attempt: strange },
      { type: 'timer_fired', timer: 'idle', attempt: strange },
      { type: 'submitted' },
      ...(phase === 'preparing' ? [] : [{ type: 'prepared' } as const]),
      ...(phase === 'assessing' ? [] : [{ type: 'assessed', assessment: { circuit: 'open', alternatives: [] } } as const]),
    ];
    for (const input of strangeInputs) {
      if (bench.feed(input).length > 0 || bench.state.phase !== phase)
        throw new Error(`${input.type} was not asked for, and changed something in ${phase}`);
    }
  }

  pay(debt: Debt, roll: number): void {
    const { bench } = this;
    const how = Math.floor(roll / 40);
    switch (debt.type) {
      case 'prepare':
        return void bench.feed(how % 16 === 0 ? { type: 'prepared', fault: permanentFault() } : { type: 'prepared' });
      case 'admit':
        return this.admit(debt, how);
      case 'record':
      case 'observe':
        return void bench.assess({
          circuit: how % 5 === 0 ? 'open' : 'closed',
          alternatives: [
            { toolName: 'backup', circuit: 'closed', available: how % 3 !== 0 },
            { toolName: 'archive', circuit: 'open', available: how % 7 === 0 },
          ],
        });
      case 'consult':
        return this.decide(how);
      case 'start_attempt': {
        const outcome: Outcome =
          how % 3 === 0 ? { ok: true, output: how } : { ok: false, fault: how % 3 === 1 ? transientFault() : permanentFault() };
        return void bench.end(debt.attempt, outcome);
      }
    }
  }

  admit(request: Extract<Debt, { type: 'admit' }>, how: number): void {
    const { bench } = this;
    if (how % 7 === 0) {
      bench.wait(request);
      // Admitted again later, as a waiting call.
      if (bench.state.phase === 'waiting' && bench.state.pendingRequest === request.request) this.debts.push(request);
      return;
    }
    if (how % 7 === 1) return void bench.refuse('CIRCUIT_OPEN', 30_000, 'open', request);
    if (how % 7 === 2) return void bench.refuse('RATE_LIMITED', how % 2 === 0 ? 50 : 5_000, 'closed', request);
    // During a probe no other call is admitted.
    if (how % 11 === 0 && bench.state.live.length === 0) bench.permit({ request, permit: { probe: true } });
    else bench.permit({ request, hedgeAfterMs: 20 });
  }

  /** Any decision of an advisor or of the built-in error handler. */
  decide(how: number): void {
    const { bench } = this;
    const actions: readonly (DecisionAction | undefined)[] = [
      undefined,
      undefined,
      'retry',
      'use_alternative',
      'use_default',
      'accept_partial',
      'escalate',
      'fail',
      'skip',
    ];
    const action = actions[how % actions.length];
    const consulted = bench.effects.findLast((effect) => effect.type === 'consult');
    if (action === undefined || !consulted) return void bench.decide();
    const advice = {
      action,
      ...(action === 'retry' ? { delayMs: how } : {}),
      ...(action === 'use_alternative' ? { alternative: 'backup' } : {}),
    };
    const { inputs } = bench.handler.handle(consulted.notice);
    bench.decide(mayTake({ reason: '', guards: [], ...advice }, inputs) ? advice : undefined);
  }

  /** Answers all requests, so that the call must end. */
  drain(): void {
    for (
      let round = 0;
      round < 500 && !(isFinished(this.bench.state) && this.debts.length === 0 && this.bench.ledger.timers.size === 0);
      round++
    ) {
      const debt = this.debts.shift();
      // Some work never ends.
      if (debt?.type === 'start_attempt' && debt.attempt % 3 === 1) continue;
      if (debt?.type === 'admit') this.#then(() => this.bench.permit({ request: debt }));
      else if (debt?.type === 'consult') this.#then(() => this.bench.decide({ action: 'fail' }));
      else if (debt) this.#then(() => this.pay(debt, 0));
      else this.bench.pass(100_000);
      this.fireDue();
    }
  }
}

const rolls = fc.array(
  fc.record({ pick: fc.nat(1_000), roll: fc.nat(1_000_000), pass: fc.constantFrom(0, 0, 0, 1, 25, 400, 31_000, 100_000) }),
  {
    maxLength: 50,
    size: 'max',
  },
);

it('keeps its invariants for any inputs in any order', { timeout: 60_000 }, () => {
  const seen = new Set<string>();
  const draws = [rolls, fc.constantFrom('attempt' as const, 'call' as const), fc.boolean(), fc.option(fc.nat(3), { nil: null })] as const;
  fc.assert(
    fc.property(...draws, (script, count, hedged, left) => {
      const search = {
        effect: 'read' as const,
        breaker: { count },
        acceptPartial: true,
        alternatives: ['backup', 'archive'],
        fallback: { value: 'stale' },
        timeoutMs: 30_000,
        ...(hedged ? { hedge: { afterMs: 20, maxHedges: 2 } } : {}),
      };
      const bench = new CallBench({
        tools: { search, backup: { breaker: { count } }, archive: { breaker: { count } } },
        spec: { allowance: { left } },
      });
      const wanderer = new Wanderer(bench);
      for (const roll of script) wanderer.step(roll);
      wanderer.drain();
      expect(isFinished(bench.state)).toBe(true);
      bench.ledger.closeBooks(count);
      expect(bench.eventsOf('CallStarted')).toHaveLength(1);
      expect(bench.eventsOf('CallCompleted')).toHaveLength(1);
      expect(bench.eventsOf('AttemptStarted')).toHaveLength(bench.result?.attempts ?? -1);
      expect(bench.result).toMatchObject({ toolName: 'search', callId: 'call-1' });
      for (const what of wanderer.seen) seen.add(what);
    }),
    { numRuns: 1_000, examples: sameDraws(200, ...draws) },
  );
  expect(seen).toEqual(
    new Set([
      ...seen,
      'LateResult',
      'AttemptAbandoned',
      'AlternativeUsed',
      'DefaultUsed',
      'Escalated',
      'AdmissionWaiting',
      'CallRefused',
      'ToolTimeout',
      'ToolProgress',
    ]),
  );
});

it('keeps the permit of an attempt that it received after its end', () => {
  const bench = new CallBench();
  bench.submit().prepared();
  bench.feed({ type: 'cancelled', fault: cancelFault() });
  const permit = newPermit();
  bench.ledger.give(permit, 'search');
  expect(
    bench.feed({
      type: 'admission',
      request: bench.request.request,
      toolName: 'search',
      answer: { kind: 'permit', permit },
      circuit: 'closed',
    }),
  ).toEqual([{ type: 'return_permit', toolName: 'search', permit }]);
  bench.ledger.closeBooks('attempt');
});
