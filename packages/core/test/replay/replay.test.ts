import { describe, expect, test } from 'vitest';
import type { TraceEvent } from '../../src/index.ts';
import { defineTool, ToolExecutionService } from '../../src/index.ts';
import { replayTurn } from '../../src/replay/index.ts';
import { manualSystem } from '../../src/testing/index.ts';

/** A turn whose one tool fails twice and then answers. */
async function flakyTurn(): Promise<readonly TraceEvent[]> {
  const system = manualSystem();
  let uses = 0;
  const flaky = defineTool({
    name: 'flaky',
    run: () => {
      if (++uses < 3) throw Object.assign(new Error('Service unavailable'), { status: 503 });
      return 'answer';
    },
  });
  const service = new ToolExecutionService({ tools: [flaky], system, seed: 'replay' });
  const { trace } = await system.until(service.executeTurn({ turnId: 'flaky', calls: [{ callId: 'a', toolName: 'flaky' }] }));
  return JSON.parse(JSON.stringify(trace)) as TraceEvent[];
}

const decisions = (events: readonly TraceEvent[]): readonly string[] =>
  events.flatMap((event) => (event.event_type === 'RecoveryDecided' ? [event.decision.action] : []));

describe('replay', () => {
  test('has the same decisions with the same delays', async () => {
    const recorded = await flakyTurn();
    const { trace, report, differences, interrupted } = replayTurn(recorded);
    expect(decisions(trace)).toEqual(['retry', 'retry']);
    expect(differences).toEqual([]);
    expect(interrupted).toBe(false);
    expect(report).toMatchObject({
      turnId: 'flaky',
      outcome: 'success',
      executionTime: (recorded.at(-1) as { duration_ms: number }).duration_ms,
    });
  });

  test('reports a decision that would differ now', async () => {
    const recorded = (await flakyTurn()).map((event) =>
      event.event_type === 'RecoveryDecided' && event.attempt === 2 ? { ...event, decision: { ...event.decision, delay_ms: 7 } } : event,
    );
    const { differences } = replayTurn(recorded);
    expect(differences).toMatchObject([
      {
        kind: 'decision',
        where: "decision 2 of call 'a'",
        callId: 'a',
        position: 2,
        recorded: { delay_ms: 7 },
        replayed: { action: 'retry', delay_ms: expect.closeTo(190.24, 2) },
      },
      // The recorded decision is executed, but another event has a different delay.
      { kind: 'event', where: "events[9].delay_ms (RetryScheduled of call 'a')", recorded: expect.closeTo(190.24, 2), replayed: 7 },
    ]);
  });

  test('shows the effect of another policy', async () => {
    const recorded = await flakyTurn();
    const { report, differences, assumptions } = replayTurn(recorded, { policy: { retry: { maxAttempts: 2 } } });
    expect(report).toMatchObject({ outcome: 'failed', results: [{ status: 'error', attempts: 2, error: { stoppedBy: 'attempts' } }] });
    expect(differences).toMatchObject([{ callId: 'a', position: 2, recorded: { action: 'retry' }, replayed: { action: 'escalate' } }]);
    expect(assumptions).toEqual([]);
  });

  test('reports an assumption beyond the record', async () => {
    const system = manualSystem();
    const down = defineTool({
      name: 'down',
      retry: { maxAttempts: 1 },
      run: () => {
        throw new Error('Service unavailable (503)');
      },
    });
    const service = new ToolExecutionService({ tools: [down], system, seed: 'replay' });
    const { trace } = await system.until(service.executeTurn({ calls: [{ callId: 'a', toolName: 'down' }] }));
    const { report, assumptions } = replayTurn(trace, { tools: { down: { retry: { maxAttempts: 2 } } } });
    expect(report.results).toMatchObject([{ status: 'error', attempts: 2 }]);
    expect(assumptions).toEqual(["Attempt 2 of down in call 'a' was never made; it is assumed to fail like the last one seen."]);
  });

  test('follows other rules and another deadline', async () => {
    const recorded = await flakyTurn();
    const never = [{ name: 'never', deny: ['retry' as const], reason: 'too expensive' }];
    expect(decisions(replayTurn(recorded, { recoveryRules: never }).trace)).toEqual(['escalate']);
    expect(replayTurn(recorded, { turn: { timeoutMs: 50 } }).report.results).toMatchObject([
      { status: 'error', error: { stoppedBy: 'deadline' } },
    ]);
  });

  test('rejects events without a turn, and a turn without an end', async () => {
    const recorded = await flakyTurn();
    expect(() => replayTurn([])).toThrow(
      new TypeError(
        'replay: the events contain no TurnStarted. Only the trace of a whole turn can be replayed, or that of a single call with its settings, which older versions did not record.',
      ),
    );
    expect(() => replayTurn(recorded.slice(0, 5))).toThrow(
      new TypeError(
        'replay: the recorded turn was interrupted, so there is no end to replay to: its last event is events[4] (RecoveryDecided). ' +
          'Use a what-if, such as { policy: {} }, to see how it might have continued.',
      ),
    );
    expect(replayTurn(recorded.slice(0, 5), { policy: {} }).interrupted).toBe(true);
  });
});
