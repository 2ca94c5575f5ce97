/** A what-if beyond the record: attempts that were never made, and attempts that were cut off and now have more time. */
import { describe, expect, it } from 'vitest';
import { replayTurn } from '../../src/replay/index.ts';
import type { TraceEvent } from '../../src/engine/trace/events.ts';
import { answer, down, fail, wait, scenario } from '../support/scenario.ts';

const record = async (setup: Parameters<typeof scenario>[1]): Promise<readonly TraceEvent[]> =>
  (await scenario('recorded', setup).run()).trace;

describe('unknown attempts', () => {
  const twoFailures = (): Promise<readonly TraceEvent[]> =>
    record({ tools: { search: [{ retry: { maxAttempts: 2 } }, wait(10, fail({ status: 503 }, 'one')), wait(30, down)] } });

  it('fail like the last failure', async () => {
    const { report, assumptions } = replayTurn(await twoFailures(), { policy: { retry: { maxAttempts: 3 } }, unknownAttempts: 'fail' });
    expect(report.results).toMatchObject([{ status: 'error', attempts: 3, executionTime: 370, error: { message: 'Tool error: down' } }]);
    expect(assumptions).toEqual(["Attempt 3 of search in call 'call-1' was never made; it is assumed to fail."]);
  });

  it('succeed, and take as long as the last attempt if none has succeeded', async () => {
    const changes = { policy: { retry: { maxAttempts: 3 } }, unknownAttempts: 'succeed' } as const;
    const { report, assumptions } = replayTurn(await twoFailures(), changes);
    expect(report.results).toMatchObject([{ status: 'success', attempts: 3, executionTime: 370 }]);
    expect(assumptions).toEqual(["Attempt 3 of search in call 'call-1' was never made; it is assumed to succeed."]);
  });

  it('behave like those of another call of the tool if this call had no such outcome', async () => {
    const trace = await record({
      tools: {
        search: [{ retry: { maxAttempts: 1 }, breaker: false }, wait(10, fail({ status: 503 }, 'busy')), wait(70, answer('found'))],
      },
      calls: [
        { callId: 'a', toolName: 'search' },
        { callId: 'b', toolName: 'search', dependsOn: [] },
      ],
      options: { capture: 'all' },
    });
    const changes = { policy: { retry: { maxAttempts: 2, initialDelayMs: 0, jitter: 'none' } } } as const;
    const best = replayTurn(trace, { ...changes, unknownAttempts: 'succeed' });
    expect(best.report.results).toMatchObject([{ callId: 'a', status: 'success', output: 'found', executionTime: 80 }, { callId: 'b' }]);
    const worst = replayTurn(trace, { ...changes, unknownAttempts: 'fail' });
    expect(worst.report.results).toMatchObject([{ callId: 'a', status: 'error', executionTime: 20 }, { callId: 'b' }]);
  });

  it('fail with an unknown error if the tool has never failed', async () => {
    const trace = await record({
      tools: { search: [{ retry: { maxAttempts: 1 }, alternatives: ['backup'], breaker: false }, down], backup: [{}, answer('found')] },
      options: { recoveryRules: [{ name: 'no', deny: ['use_alternative'] }] },
    });
    const { report } = replayTurn(trace, { recoveryRules: [], unknownAttempts: 'fail' });
    expect(report.results).toMatchObject([{ status: 'error', error: { classification: 'transient', category: 'unknown' } }]);
  });

  const cutOff = (): Promise<readonly TraceEvent[]> =>
    record({ tools: { search: [{ timeoutMs: 1_000, retry: { maxAttempts: 1 } }, wait(1_500, answer('late'))] } });

  it.each([
    ['as_last', 'timeout', 5_000, 'hang'],
    ['fail', 'timeout', 5_000, 'hang'],
    ['succeed', 'success', 1_001, 'succeed'],
  ] as const)('after a cut-off with more time: %s', async (unknownAttempts, status, executionTime, how) => {
    const { report, assumptions } = replayTurn(await cutOff(), { policy: { timeoutMs: 5_000 }, unknownAttempts });
    expect(report.results).toMatchObject([{ status, executionTime }]);
    const sentence = `Attempt 1 of search in call 'call-1' was cut off after 1000 ms; given more time it is assumed to ${how}.`;
    expect(assumptions).toEqual([sentence]);
  });

  it.each(['as_last', 'fail', 'succeed'] as const)('after a cut-off without more time are known: %s', async (unknownAttempts) => {
    const { report, assumptions } = replayTurn(await cutOff(), { policy: { timeoutMs: 800 }, unknownAttempts });
    expect(report.results).toMatchObject([{ status: 'timeout', executionTime: 800 }]);
    const same = replayTurn(await cutOff(), { unknownAttempts });
    expect(same.report.results).toMatchObject([{ status: 'timeout', executionTime: 1_000 }]);
    expect([assumptions, same.assumptions]).toEqual([[], []]);
  });

  it('are configured by one of three values', async () => {
    const trace = await twoFailures();
    expect(() => replayTurn(trace, { unknownAttempts: 'succed' as 'succeed' })).toThrow(
      "replay: options.unknownAttempts must be 'as_last', 'fail' or 'succeed', got 'succed'. Leave it out for 'as_last'.",
    );
  });

  it('are limited by `maxUnknown`', async () => {
    const trace = await twoFailures();
    const changes = {
      policy: { breaker: false, retry: { maxAttempts: 1e9, initialDelayMs: 0, maxTotalTimeMs: Infinity } },
      turn: { timeoutMs: null },
    } as const;
    for (const unknownAttempts of ['as_last', 'fail'] as const) {
      const replay = (): unknown => replayTurn(trace, { ...changes, unknownAttempts, maxUnknown: 50 });
      expect(replay).toThrow(RangeError);
      expect(replay).toThrow(
        expect.objectContaining({ code: 'TOO_MANY_UNKNOWN', message: expect.stringContaining('more than 50 attempts') as string }),
      );
    }
    expect(replayTurn(trace, { policy: { retry: { maxAttempts: 4 } }, maxUnknown: 2 }).assumptions).toHaveLength(2);
    expect(() => replayTurn(trace, { maxUnknown: Number.NaN })).toThrow('replay: options.maxUnknown must be a number, 0 or more, got NaN.');
  });
});
