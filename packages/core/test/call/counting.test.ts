import { describe, expect, it } from 'vitest';
import { CallBench } from '../support/call-bench.ts';
import { permanentFault, transientFault } from '../support/faults.ts';

describe('per-call counting (S4)', () => {
  const tools = { search: { breaker: { count: 'call' as const }, retry: { maxAttempts: 3 } } };

  it('records one failure for a call that failed thrice', () => {
    const bench = new CallBench({ tools }).submit().prepared();
    for (let attempt = 1; attempt <= 3; attempt++) {
      bench.permit();
      bench.end(attempt, { ok: false, fault: transientFault() }).assess().decide();
      if (attempt < 3) bench.fire('backoff', attempt + 1);
    }
    expect(bench.effects.filter(({ type }) => type === 'record')).toHaveLength(1);
    bench.ledger.closeBooks('call');
  });

  it('records only the success of a call that succeeded at last', () => {
    const bench = new CallBench({ tools }).start().end(1, { ok: false, fault: transientFault() }).assess().decide().fire('backoff', 2);
    bench.permit();
    bench.end(2, { ok: true, output: 1 });
    expect(bench.effects.flatMap((effect) => (effect.type === 'record' ? [effect.observation.outcome] : []))).toEqual(['success']);
  });

  it('records a permanent failure at once', () => {
    const bench = new CallBench({ tools }).start().end(1, { ok: false, fault: permanentFault() });
    expect(bench.asked('record')).toMatchObject({ observation: { outcome: 'permanent' } });
  });

  it('records at most one failure where attempts ran side by side', () => {
    const hedged = { search: { ...tools.search, effect: 'read' as const, hedge: { afterMs: 10, maxHedges: 1 } } };
    const bench = new CallBench({ tools: hedged }).submit().prepared();
    bench.permit({ hedgeAfterMs: 10 });
    bench.fire('hedge', 1);
    bench.permit();
    bench.end(1, { ok: false, fault: transientFault() }).end(2, { ok: false, fault: transientFault() }).assess().decide({ action: 'fail' });
    bench.ledger.closeBooks('call');
  });
});
