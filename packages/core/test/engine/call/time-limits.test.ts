/** Attempts without a time limit, and attempts that are ended when they report no progress. */
import { describe, expect, it } from 'vitest';
import type { ToolPolicy, TurnSettings } from '../../../src/engine/settings/settings.ts';
import type { AttemptContext } from '../../../src/engine/tool/runner.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import { replayTurn } from '../../../src/replay/index.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import type { ToolExecutionServiceOptions } from '../../../src/runtime/service/options.ts';
import type { ManualSystem } from '../../../src/testing/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

const minute = 60_000;

interface Stage {
  readonly system: ManualSystem;
  readonly service: ToolExecutionService;
  readonly events: TraceEvent[];
  /** The contexts of all attempts so far. */
  readonly attempts: AttemptContext[];
  /** Ends the latest attempt. */
  answer: (output: unknown) => void;
}

function stage(policy: ToolPolicy, options: Partial<ToolExecutionServiceOptions> = {}): Stage {
  const system = manualSystem();
  const events: TraceEvent[] = [];
  const attempts: AttemptContext[] = [];
  const tool = defineTool({
    name: 'report',
    ...policy,
    run: (_args: unknown, context) => {
      attempts.push(context);
      return new Promise((resolve) => {
        made.answer = resolve;
      });
    },
  });
  const service = new ToolExecutionService({ system, seed: 'seed', tools: [tool], ...options });
  service.subscribe((event) => void events.push(event));
  const made: Stage = { system, service, events, attempts, answer: () => undefined };
  return made;
}

const timeouts = (events: readonly TraceEvent[]): readonly TraceEvent[] => events.filter(({ event_type }) => event_type === 'ToolTimeout');

describe('without a time limit', () => {
  it.each([
    ['of its own', { timeoutMs: Infinity }, {}],
    ['in the profile', {}, { profile: 'adaptive' }],
  ] as const)('%s an attempt takes as long as it takes, and sets no timer', async (_name, policy, options) => {
    const { system, service, events, attempts } = stage({ ...policy, hedge: false }, options);
    void service.executeTool({ toolName: 'report' });
    await system.settle();
    expect(system.pendingTimers).toBe(0);
    await system.advance(600 * minute);
    expect(attempts.map(({ timeoutMs }) => timeoutMs)).toEqual([Infinity]);
    expect(events.find(({ event_type }) => event_type === 'AttemptStarted')).toMatchObject({ timeout_ms: Infinity });
    expect(timeouts(events)).toEqual([]);
  });

  it('its answer is delivered', async () => {
    const made = stage({ timeoutMs: Infinity });
    const result = made.service.executeTool({ toolName: 'report' });
    await made.system.advance(10 * minute);
    made.answer('done');
    expect(await result).toMatchObject({ status: 'success', output: 'done', attempts: 1, executionTime: 10 * minute });
  });

  it('its trace is replayed exactly, also from JSON', async () => {
    const made = stage({ timeoutMs: Infinity });
    const turn = made.service.executeTurn({ turnId: 'turn', timeoutMs: 20 * minute, calls: [{ callId: 'A', toolName: 'report' }] });
    await made.system.advance(10 * minute);
    made.answer('done');
    const { trace } = await turn;
    const text = JSON.stringify(trace);
    expect(text).toContain('"timeout_ms":null');
    expect(replayTurn(JSON.parse(text) as TraceEvent[]).differences).toEqual([]);
  });

  it('the deadline of the turn leaves it running, and its slot is free after the abandon limit', async () => {
    const made = stage({ timeoutMs: Infinity, abandonMs: minute, concurrency: { limit: 1, queue: 0 } });
    const { service, system, events, attempts } = made;
    const plan = { turnId: 'turn', timeoutMs: 5 * minute, calls: [{ callId: 'A', toolName: 'report' }] };
    expect((await system.until(service.executeTurn(plan))).outcome).toBe('deadline');
    expect(service.getToolHealth('report')).toMatchObject({ inFlight: 1 });
    await system.advance(minute - 1);
    expect(service.getToolHealth('report')).toMatchObject({ inFlight: 1 });
    await system.advance(1);
    expect(service.getToolHealth('report')).toMatchObject({ inFlight: 0 });
    expect(events.at(-1)).toMatchObject({ event_type: 'AttemptAbandoned', duration_ms: 6 * minute });
    expect(attempts[0]?.signal.aborted).toBe(false);
    made.answer('late');
    await system.settle();
    expect(system.pendingTimers).toBe(0);
  });

  it('what it answers before that is recorded as late', async () => {
    const made = stage({ timeoutMs: Infinity });
    const { service, system, events } = made;
    await system.until(service.executeTurn({ turnId: 'turn', timeoutMs: minute, calls: [{ callId: 'A', toolName: 'report' }] }));
    made.answer('late');
    await system.settle();
    expect(events.at(-1)).toMatchObject({ event_type: 'LateResult', result: 'late_success' });
    expect(system.pendingTimers).toBe(0);
  });

  it('a probe that hangs loses its place after the lease of the circuit', async () => {
    const breaker = { failureThreshold: 1, openMs: 1_000, probeLeaseMs: 5_000 };
    const system = manualSystem();
    let runs = 0;
    const tool = defineTool({
      name: 'report',
      timeoutMs: Infinity,
      breaker,
      retry: { maxAttempts: 1 },
      run: () => {
        runs += 1;
        if (runs === 1) throw Object.assign(new Error('down'), { status: 503 });
        return runs === 2 ? new Promise(() => undefined) : 'up';
      },
    });
    const service = new ToolExecutionService({ system, tools: [tool] });
    await system.until(service.executeTool({ toolName: 'report' }));
    await system.advance(1_000);
    void service.executeTool({ toolName: 'report' });
    await system.advance(2_000);
    expect(await service.executeTool({ toolName: 'report' })).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
    await system.advance(10_000);
    expect(await service.executeTool({ toolName: 'report' })).toMatchObject({ output: 'up' });
  });
});

