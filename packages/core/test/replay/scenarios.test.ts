import { describe, expect, it } from 'vitest';
import { replayTurn } from '../../src/replay/index.ts';
import { compareDecisions, compareRecomputed } from '../../src/replay/differences.ts';
import type { RecoveryDecided, TraceEvent } from '../../src/engine/trace/events.ts';
import { scenarios as scenariosOfCalls } from '../engine/call/scenarios.ts';
import { answer, down, fail, wait, scenario } from '../support/scenario.ts';
import { when } from '../support/when.ts';
import { scenarios as scenariosOfTurns } from '../engine/turn/scenarios.ts';

/** Events by call, in order; events of different calls at the same moment may be recorded in either order. */
const byCall = (events: readonly TraceEvent[]): Readonly<Record<string, readonly unknown[]>> => {
  const calls: Record<string, unknown[]> = {};
  for (const { seq: _seq, ...event } of events) (calls['call_id' in event ? (event.call_id ?? '') : ''] ??= []).push(event);
  return calls;
};

/** An advisor runs outside the engine: its failure and its duration are in the record but not in the replay. */
const notCompared: ReadonlySet<string> = new Set(['an advisor that throws', 'an advisor that does not answer']);

/** Captured arguments are for people; the replay neither needs nor records them. */
const withoutArguments = (events: readonly TraceEvent[]): readonly TraceEvent[] =>
  (JSON.parse(JSON.stringify(events)) as (TraceEvent & { arguments?: unknown })[]).map(
    ({ arguments: _arguments, ...event }) => event as TraceEvent,
  );

const scenarios = [...scenariosOfCalls, ...scenariosOfTurns.filter(({ name }) => !name.startsWith('a plan '))];

describe('an exact replay has the same events', () => {
  it.each(scenarios)('$name', async ({ name, run }) => {
    const recorded = withoutArguments((await run()).trace);
    const { trace, differences, assumptions, interrupted, report } = replayTurn(recorded);
    expect({ differences, assumptions, interrupted }).toEqual({ differences: [], assumptions: [], interrupted: false });
    when(!notCompared.has(name), () => expect(byCall(withoutArguments(trace))).toEqual(byCall(recorded)));
    const end = recorded.find((event) => event.event_type === 'TurnCompleted');
    expect([report.outcome, report.executionTime]).toEqual([end?.outcome, end?.duration_ms]);
  });
});

/** A what-if has no advisor and no cancellation, and starts with full budgets. */
const notRepeatable = /^(?:cancelled|the caller has its own|an advisor|budget with)/;

describe('a what-if with the same settings has the same results', () => {
  it.each(scenarios.filter(({ name }) => !notRepeatable.test(name)))('$name', async ({ run }) => {
    const original = await run();
    const { report } = replayTurn(withoutArguments(original.trace), { policy: {} });
    const summary = (results: typeof original.results): unknown =>
      results
        .map(({ callId, status, attempts, servedBy, executionTime, error }) => [
          callId,
          status,
          attempts,
          servedBy,
          executionTime,
          error?.code,
        ])
        .toSorted(([a], [b]) => String(a).localeCompare(String(b)));
    expect(summary(report.results)).toEqual(summary(original.results));
    const end = original.trace.find((event) => event.event_type === 'TurnCompleted');
    expect([report.outcome, report.summary, report.executionTime]).toEqual([end?.outcome, end?.summary, end?.duration_ms]);
  });
});

