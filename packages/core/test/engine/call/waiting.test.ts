import { describe, expect, it } from 'vitest';
import type { Admission, CircuitState } from '../../../src/engine/admission/types.ts';
import type { Fault } from '../../../src/engine/call/fault.ts';
import { CallBench, newPermit } from '../../support/call-bench.ts';
import { permanentFault, transientFault } from '../../support/faults.ts';

const tools = { search: { waitForRecovery: { maxWaitMs: 60_000 }, retry: { jitter: 'none' as const } } };
const held = { circuit: 'open' as const, usualMs: 200, heldMs: 5_000 };

function bench(deadlineAt?: number, left: number | null = null): CallBench {
  return new CallBench({ tools, spec: { deadlineAt, allowance: { left } } }).submit().prepared();
}

function answer(on: CallBench, given: Admission, circuit: CircuitState = 'closed'): void {
  if (given.kind === 'permit') on.ledger.give(given.permit, 'search');
  if (given.kind === 'wait') on.ledger.tickets.set(given.ticket, 'search');
  else if (on.state.ticket !== undefined) on.ledger.tickets.delete(on.state.ticket);
  on.feed({ type: 'admission', request: on.request.request, toolName: 'search', answer: given, circuit });
}

const limitedFault: Fault = { ...transientFault(), classification: { ...transientFault().classification, retryAfterMs: 9_000 } };

const unknownFault: Fault = { ...transientFault(), classification: { ...transientFault().classification, rule: 'unknown' } };

const waits = (ticket = 7): Admission => ({ kind: 'wait', ticket, wait: 'recovery', retryAfterMs: 5_000, limit: 12, queued: 3 });

describe('a call at the gate of a tool that is down', () => {
  it('tells the gate its age and the time left of the turn, as durations, whatever the clock says', () => {
    const on = bench(31_000);
    expect(on.asked('admit')).toMatchObject({ ageMs: 0, turnLeftMs: 30_000 });
    expect(new CallBench().submit().feed({ type: 'prepared' })[0]).not.toHaveProperty('ageMs');
  });

  it('reports its wait, with the numbers, and at the end how long it took', () => {
    const on = bench();
    answer(on, waits());
    expect(on.eventsOf('AdmissionWaiting')).toMatchObject([{ wait: 'recovery', delay_ms: 5_000, limit: 12, queued: 3 }]);
    on.pass(4_000);
    answer(on, { kind: 'permit', permit: newPermit() });
    expect(on.eventsOf('AttemptStarted')).toMatchObject([{ attempt: 1, wait_ms: 4_000 }]);
    on.end(1, { ok: true, output: 1 });
    expect(on.eventsOf('CallCompleted')).toMatchObject([{ status: 'success', wait_ms: 4_000 }]);
  });

  it('that waited only for a slot, and then for recovery, reports when that began', () => {
    const on = bench();
    answer(on, { kind: 'wait', ticket: 7 });
    on.pass(500);
    answer(on, waits(8));
    on.pass(400);
    answer(on, waits(9));
    on.pass(100);
    answer(on, { kind: 'permit', permit: newPermit() });
    expect(on.eventsOf('AdmissionWaiting')).toMatchObject([{ wait: 'concurrency' }, { wait: 'recovery', delay_ms: 5_000 }]);
    expect(on.eventsOf('AttemptStarted')).toMatchObject([{ wait_ms: 500 }]);
  });

  it('that is finally refused says so in the text for the model', () => {
    const on = bench();
    answer(on, waits());
    on.pass(43_000);
    answer(on, { kind: 'refused', refusal: { code: 'CIRCUIT_OPEN', retryAfterMs: 800, source: 'circuit' } }, 'open');
    expect(on.eventsOf('CallRefused')).toMatchObject([{ code: 'CIRCUIT_OPEN', wait_ms: 43_000 }]);
    on.assess(held).decide();
    expect(on.result?.error?.advice).toMatch(
      /^Do not call search again for 800ms: .* This call already waited 43s for search to recover\.$/,
    );
  });

  it('that is overtaken by the deadline says so, too', () => {
    const on = bench(31_000);
    answer(on, waits());
    on.pass(30_000);
    on.feed({ type: 'deadline_reached', onDeadline: 'detach', timeoutMs: 30_000 });
    expect(on.result?.error).toMatchObject({ code: 'TURN_DEADLINE' });
    expect(on.result?.error?.advice).toContain('This call already waited 30s for search to recover.');
    expect(on.eventsOf('CallCompleted')).toMatchObject([{ wait_ms: 30_000 }]);
  });

  it('does not wait itself for a rate limit for which its gate would not let it wait', () => {
    const on = bench();
    answer(on, { kind: 'refused', refusal: { code: 'RATE_LIMITED', retryAfterMs: 300, source: 'limiter' } });
    expect(on.eventsOf('AdmissionWaiting')).toEqual([]);
    expect(on.state.phase).toBe('assessing');
  });
});