describe('a limit without progress', () => {
  const once: ToolPolicy = { timeoutMs: Infinity, idleTimeoutMs: 30_000, retry: { maxAttempts: 1 } };

  it('ends an attempt that reports none, and says so', async () => {
    const { system, service, events, attempts } = stage(once);
    const result = await system.until(service.executeTool({ toolName: 'report' }));
    expect(result).toMatchObject({ status: 'timeout', executionTime: 30_000 });
    expect(result.error).toMatchObject({
      code: 'TOOL_TIMEOUT',
      message: 'Tool timeout: no progress for 30s',
      classification: 'transient',
      category: 'timeout',
      rule: 'idle timeout',
      ambiguous: true,
    });
    expect(timeouts(events)).toMatchObject([{ timeout_ms: 30_000, idle: true, attempt: 1 }]);
    expect(attempts[0]?.signal.reason).toMatchObject({ name: 'TimeoutError', message: 'Tool timeout: no progress' });
  });

  it.each([
    ['progress', (context: AttemptContext) => context.reportProgress({ message: 'still at it' })],
    ['partial output', (context: AttemptContext) => context.reportPartial({ pages: 1 })],
  ])('starts again with %s', async (_name, report) => {
    const made = stage(once);
    const result = made.service.executeTool({ toolName: 'report' });
    for (let step = 0; step < 40; step++) {
      await made.system.advance(29_999);
      report(made.attempts[0] as AttemptContext);
    }
    made.answer('done');
    expect(await result).toMatchObject({ status: 'success', executionTime: 40 * 29_999 });
    expect(made.system.pendingTimers).toBe(0);
  });

  it('is counted from the last progress', async () => {
    const { system, service, attempts } = stage(once);
    const result = service.executeTool({ toolName: 'report' });
    await system.advance(20_000);
    attempts[0]?.reportProgress({});
    expect(await system.until(result)).toMatchObject({ status: 'timeout', executionTime: 50_000 });
  });

  it('does not extend the time limit', async () => {
    const { system, service, events, attempts } = stage({ ...once, timeoutMs: 40_000 });
    const result = service.executeTool({ toolName: 'report' });
    await system.advance(20_000);
    attempts[0]?.reportProgress({});
    expect(await system.until(result)).toMatchObject({ executionTime: 40_000, error: { message: 'Tool timeout after 40s' } });
    expect(timeouts(events)).toHaveLength(1);
    expect(timeouts(events)[0]).not.toHaveProperty('idle');
  });

  it('is retried like a timeout, where that is safe', async () => {
    const { system, service, attempts } = stage({ idleTimeoutMs: 1_000, effect: 'read', retry: { maxAttempts: 3, jitter: 'none' } });
    expect(await system.until(service.executeTool({ toolName: 'report' }))).toMatchObject({ status: 'timeout', attempts: 3 });
    expect(attempts).toHaveLength(3);
  });

  it('delivers partial output where that is accepted', async () => {
    const { system, service, attempts } = stage({ ...once, acceptPartial: true });
    const result = service.executeTool({ toolName: 'report' });
    await system.settle();
    attempts[0]?.reportPartial({ pages: 1 });
    expect(await system.until(result)).toMatchObject({ status: 'success', partial: true, output: { pages: 1 } });
  });

  it('still ends work that a deadline has left running', async () => {
    const { system, service, events, attempts } = stage({ ...once, idleTimeoutMs: 2 * minute });
    await system.until(service.executeTurn({ turnId: 'turn', timeoutMs: minute, calls: [{ callId: 'A', toolName: 'report' }] }));
    attempts[0]?.reportProgress({});
    await system.advance(2 * minute - 1);
    expect(attempts[0]?.signal.aborted).toBe(false);
    await system.advance(1);
    expect(attempts[0]?.signal.aborted).toBe(true);
    expect(timeouts(events)).toMatchObject([{ idle: true }]);
  });

  it('may be set for one call', async () => {
    const { system, service } = stage({ timeoutMs: Infinity, retry: { maxAttempts: 1 } });
    const calls = [{ callId: 'A', toolName: 'report', policy: { idleTimeoutMs: 500 } }];
    const { results } = await system.until(service.executeTurn({ turnId: 'turn', calls }));
    expect(results).toMatchObject([{ status: 'timeout', executionTime: 500 }]);
  });

  it('is replayed exactly', async () => {
    const { system, service, attempts } = stage({ ...once, effect: 'read', retry: { maxAttempts: 2 } });
    const turn = service.executeTurn({ turnId: 'turn', calls: [{ callId: 'A', toolName: 'report' }] });
    await system.advance(12_345.678);
    attempts[0]?.reportProgress({ progress: 1 });
    const { trace } = await system.until(turn);
    expect(timeouts(trace)).toHaveLength(2);
    expect(replayTurn(trace).differences).toEqual([]);
    expect(replayTurn(JSON.parse(JSON.stringify(trace)) as TraceEvent[]).differences).toEqual([]);
  });

  it('a what-if ends attempts at their recorded silence', async () => {
    const made = stage({ retry: { maxAttempts: 1 } });
    const turn = made.service.executeTurn({ turnId: 'turn', calls: [{ callId: 'A', toolName: 'report' }] });
    for (const progress of [1, 2]) {
      await made.system.advance(4_000);
      made.attempts[0]?.reportProgress({ progress });
    }
    await made.system.advance(8_000);
    made.answer('done');
    const { trace } = await turn;
    const under = (idleTimeoutMs: number): object => replayTurn(trace, { policy: { idleTimeoutMs } }).report.results[0] ?? {};
    expect(under(8_500)).toMatchObject({ status: 'success', executionTime: 16_000 });
    expect(under(5_000)).toMatchObject({ status: 'timeout', executionTime: 13_000 });
    expect(under(3_000)).toMatchObject({ status: 'timeout', executionTime: 3_000 });
  });

  it.each([
    [{ idleTimeoutMs: 0 }, "Tool 'report'.idleTimeoutMs must be a number of milliseconds above 0, got 0."],
    [{ idleTimeoutMs: '30s' }, "Tool 'report'.idleTimeoutMs must be a number of milliseconds above 0, got '30s'."],
    [{ idleTimeout: 5 }, "Tool 'report' has no setting 'idleTimeout'. Did you mean 'idleTimeoutMs'?"],
    [{ assumedEffect: 'none' }, "Tool 'report'.assumedEffect must be one of read, idempotent, unsafe, got 'none'."],
    [{ unknownFailures: 'transient' }, "Tool 'report'.unknownFailures must be one of retry, report, got 'transient'."],
  ])('%j is refused', (policy, message) => {
    expect(() => stage(policy as ToolPolicy)).toThrow(message);
  });
});

it('turn settings still end a tool without a limit', async () => {
  const turn: Partial<TurnSettings> = { timeoutMs: minute };
  const { system, service } = stage({}, { profile: 'adaptive', turn });
  const { results } = await system.until(service.executeTurn({ turnId: 'turn', calls: [{ callId: 'A', toolName: 'report' }] }));
  expect(results).toMatchObject([{ status: 'timeout', executionTime: minute, error: { code: 'TURN_DEADLINE' } }]);
});
