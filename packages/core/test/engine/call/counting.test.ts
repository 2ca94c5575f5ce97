import { describe, expect, it } from 'vitest';
import { CallBench } from '../../support/call-bench.ts';
import { faultOf, permanentFault, transientFault } from '../../support/faults.ts';

// docs/specification.md#s4
describe('per-call counting', () => {
  const tools = { search: { breaker: { count: 'call' as const }, retry: { maxAttempts: 3 } } };

  it('records one failure for a call that failed three times', () => {
    const bench = new CallBench({ tools }).submit().prepared();
    for (let attempt = 1; attempt <= 3; attempt++) {
      bench.permit();
      bench.end(attempt, { ok: false, fault: transientFault() }).assess().decide();
      if (attempt < 3) bench.fire('backoff', attempt + 1);
    }
    expect(bench.effects.filter(({ type }) => type === 'record')).toHaveLength(1);
    bench.ledger.closeBooks('call');
  });

  it('records only the success of a call that finally succeeded', () => {
    const bench = new CallBench({ tools }).start().end(1, { ok: false, fault: transientFault() }).assess().decide().fire('backoff', 2);
    bench.permit();
    bench.end(2, { ok: true, output: 1 });
    expect(bench.effects.flatMap((effect) => (effect.type === 'record' ? [effect.observation.outcome] : []))).toEqual(['success']);
  });

  it('records a permanent failure at once', () => {
    const bench = new CallBench({ tools }).start().end(1, { ok: false, fault: permanentFault() });
    expect(bench.asked('record')).toMatchObject({ observation: { outcome: 'permanent' } });
  });

  it('records at most one failure for concurrent attempts', () => {
    const hedged = { search: { ...tools.search, effect: 'read' as const, hedge: { afterMs: 10, maxHedges: 1 } } };
    const bench = new CallBench({ tools: hedged }).submit().prepared();
    bench.permit({ hedgeAfterMs: 10 });
    bench.fire('hedge', 1);
    bench.permit();
    bench.end(1, { ok: false, fault: transientFault() }).end(2, { ok: false, fault: transientFault() }).assess().decide({ action: 'fail' });
    bench.ledger.closeBooks('call');
  });

  const limited = faultOf(Object.assign(new Error('Too Many Requests'), { status: 429, headers: { 'retry-after': '1' } }));

  it('reports a Retry-After to the gate at once, and not again when the failure is recorded', () => {
    const bench = new CallBench({ tools }).start().pass(70).end(1, { ok: false, fault: limited });
    expect(bench.last.map(({ type }) => type).filter((type) => ['hold', 'observe', 'record'].includes(type))).toEqual(['hold', 'observe']);
    expect(bench.asked('hold')).toEqual({ type: 'hold', toolName: 'search', holdMs: 1_000, durationMs: 70 });
    bench.pass(300).assess().decide({ action: 'fail' });
    expect(bench.asked('record')).toMatchObject({ observation: { outcome: 'transient', rateLimited: true, retryAfterMs: 0 } });
    bench.ledger.closeBooks('call');
  });

  it('reports it also for one of several concurrent attempts, whatever the others do', () => {
    const hedged = { search: { ...tools.search, effect: 'read' as const, hedge: { afterMs: 10, maxHedges: 1 } } };
    const bench = new CallBench({ tools: hedged }).submit().prepared();
    bench.permit({ hedgeAfterMs: 10 });
    bench.fire('hedge', 1);
    bench.permit();
    bench.end(2, { ok: false, fault: limited });
    expect(bench.asked('hold')).toMatchObject({ holdMs: 1_000 });
    expect(bench.asked('record')).toBeUndefined();
  });

  it('holds no call for a failure without a Retry-After, nor twice for a recorded one', () => {
    const silent = new CallBench({ tools }).start().end(1, { ok: false, fault: transientFault() });
    expect(silent.asked('hold')).toBeUndefined();
    const perAttempt = new CallBench({ tools: { search: {} } }).start().end(1, { ok: false, fault: limited });
    expect(perAttempt.asked('hold')).toBeUndefined();
    expect(perAttempt.asked('record')).toMatchObject({ observation: { retryAfterMs: 1_000 } });
  });
});