describe('a failed attempt', () => {
  function failed(on: CallBench, probe = false): CallBench {
    answer(on, { kind: 'permit', permit: newPermit({ probe }) });
    return on.end(on.state.attempts, { ok: false, fault: transientFault() });
  }

  it('against an open circuit returns to the gate after its own delay, and waits there', () => {
    const on = failed(bench()).assess(held).decide();
    expect(on.eventsOf('RecoveryDecided')[0]?.inputs).toMatchObject({ may_wait_ms: 60_000, held_ms: 5_000, probes: 0, next_delay_ms: 100 });
    expect(on.asked('set_timer')).toMatchObject({ timer: 'backoff', delayMs: 100 });
    on.fire('backoff', 2);
    expect(on.asked('admit')).toMatchObject({ retry: true, ageMs: 100 });
  });

  it.each([
    ['a transient one', transientFault(), false],
    ['one that shows nothing about the tool', unknownFault, true],
  ])('tells the gate at its retry how the one before failed: %s', (_what, fault, unknown) => {
    const on = new CallBench({ tools: { search: { ...tools.search, effect: 'read', unknownFailures: 'report' } } }).submit().prepared();
    expect(on.asked('admit')).toMatchObject({ retry: false, attempts: 0 });
    expect(on.asked('admit')?.failed).toBeUndefined();
    answer(on, { kind: 'permit', permit: newPermit() });
    on.pass(70);
    on.end(1, { ok: false, fault }).assess({ usualMs: 200 }).decide();
    on.fire('backoff', 2);
    expect(on.asked('admit')).toMatchObject({
      retry: true,
      attempts: 1,
      failed: { startedAt: 1_000, timedOut: false, unknown, down: false },
    });
  });

  it('by its time limit, and one that found the tool down, are reported as such', () => {
    const on = bench();
    answer(on, { kind: 'permit', permit: newPermit() });
    on.pass(30_000).fire('attempt', 1);
    expect(on.asked('record')).toMatchObject({ observation: { outcome: 'transient', timedOut: true, durationMs: 30_000 } });
    on.assess(held).decide();
    on.fire('backoff', 2);
    expect(on.asked('admit')).toMatchObject({ attempts: 1, failed: { timedOut: true, down: true } });
  });

  it('is recorded at once where calls wait, also if the circuit counts calls: the gate knows which call made it', () => {
    const perCall = { search: { ...tools.search, breaker: { count: 'call' as const } } };
    const on = new CallBench({ tools: perCall }).submit().prepared();
    answer(on, { kind: 'permit', permit: newPermit() });
    on.end(1, { ok: false, fault: limitedFault });
    expect(on.asked('record')).toMatchObject({ observation: { outcome: 'transient', retryAfterMs: 9_000 } });
    expect(on.asked('hold')).toBeUndefined();
    on.assess({ usualMs: 200 }).decide({ action: 'fail' });
    expect(on.effects.filter(({ type }) => type === 'record')).toHaveLength(1);
  });

  it('that was a probe counts for nothing: neither attempts nor the retries of the turn', () => {
    const on = bench(undefined, 1);
    for (let probe = 1; probe <= 7; probe += 1) {
      failed(on, true).assess(held).decide();
      on.fire('backoff', probe + 1);
    }
    expect(on.state.spec.allowance.left).toBe(1);
    expect(on.eventsOf('RecoveryDecided').at(-1)?.inputs).toMatchObject({ attempts: 7, probes: 7 });
    failed(on).assess({ usualMs: 200 }).decide();
    expect(on.state.spec.allowance.left).toBe(0);
  });

  it('itself waits for a Retry-After that the gate does not know yet', () => {
    const on = bench();
    answer(on, { kind: 'permit', permit: newPermit() });
    on.end(1, { ok: false, fault: limitedFault }).assess({ usualMs: 200 }).decide();
    expect(on.asked('set_timer')).toMatchObject({ timer: 'backoff', delayMs: 9_000 });
  });

  it('reports how much of the wait is left since the call began', () => {
    const on = bench();
    on.pass(20_000);
    failed(on).assess(held).decide();
    expect(on.eventsOf('RecoveryDecided')[0]?.inputs.may_wait_ms).toBe(40_000);
  });

  it('keeps a margin of the turn, a quarter if the turn is short', () => {
    const on = failed(bench(3_000)).assess(held).decide();
    expect(on.eventsOf('RecoveryDecided')[0]?.inputs.may_wait_ms).toBe(1_500);
    const longer = failed(bench(31_000)).assess(held).decide();
    expect(longer.eventsOf('RecoveryDecided')[0]?.inputs.may_wait_ms).toBe(29_000);
  });
});

