import { describe, expect, it } from 'vitest';
import { isFinished } from '../../../src/engine/call/machine.ts';
import { CallBench } from '../../support/call-bench.ts';
import { faultOf, permanentFault, transientFault } from '../../support/faults.ts';
import { benchIn } from '../../support/bench-in-phase.ts';

describe('a call that succeeds', () => {
  it('has no unneeded effects', () => {
    const bench = new CallBench()
      .start()
      .pass(25)
      .end(1, { ok: true, output: { price: 1 } });
    expect(bench.effects.map((effect) => (effect.type === 'append' ? effect.event.event_type : effect.type))).toEqual([
      'CallStarted',
      'prepare',
      'admit',
      'AttemptStarted',
      'set_timer',
      'start_attempt',
      'clear_timer',
      'record',
      'release',
      'ToolSucceeded',
      'CallCompleted',
      'settle',
    ]);
    expect(bench.result).toEqual({
      toolName: 'search',
      callId: 'call-1',
      status: 'success',
      output: { price: 1 },
      executionTime: 25,
      attempts: 1,
      servedBy: 'search',
    });
    expect(isFinished(bench.state)).toBe(true);
    bench.ledger.closeBooks('attempt');
  });

  it('reports that it needed a retry', () => {
    const bench = benchIn('backing_off').fire('backoff', 2);
    bench.permit();
    bench.end(2, { ok: true, output: 1 });
    expect(bench.eventsOf('ToolSucceeded')).toMatchObject([{ attempt: 2, message: 'Tool succeeded on retry 2' }]);
    expect(bench.result).toMatchObject({ status: 'success', attempts: 2 });
  });

  it('delivers `undefined`', () => {
    const bench = new CallBench().start().end(1, { ok: true, output: undefined });
    expect(bench.result).toMatchObject({ status: 'success', output: undefined });
  });
});

describe('rejected before it ran', () => {
  it('is a result without attempts, and the breaker does not count it', () => {
    const bench = new CallBench().submit();
    bench.feed({ type: 'prepared', fault: permanentFault('No') });
    bench.assess().decide();
    expect(bench.result).toMatchObject({ status: 'error', attempts: 0, error: { classification: 'permanent', message: 'Tool error: No' } });
    expect(bench.effects.filter(({ type }) => type === 'record' || type === 'admit')).toEqual([]);
  });
});

describe('retries', () => {
  it('keep the last real error when a retry is refused', () => {
    const bench = benchIn('backing_off').fire('backoff', 2).refuse('CIRCUIT_OPEN', 30_000, 'open');
    bench.assess({ circuit: 'open' }).decide();
    expect(bench.result).toMatchObject({
      status: 'error',
      attempts: 1,
      error: { code: 'SERVICE_UNAVAILABLE', message: 'Tool error: Service unavailable', stoppedBy: 'circuit' },
    });
    expect(bench.eventsOf('CallRefused')).toMatchObject([{ code: 'CIRCUIT_OPEN', retry_after_ms: 30_000, circuit_breaker_state: 'open' }]);
  });

  it('keep the last real error when the budget refuses', () => {
    const bench = benchIn('backing_off').fire('backoff', 2).refuse('RETRY_BUDGET_EXHAUSTED', 4_000);
    bench.assess().decide();
    expect(bench.result).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE', stoppedBy: 'budget' } });
  });

  it('do not hide that the last error was a different one', () => {
    const bench = benchIn('backing_off').fire('backoff', 2);
    bench.permit();
    bench
      .end(2, { ok: false, fault: permanentFault('Gone') })
      .assess()
      .decide();
    expect(bench.result).toMatchObject({ attempts: 2, error: { message: 'Tool error: Gone', classification: 'permanent' } });
  });

  it('stop at the maximum of attempts', () => {
    const bench = new CallBench({ tools: { search: { retry: { maxAttempts: 3 } } } }).submit().prepared();
    for (let attempt = 1; attempt <= 3; attempt++) {
      bench.permit();
      bench
        .end(attempt, { ok: false, fault: transientFault(`failure ${attempt}`) })
        .assess()
        .decide();
      if (attempt < 3) bench.fire('backoff', attempt + 1);
    }
    expect(bench.result).toMatchObject({ attempts: 3, error: { message: 'Tool error: failure 3', stoppedBy: 'attempts' } });
    expect(bench.eventsOf('ToolError').map(({ retry_count, decision }) => [retry_count, decision])).toEqual([
      [0, 'retry'],
      [1, 'retry'],
      [2, 'escalate'],
    ]);
    bench.ledger.closeBooks('attempt');
  });

  it('wait for the end of the failed attempt, not for its start', () => {
    const bench = new CallBench({ tools: { search: { retry: { jitter: 'none' } } } }).start().pass(600);
    bench.end(1, { ok: false, fault: transientFault() }).assess().decide();
    expect(bench.ledger.timers.get('backoff 2')).toBe(bench.now + 100);
  });

  // docs/specification.md#s1-2-4
  it('run attempts 1 to 4 of 600 ms each in 2 s from the first failure', () => {
    const bench = new CallBench({ tools: { search: { retry: { jitter: 'none' } } } }).submit().prepared();
    let attempt = 0;
    while (!bench.result) {
      attempt += 1;
      bench.permit();
      bench.pass(600).end(attempt, { ok: false, fault: transientFault() }).assess().decide();
      if (!bench.result) bench.fire('backoff', attempt + 1);
    }
    expect(bench.result).toMatchObject({ attempts: 4, error: { stoppedBy: 'budget' } });
  });

  it('count down the retries of the turn', () => {
    const allowance = { left: 1 };
    const bench = new CallBench({ spec: { allowance } })
      .start()
      .end(1, { ok: false, fault: transientFault() })
      .assess()
      .decide()
      .fire('backoff', 2);
    expect(allowance.left).toBe(0);
    bench.permit();
    bench.end(2, { ok: false, fault: transientFault() }).assess().decide();
    expect(bench.result).toMatchObject({ attempts: 2, error: { stoppedBy: 'budget' } });
  });
});