describe('a what-if with other settings', () => {
  const record = async (setup: Parameters<typeof scenario>[1]): Promise<readonly TraceEvent[]> =>
    (await scenario('recorded', setup).run()).trace;

  it('assumes that a tool answers as in another call', async () => {
    const trace = await record({
      tools: { search: [{}, fail({ status: 410 }, 'gone')], backup: [{}, wait(50, answer('found'))] },
      calls: [
        { callId: 'a', toolName: 'search' },
        { callId: 'b', toolName: 'backup' },
      ],
    });
    const { report, assumptions } = replayTurn(trace, { tools: { search: { alternatives: ['backup'] } } });
    expect(report.results).toMatchObject([{ callId: 'a', status: 'success', servedBy: 'backup', executionTime: 50 }, { callId: 'b' }]);
    expect(assumptions).toEqual(["Attempt 1 of backup in call 'a' was never made; it is assumed to succeed like the last one seen."]);
  });

  it('assumes that an attempt that timed out would have taken longer', async () => {
    const trace = await record({ tools: { search: [{ timeoutMs: 1_000, retry: { maxAttempts: 1 } }, wait(1_500, answer('late'))] } });
    expect(replayTurn(trace, { policy: { timeoutMs: 5_000 }, tools: { search: { timeoutMs: 5_000 } } }).report.results).toMatchObject([
      { status: 'timeout', executionTime: 5_000, attempts: 1, error: { code: 'TOOL_TIMEOUT', ambiguous: true } },
    ]);
  });

  it('rejects a call again that was rejected before any attempt', async () => {
    const trace = await record({ tools: { search: [{ enabled: false }, answer(1)] } });
    const { report, assumptions } = replayTurn(trace, { policy: { retry: { maxAttempts: 9 } } });
    expect(report.results).toMatchObject([{ status: 'error', attempts: 0, error: { code: 'TOOL_DISABLED' } }]);
    expect(assumptions).toEqual([]);
  });

  it('assumes and reports that each further attempt ends like the last one of its tool', async () => {
    const trace = await record({
      tools: { search: [{ retry: { maxAttempts: 2 } }, wait(10, fail({ status: 503 }, 'one')), wait(30, down)] },
    });
    const { report, assumptions } = replayTurn(trace, { policy: { retry: { maxAttempts: 4 } } });
    // 10 + 100 + 30 + 200 + 30 + 400 + 30
    expect(report.results).toMatchObject([{ status: 'error', attempts: 4, executionTime: 800, error: { message: 'Tool error: down' } }]);
    expect(assumptions).toEqual(
      [3, 4].map(
        (attempt) => `Attempt ${attempt} of search in call 'call-1' was never made; it is assumed to fail like the last one seen.`,
      ),
    );
  });

  it('assumes that a tool without records succeeds at once', async () => {
    const trace = await record({
      tools: { search: [{ retry: { maxAttempts: 1 }, alternatives: ['backup'], breaker: false }, down], backup: [{}, answer('found')] },
      options: { recoveryRules: [{ name: 'no', deny: ['use_alternative'] }] },
    });
    const { report, assumptions } = replayTurn(trace, { recoveryRules: [] });
    expect(report.results).toMatchObject([{ status: 'success', output: undefined, servedBy: 'backup', executionTime: 0, attempts: 2 }]);
    expect(assumptions).toEqual(["Attempt 1 of backup in call 'call-1' was never made; it is assumed to succeed at once."]);
  });

  it('uses the record of each call of a tool, with the recorded output', async () => {
    const trace = await record({
      tools: { search: [{ retry: { maxAttempts: 1 } }, wait(10, answer('first')), wait(20, down)] },
      calls: [
        { callId: 'a', toolName: 'search' },
        { callId: 'b', toolName: 'search', dependsOn: ['a'] },
      ],
      options: { capture: 'all' },
    });
    const { report, assumptions } = replayTurn(trace, { policy: { timeoutMs: 100 } });
    expect(report.results).toMatchObject([
      { callId: 'a', status: 'success', output: 'first', executionTime: 10 },
      { callId: 'b', status: 'error', executionTime: 20 },
    ]);
    expect(assumptions).toEqual([]);
  });

  it('treats an attempt that was cut off by the deadline as hanging', async () => {
    const trace = await record({
      tools: { search: [{ timeoutMs: 1_000, retry: { maxAttempts: 1 } }, wait(5_000, answer('late'))] },
      turn: { timeoutMs: 300 },
    });
    expect(replayTurn(trace, { turn: { timeoutMs: null } }).report.results).toMatchObject([
      { status: 'timeout', executionTime: 1_000, error: { code: 'TOOL_TIMEOUT' } },
    ]);
    expect(() => replayTurn(trace, { turn: { timeoutMs: null }, policy: { timeoutMs: Infinity } })).toThrow(
      new TypeError(
        'replay: under these settings, the turn does not end: virtual turn: no task is left, but the turn has not settled. ' +
          'Set a time limit (timeoutMs) for its tools or for the turn.',
      ),
    );
  });

  it.each([
    [200, 'timeout'],
    [400, 'success'],
  ])('includes partial output after 300 ms only if the attempt has %i ms', async (timeoutMs, status) => {
    const trace = await record({
      tools: {
        search: [
          { timeoutMs: 1_000, acceptPartial: true, retry: { maxAttempts: 1 } },
          (system, { reportPartial, reportProgress }) => {
            reportProgress({ message: 'started' });
            system.setTimer(300, () => reportPartial(['first']));
            return new Promise(() => undefined);
          },
        ],
      },
    });
    const { report } = replayTurn(trace, { tools: { search: { timeoutMs } } });
    expect(report.results).toMatchObject([{ status, executionTime: timeoutMs }]);
  });
});

describe('a decision difference', () => {
  const decided = (change: object): TraceEvent =>
    ({
      event_type: 'RecoveryDecided',
      call_id: 'a',
      decision: { action: 'retry', alternative: 'x', delay_ms: 1, stopped_by: 'budget', reason: '', guards: [], ...change },
    }) as unknown as TraceEvent;

  it.each([{ action: 'fail' }, { alternative: 'y' }, { delay_ms: 2 }, { stopped_by: 'circuit' }])('is reported for %j', (change) => {
    const [recorded, replayed] = [decided({}), decided(change)];
    const found = [{ callId: 'a', position: 1, recorded: { action: 'retry' } }];
    expect(compareDecisions([recorded], [replayed])).toMatchObject(found);
    expect(compareRecomputed([{ event: recorded as RecoveryDecided, decision: (replayed as RecoveryDecided).decision }])).toMatchObject(
      found,
    );
  });

  it.each([{}, { reason: 'in other words' }])('is not reported for %j', (change) => {
    expect(compareDecisions([decided({})], [decided(change)])).toEqual([]);
  });

  it('is reported for a missing or additional decision', () => {
    expect(compareDecisions([decided({})], [])).toMatchObject([{ callId: 'a', position: 1, replayed: undefined }]);
    expect(compareDecisions([decided({})], [decided({}), decided({})])).toMatchObject([{ callId: 'a', position: 2, recorded: undefined }]);
  });
});