describe('what other calls used up meanwhile', () => {
  it('is decided again: the last retry of the turn is taken once', () => {
    const on = new CallBench({ tools: { search: {} }, spec: { allowance: { left: 1 } } }).start();
    on.end(1, { ok: false, fault: transientFault() }).assess();
    const consulted = on.asked('consult');
    expect(consulted?.notice.facts.turnRetriesLeft).toBe(1);
    on.state.spec.allowance.left = 0;
    on.decide();
    expect(on.eventsOf('RecoveryDecided')).toMatchObject([{ inputs: { turn_retries_left: 0 }, decision: { stopped_by: 'budget' } }]);
    expect(on.result?.error?.stoppedBy).toBe('budget');
    expect(on.state.spec.allowance.left).toBe(0);
  });
});

describe('a hedge', () => {
  it('that fails for good does not end the call: the first attempt may succeed', () => {
    const on = new CallBench({ tools: { search: { effect: 'read', hedge: { afterMs: 20, maxHedges: 1 } } } }).submit().prepared();
    on.permit({ hedgeAfterMs: 20 });
    on.fire('hedge', 1);
    on.permit();
    on.end(2, { ok: false, fault: permanentFault() });
    expect(on.asked('abort_attempt')).toBeUndefined();
    on.end(1, { ok: true, output: 'first' });
    expect(on.result).toMatchObject({ status: 'success', output: 'first' });
    on.ledger.closeBooks('attempt');
  });

  it('is aborted when the first attempt fails for good', () => {
    const on = new CallBench({ tools: { search: { effect: 'read', hedge: { afterMs: 20, maxHedges: 1 } } } }).submit().prepared();
    on.permit({ hedgeAfterMs: 20 });
    on.fire('hedge', 1);
    on.permit();
    on.end(1, { ok: false, fault: permanentFault() });
    expect(on.asked('abort_attempt')).toMatchObject({ attempt: 2, reason: 'superseded' });
    on.assess().decide();
    expect(on.result?.error?.classification).toBe('permanent');
    on.end(2, { ok: true, output: 'late' });
    on.ledger.closeBooks('attempt');
  });

  it('is not made once the last retry of the turn is used', () => {
    const on = new CallBench({
      tools: { search: { effect: 'read', hedge: { afterMs: 20, maxHedges: 1 } } },
      spec: { allowance: { left: 1 } },
    });
    on.submit().prepared().permit({ hedgeAfterMs: 20 });
    on.fire('hedge', 1);
    on.state.spec.allowance.left = 0;
    on.permit();
    expect(on.asked('return_permit')).toBeDefined();
    expect(on.state.spec.allowance.left).toBe(0);
  });
});