describe('a rate limit', () => {
  it('that fits is waited for', () => {
    const bench = new CallBench().submit().prepared().refuse('RATE_LIMITED', 500);
    expect(bench.eventsOf('AdmissionWaiting')).toMatchObject([{ wait: 'retry_after', delay_ms: 500 }]);
    bench.fire('backoff', 1);
    expect(bench.asked('admit')).toMatchObject({ retry: false });
    bench.permit();
    bench.end(1, { ok: true, output: 1 });
    expect(bench.result).toMatchObject({ status: 'success', executionTime: 500 });
  });

  it('that exceeds the retry time, or the turn, is reported at once', () => {
    for (const bench of [
      new CallBench().submit().prepared().refuse('RATE_LIMITED', 2_000),
      new CallBench({ spec: { deadlineAt: 1_400 } }).submit().prepared().refuse('RATE_LIMITED', 400),
    ]) {
      bench.assess().decide();
      expect(bench.result).toMatchObject({ status: 'error', attempts: 0, error: { code: 'RATE_LIMITED', classification: 'neutral' } });
      expect(bench.result?.error?.retryAfterMs).toBeGreaterThanOrEqual(400);
    }
  });

  it('waited for before the first attempt does not reduce the retry time of later failures', () => {
    const bench = new CallBench({ tools: { search: { timeoutMs: 30_000 } } })
      .submit()
      .prepared()
      .refuse('RATE_LIMITED', 100)
      .fire('backoff', 1);
    bench.permit();
    bench.fire('attempt', 1).assess().decide();
    expect(bench.state.phase).toBe('backing_off');
  });
});

describe('a time limit', () => {
  it('settles the call, keeps the slot until the work ends, and reports the late result', () => {
    const bench = new CallBench({ tools: { search: { timeoutMs: 30_000, retry: { maxAttempts: 1 } } } }).start().fire('attempt', 1);
    expect(bench.asked('abort_attempt')).toMatchObject({ reason: 'timeout' });
    bench.assess().decide();
    expect(bench.result).toMatchObject({
      status: 'timeout',
      executionTime: 30_000,
      error: { code: 'TOOL_TIMEOUT', message: 'Tool timeout after 30s', ambiguous: true, stoppedBy: 'attempts' },
    });
    expect(bench.eventsOf('ToolTimeout')).toMatchObject([{ tool_id: 'search', timeout_ms: 30_000 }]);
    expect(bench.effects.some(({ type }) => type === 'release')).toBe(false);
    expect(isFinished(bench.state)).toBe(false);
    bench.pass(5_000).end(1, { ok: true, output: 'late' });
    expect(bench.eventsOf('LateResult')).toMatchObject([{ result: 'late_success', duration_ms: 35_000 }]);
    expect(isFinished(bench.state)).toBe(true);
    bench.ledger.closeBooks('attempt');
  });

  it('gives up the slot at the abandon limit, and ignores the work from then on', () => {
    const bench = new CallBench({ tools: { search: { abandonMs: 60_000, retry: { maxAttempts: 1 } } } })
      .start()
      .fire('attempt', 1)
      .assess()
      .decide();
    bench.fire('abandon', 1);
    expect(bench.eventsOf('AttemptAbandoned')).toMatchObject([{ attempt: 1, duration_ms: 90_000 }]);
    expect(bench.end(1, { ok: true, output: 'never' }).last).toEqual([]);
    bench.ledger.closeBooks('attempt');
  });

  it('of 0 ms and of Infinity are valid', () => {
    const never = new CallBench({ tools: { search: { timeoutMs: Number.POSITIVE_INFINITY } } }).start();
    expect(never.ledger.timers.size).toBe(0);
    expect(never.asked('start_attempt')).toMatchObject({ timeoutMs: Number.POSITIVE_INFINITY });
  });

  it('delivers the partial output, with acceptPartial', () => {
    const bench = new CallBench({ tools: { search: { acceptPartial: true } } }).start();
    bench.feed({ type: 'partial_reported', attempt: 1, output: ['first'] });
    bench.feed({ type: 'partial_reported', attempt: 1, output: ['first', 'second'] });
    bench.fire('attempt', 1).assess().decide();
    expect(bench.result).toMatchObject({ status: 'success', partial: true, output: ['first', 'second'] });
  });

  it('does not deliver a partial output that was not requested', () => {
    const bench = new CallBench({ tools: { search: { retry: { maxAttempts: 1 } } } }).start();
    bench.feed({ type: 'partial_reported', attempt: 1, output: ['first'] });
    bench.fire('attempt', 1).assess().decide();
    expect(bench.result).toMatchObject({ status: 'timeout' });
  });
});

