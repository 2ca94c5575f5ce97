import { describe, expect, it } from 'vitest';
import { CallBench } from '../../support/call-bench.ts';
import { cancelFault, transientFault } from '../../support/faults.ts';

const tools = { search: { effect: 'read' as const, hedge: { afterMs: 20, maxHedges: 1 } } };

function hedged(left: number | null = null): CallBench {
  const bench = new CallBench({ tools, spec: { allowance: { left } } }).submit().prepared();
  bench.permit({ hedgeAfterMs: 20 });
  bench.fire('hedge', 1);
  return bench;
}

describe('a slow first attempt', () => {
  it('gets a hedge; the faster answer wins and the slower attempt is aborted', () => {
    const bench = hedged();
    expect(bench.asked('admit')).toMatchObject({ toolName: 'search', retry: true });
    bench.permit();
    expect(bench.eventsOf('AttemptStarted').map(({ attempt, hedge }) => [attempt, hedge])).toEqual([
      [1, undefined],
      [2, true],
    ]);
    bench.end(2, { ok: true, output: 'second' });
    expect(bench.asked('abort_attempt')).toMatchObject({ attempt: 1, reason: 'superseded' });
    expect(bench.result).toMatchObject({ status: 'success', output: 'second', attempts: 2 });
    bench.end(1, { ok: true, output: 'first' });
    expect(bench.eventsOf('LateResult')).toHaveLength(1);
    bench.ledger.closeBooks('attempt');
  });

  it('that wins after all does not count as a retry', () => {
    const bench = hedged();
    bench.permit();
    bench.end(1, { ok: true, output: 'first' });
    expect(bench.eventsOf('ToolSucceeded')[0]).toMatchObject({ attempt: 1 });
    expect(bench.eventsOf('ToolSucceeded')[0]?.message).toBeUndefined();
    bench.fire('abandon', 2);
    bench.ledger.closeBooks('attempt');
  });

  it('is not hedged when admission makes the hedge wait, or refuses it', () => {
    const waiting = hedged();
    waiting.wait();
    expect(waiting.asked('cancel_wait')).toBeDefined();
    const refused = hedged().refuse('RETRY_BUDGET_EXHAUSTED');
    for (const bench of [waiting, refused]) {
      expect(bench.state.phase).toBe('running');
      bench.end(1, { ok: true, output: 1 });
      expect(bench.result).toMatchObject({ status: 'success', attempts: 1 });
      bench.ledger.closeBooks('attempt');
    }
  });

  it('whose failure comes first leaves the decision to the hedge', () => {
    const bench = hedged();
    bench.permit();
    bench.end(1, { ok: false, fault: transientFault('first') });
    expect(bench.asked('consult')).toBeUndefined();
    expect(bench.state.phase).toBe('running');
    bench
      .end(2, { ok: false, fault: transientFault('second') })
      .assess()
      .decide({ action: 'fail' });
    expect(bench.result).toMatchObject({ attempts: 2, error: { message: 'Tool error: second' } });
    bench.ledger.closeBooks('attempt');
  });

  it('that times out leaves the decision to the hedge', () => {
    const bench = hedged();
    bench.permit();
    bench.fire('attempt', 1);
    expect(bench.state.phase).toBe('running');
    bench.end(2, { ok: true, output: 'second' });
    expect(bench.result).toMatchObject({ status: 'success' });
    bench.fire('abandon', 1);
    bench.ledger.closeBooks('attempt');
  });
});

it('counts against the retries of the turn', () => {
  const bench = new CallBench({ tools, spec: { allowance: { left: 0 } } }).submit().prepared();
  bench.permit({ hedgeAfterMs: 20 });
  bench.fire('hedge', 1);
  expect(bench.last).toEqual([]);
  const allowed = hedged(1);
  allowed.permit();
  expect(allowed.state.spec.allowance.left).toBe(0);
});

it('cancels both at once', () => {
  const bench = hedged();
  bench.permit();
  bench.feed({ type: 'cancelled', fault: cancelFault() });
  expect(bench.last.filter(({ type }) => type === 'abort_attempt')).toHaveLength(2);
  bench.fire('abandon', 1).fire('abandon', 2);
  bench.ledger.closeBooks('attempt');
});

it('returns the permit of a hedge that arrives after the end', () => {
  const bench = hedged();
  bench.end(1, { ok: true, output: 1 });
  bench.permit();
  expect(bench.asked('return_permit')).toBeDefined();
  bench.ledger.closeBooks('attempt');
});

it('clears the hedge timer with the attempt', () => {
  const bench = new CallBench({ tools }).submit().prepared();
  bench.permit({ hedgeAfterMs: 20 });
  bench.end(1, { ok: true, output: 1 });
  expect(bench.ledger.timers.size).toBe(0);
});
