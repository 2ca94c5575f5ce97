import { describe, expect, it } from 'vitest';
import { isFinished } from '../../../src/engine/call/machine.ts';
import { CallBench } from '../../support/call-bench.ts';
import { cancelFault, transientFault } from '../../support/faults.ts';

const cancel = (bench: CallBench): CallBench => {
  bench.feed({ type: 'cancelled', fault: cancelFault() });
  return bench;
};
const expire = (bench: CallBench, onDeadline: 'detach' | 'abort'): CallBench => {
  bench.feed({ type: 'deadline_reached', onDeadline, timeoutMs: 300_000 });
  return bench;
};

describe('cancelling', () => {
  it('a waiting call leaves the queue', () => {
    const bench = new CallBench().submit().prepared();
    const ticket = bench.wait();
    cancel(bench);
    expect(bench.asked('cancel_wait')).toEqual({ type: 'cancel_wait', toolName: 'search', ticket });
    expect(bench.result).toMatchObject({
      status: 'error',
      attempts: 0,
      error: { code: 'CANCELLED', classification: 'neutral', retryable: false },
    });
    bench.ledger.closeBooks('attempt');
  });

  it('a running call aborts the work, with a neutral outcome, and keeps its slot until the work ends', () => {
    const bench = cancel(new CallBench().start().pass(50));
    expect(bench.asked('record')).toMatchObject({ observation: { outcome: 'neutral', durationMs: 50 } });
    expect(bench.asked('abort_attempt')).toMatchObject({ attempt: 1, reason: 'cancelled' });
    expect(bench.effects.some(({ type }) => type === 'release')).toBe(false);
    bench.end(1, { ok: false, fault: transientFault() });
    expect(bench.eventsOf('LateResult')).toMatchObject([{ result: 'late_failure' }]);
    bench.ledger.closeBooks('attempt');
  });

  it('a call in backoff clears its timer and makes no further request', () => {
    const bench = new CallBench().start().end(1, { ok: false, fault: transientFault() }).assess().decide();
    cancel(bench);
    expect(bench.ledger.timers.size).toBe(0);
    expect(bench.feed({ type: 'timer_fired', timer: 'backoff', attempt: 2 })).toEqual([]);
    bench.ledger.closeBooks('attempt');
  });

  it('while the error handler decides ignores its answer', () => {
    const bench = cancel(new CallBench().start().end(1, { ok: false, fault: transientFault() }).assess());
    bench.decide({ action: 'retry', delayMs: 0 });
    expect(bench.last).toEqual([]);
    bench.ledger.closeBooks('attempt');
  });

  it('before the arguments were validated starts nothing', () => {
    const bench = cancel(new CallBench().submit()).prepared();
    expect(bench.last).toEqual([]);
    bench.ledger.closeBooks('attempt');
  });

  it('twice settles once', () => {
    expect(cancel(cancel(new CallBench().start())).last).toEqual([]);
  });
});

describe('the deadline of the turn', () => {
  it('settles a call that never started', () => {
    const bench = expire(new CallBench().submit().prepared(), 'detach');
    expect(bench.result).toMatchObject({
      status: 'timeout',
      attempts: 0,
      error: { code: 'TURN_DEADLINE', message: 'Turn deadline of 300s reached before the tool was run', stoppedBy: 'deadline' },
    });
    expect(bench.result?.error?.ambiguous).toBeUndefined();
  });

  it('detach: lets the work finish, and its outcome counts for the circuit', () => {
    const bench = expire(new CallBench().start(), 'detach');
    expect(bench.result).toMatchObject({ status: 'timeout', error: { ambiguous: true } });
    expect(bench.asked('abort_attempt')).toBeUndefined();
    bench.pass(1_000).end(1, { ok: true, output: 'late' });
    expect(bench.asked('record')).toMatchObject({ observation: { outcome: 'success', durationMs: 1_000 } });
    expect(bench.eventsOf('LateResult')).toMatchObject([{ result: 'late_success' }]);
    bench.ledger.closeBooks('attempt');
  });

  it('detach: the work still ends at its own timeout', () => {
    const bench = expire(new CallBench().start().pass(10_000), 'detach');
    bench.fire('attempt', 1);
    expect(bench.now).toBe(31_000);
    expect(bench.asked('abort_attempt')).toMatchObject({ reason: 'timeout' });
    expect(bench.asked('record')).toMatchObject({ observation: { outcome: 'transient' } });
    bench.fire('abandon', 1);
    expect(isFinished(bench.state)).toBe(true);
    bench.ledger.closeBooks('attempt');
  });

  it('abort: ends the work, with a neutral outcome', () => {
    const bench = expire(new CallBench().start(), 'abort');
    expect(bench.asked('abort_attempt')).toMatchObject({ reason: 'deadline' });
    expect(bench.asked('record')).toMatchObject({ observation: { outcome: 'neutral' } });
    bench.fire('abandon', 1);
    bench.ledger.closeBooks('attempt');
  });

  it.each(['detach', 'abort'] as const)('%s: delivers the partial output, with acceptPartial', (onDeadline) => {
    const bench = new CallBench({ tools: { search: { acceptPartial: true } } }).start();
    bench.feed({ type: 'partial_reported', attempt: 1, output: 'half' });
    expire(bench, onDeadline);
    expect(bench.result).toMatchObject({ status: 'success', partial: true, output: 'half' });
  });

  it('keeps the live error of the previous attempt', () => {
    const fault = transientFault('first failure');
    const bench = expire(new CallBench().start().end(1, { ok: false, fault }).assess().decide(), 'detach');
    expect(bench.result?.error).toMatchObject({ code: 'TURN_DEADLINE', stoppedBy: 'deadline' });
    expect(bench.result?.error?.cause).toBe(fault.cause);
    expect(bench.ledger.timers.size).toBe(0);
  });

  it('does not claim that a failed tool was still running', () => {
    const bench = expire(new CallBench().start().end(1, { ok: false, fault: transientFault() }).assess().decide(), 'detach');
    expect(bench.result?.error?.message).not.toContain('while the tool was running');
  });
});