describe('alternatives', () => {
  const tools = { search: { alternatives: ['backup'] }, backup: { timeoutMs: 5_000 } };
  const toBackup = (): CallBench => {
    const bench = new CallBench({ tools }).start().end(1, { ok: false, fault: permanentFault() });
    return bench.assess({ alternatives: [{ toolName: 'backup', circuit: 'closed', available: true }] }).decide();
  };

  // docs/specification.md#s1-6-4
  it('succeed as the call', () => {
    const bench = toBackup();
    expect(bench.asked('prepare')).toEqual({ type: 'prepare', toolName: 'backup' });
    bench.prepared().permit();
    expect(bench.asked('start_attempt')).toMatchObject({ toolName: 'backup', attempt: 2, timeoutMs: 5_000 });
    bench.end(2, { ok: true, output: 'found' });
    expect(bench.result).toMatchObject({ toolName: 'search', servedBy: 'backup', fallbackUsed: true, status: 'success', attempts: 2 });
    expect(bench.eventsOf('AlternativeUsed')).toMatchObject([
      { tool_id: 'search', alternative: 'backup', message: 'Used alternative tool' },
    ]);
    expect(bench.eventsOf('ToolSucceeded')[0]?.message).toBeUndefined();
    bench.ledger.closeBooks('attempt');
  });

  it('are tried once each', () => {
    const bench = toBackup().prepared();
    bench.permit();
    bench.end(2, { ok: false, fault: permanentFault('Not here either') });
    bench.assess({ alternatives: [{ toolName: 'backup', circuit: 'closed', available: true }] }).decide();
    expect(bench.result).toMatchObject({ status: 'error', servedBy: 'backup', error: { message: 'Tool error: Not here either' } });
  });

  it('that reject the arguments keep the first error', () => {
    const bench = toBackup();
    bench.feed({ type: 'prepared', fault: permanentFault('other arguments') });
    bench.assess().decide();
    expect(bench.result).toMatchObject({ attempts: 1 });
  });
});

// docs/specification.md#s4
describe('a fallback value', () => {
  it('is an error with an output', () => {
    const bench = new CallBench({ tools: { search: { fallback: { value: [] } } } })
      .start()
      .end(1, { ok: false, fault: permanentFault() })
      .assess()
      .decide();
    expect(bench.result).toMatchObject({ status: 'error', output: [], fallbackUsed: true });
    expect(bench.eventsOf('DefaultUsed')).toHaveLength(1);
  });
});

describe('losing a call', () => {
  // docs/specification.md#s1-6-5
  it('escalates a required one and notifies the user', () => {
    const bench = new CallBench({ spec: { critical: true } })
      .start()
      .end(1, { ok: false, fault: faultOf(new TypeError('x is not a function')) })
      .assess()
      .decide();
    expect(bench.eventsOf('Escalated')).toMatchObject([{ critical: true, user_message: bench.result?.error?.userMessage }]);
  });

  it('does not escalate an optional one', () => {
    const bench = new CallBench({ spec: { optional: true } }).start().end(1, { ok: false, fault: permanentFault() }).assess().decide();
    expect(bench.eventsOf('Escalated')).toEqual([]);
    expect(bench.eventsOf('RecoveryDecided')).toMatchObject([{ decision: { action: 'fail' } }]);
  });
});
