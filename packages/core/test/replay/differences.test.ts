/** The differences that an exact replay reports. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/index.ts';
import { differencesIn } from '../../src/replay/compare-values.ts';
import { compareEvents } from '../../src/replay/differences.ts';
import { replayTurn } from '../../src/replay/index.ts';
import { ToolExecutionService } from '../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../src/testing/index.ts';
import { defineTool } from '../../src/engine/tool/tool.ts';
import { answer, down, fail, wait, scenario } from '../support/scenario.ts';

const turn = async (setup: Parameters<typeof scenario>[1]): Promise<readonly TraceEvent[]> =>
  JSON.parse(JSON.stringify((await scenario('recorded', setup).run()).trace)) as TraceEvent[];

/** `a` is answered by its alternative at the third attempt, `b` fails. */
const recordedTurn = (): Promise<readonly TraceEvent[]> =>
  turn({
    tools: {
      search: [{ retry: { maxAttempts: 2 }, alternatives: ['backup'] }, down],
      backup: [{}, wait(20, answer('found'))],
      book: [{}, fail({ status: 410 }, 'gone')],
    },
    calls: [
      { callId: 'a', toolName: 'search' },
      { callId: 'b', toolName: 'book' },
    ],
  });

function changed(record: readonly TraceEvent[], index: number, change: object): readonly TraceEvent[] {
  return record.with(index, { ...record[index], ...change } as TraceEvent);
}

const indexOf = (record: readonly TraceEvent[], type: string, callId?: string): number =>
  record.findIndex((event) => event.event_type === type && (callId === undefined || ('call_id' in event && event.call_id === callId)));

describe('a different result', () => {
  it.each([
    ['a', 'status', 'error', 'success'],
    ['a', 'served_by', 'search', 'backup'],
    ['a', 'attempts', 1, 3],
    ['a', 'fallback_used', undefined, true],
    ['a', 'partial', true, undefined],
    ['a', 'code', 'TIMEOUT', undefined],
    ['b', 'code', 'CONFLICT', 'NOT_FOUND'],
    ['b', 'error', 'went', 'Tool error: gone'],
    ['b', 'classification', 'transient', 'permanent'],
    ['b', 'category', 'other', 'not_found'],
    ['b', 'stopped_by', 'deadline', undefined],
    ['b', 'skipped', true, undefined],
  ])('of call %s: %s recorded as %j, replayed as %j', async (callId, field, recorded, replayed) => {
    const record = await recordedTurn();
    const index = indexOf(record, 'CallCompleted', callId);
    const { differences } = replayTurn(changed(record, index, { [field]: recorded }));
    expect(differences).toEqual([
      {
        kind: 'result',
        where: `events[${index}].${field} (CallCompleted of call '${callId}')`,
        seq: index + 1,
        callId,
        field,
        recorded,
        replayed,
      },
    ]);
  });

  it.each([
    ['outcome', 'success', 'partial'],
    ['escalated', true, false],
    ['summary', 'All well', 'Completed search, but book failed'],
  ])('of the turn: %s', async (field, recorded, replayed) => {
    const record = await recordedTurn();
    const index = indexOf(record, 'TurnCompleted');
    const { differences } = replayTurn(changed(record, index, { [field]: recorded }));
    expect(differences).toEqual([
      {
        kind: 'result',
        where: `events[${index}].${field} (TurnCompleted of the turn)`,
        seq: index + 1,
        callId: undefined,
        field,
        recorded,
        replayed,
      },
    ]);
  });
});

describe('different events', () => {
  it('in a field', async () => {
    const record = await recordedTurn();
    const index = indexOf(record, 'Escalated', 'b');
    expect(replayTurn(changed(record, index, { user_message: 'Sorry.' })).differences).toMatchObject([
      {
        kind: 'event',
        where: `events[${index}].user_message (Escalated of call 'b')`,
        callId: 'b',
        position: 5,
        field: 'user_message',
        recorded: 'Sorry.',
        replayed: expect.stringContaining('book'),
      },
    ]);
  });

  it('in a nested field', async () => {
    const record = await recordedTurn();
    const index = indexOf(record, 'RecoveryDecided', 'b');
    const { inputs } = record[index] as TraceEvent & { readonly inputs: object };
    expect(replayTurn(changed(record, index, { inputs: { ...inputs, max_attempts: 9 } })).differences).toMatchObject([
      { kind: 'event', where: `events[${index}].inputs.max_attempts (RecoveryDecided of call 'b')`, recorded: 9, replayed: 5 },
    ]);
  });

  it('a missing event and an additional one', async () => {
    const record = await recordedTurn();
    const index = indexOf(record, 'Escalated', 'b');
    const without = record.toSpliced(index, 1).map((event, place): TraceEvent => ({ ...event, seq: place + 1 }));
    const found = { kind: 'event', callId: 'b', position: 5, field: undefined };
    expect(replayTurn(without).differences).toMatchObject([
      { ...found, where: `events[${index}] (CallCompleted of call 'b')`, seq: index + 1, recorded: 'CallCompleted', replayed: 'Escalated' },
    ]);
    expect(compareEvents(record, without)).toMatchObject([
      { ...found, where: `events[${index}] (Escalated of call 'b')`, recorded: 'Escalated', replayed: 'CallCompleted' },
    ]);
  });

  it('a missing last event and a missing call', async () => {
    const record = await recordedTurn();
    const end = indexOf(record, 'CallCompleted', 'b');
    expect(compareEvents(record.toSpliced(end, 1), record)).toEqual([
      {
        kind: 'event',
        where: `after events[${end - 1}] (Escalated of call 'b')`,
        seq: end,
        callId: 'b',
        position: 6,
        field: undefined,
        recorded: undefined,
        replayed: 'CallCompleted',
      },
    ]);
    const without = record.filter((event) => !('call_id' in event && event.call_id === 'b'));
    expect(compareEvents(without, record)).toMatchObject([
      { where: "call 'b'", seq: 0, position: 1, recorded: undefined, replayed: 'CallStarted' },
    ]);
    expect(compareEvents(record, without)).toMatchObject([{ position: 1, recorded: 'CallStarted', replayed: undefined }]);
  });

  it('are sorted: decisions, results, events', async () => {
    const record = await recordedTurn();
    const decided = indexOf(record, 'RecoveryDecided', 'a');
    const { decision } = record[decided] as TraceEvent & { readonly decision: object };
    const kinds = replayTurn(changed(record, decided, { decision: { ...decision, action: 'fail' } })).differences.map(({ kind }) => kind);
    expect([...new Set(kinds)]).toEqual(['decision', 'result', 'event']);
    expect(kinds).toEqual([...kinds].toSorted((a, b) => 'dre'.indexOf(a[0] ?? '') - 'dre'.indexOf(b[0] ?? '')));
  });
});

describe('no difference', () => {
  it.each(['timestamp', 'elapsed_ms', 'duration_ms', 'execution_time_ms'])('for a different time: %s', async (field) => {
    const record = await recordedTurn();
    const other = record.map((event): TraceEvent => ({ ...event, [field]: 7 }));
    expect(compareEvents(record, other)).toEqual([]);
  });

  it('for events outside the calls, and a circuit that opens after one is replayed', async () => {
    const record = await turn({
      tools: { search: [{ retry: { maxAttempts: 2 }, breaker: { failureThreshold: 2 } }, down] },
      options: {
        advisor: () => {
          throw new Error('no idea');
        },
      },
    });
    const types = record.map(({ event_type }) => event_type);
    expect(types).toContain('ComponentFailed');
    expect(types.lastIndexOf('CircuitBreakerOpened')).toBeGreaterThan(types.indexOf('ComponentFailed'));
    const { differences, trace } = replayTurn(record);
    expect(differences).toEqual([]);
    expect(trace.map(({ event_type }) => event_type)).toEqual(types.filter((type) => type !== 'ComponentFailed'));
  });

  it('for a turn that was cancelled before it began', async () => {
    const caller = new AbortController();
    caller.abort(new Error('never mind'));
    const { trace } = await new ToolExecutionService({ system: manualSystem(), tools: [] }).executeTurn(
      { turnId: 'turn', calls: [{ callId: 'a', toolName: 'search' }] },
      { signal: caller.signal },
    );
    expect(trace.map(({ event_type }) => event_type)).toEqual(['TurnStarted', 'TurnCancelled', 'CallCompleted', 'TurnCompleted']);
    expect(replayTurn(trace).differences).toEqual([]);
  });
});

describe('slow components are replayed at their time', () => {
  const slowSchema = (ms: number, validated: object): object => ({
    '~standard': { version: 1, vendor: 'test', validate: () => new Promise((resolve) => void later(ms, () => resolve(validated))) },
  });
  let later: (ms: number, task: () => void) => unknown;

  const scene = async (validated: object, turnSettings: object, more: object = {}): Promise<readonly TraceEvent[]> => {
    const system = manualSystem();
    later = (ms, task) => system.setTimer(ms, task);
    const service = new ToolExecutionService({
      system,
      seed: 'slow',
      ...more,
      tools: [
        defineTool({
          name: 'slow',
          input: slowSchema(40, validated) as never,
          run: () => {
            throw Object.assign(new Error('down'), { status: 503 });
          },
        }),
        defineTool({
          name: 'quick',
          run: () => {
            throw Object.assign(new Error('down'), { status: 503 });
          },
        }),
      ],
    });
    const { trace } = await system.until(
      service.executeTurn({
        turnId: 'turn',
        ...turnSettings,
        calls: [
          { callId: 'a', toolName: 'slow' },
          { callId: 'b', toolName: 'quick' },
        ],
      }),
    );
    await system.advance(10_000);
    return JSON.parse(JSON.stringify(trace)) as TraceEvent[];
  };

  it.each([
    ['passes', { value: {} }, {}],
    ['rejects', { issues: [{ message: 'no' }] }, {}],
    ['passes when the turn is over', { value: {} }, { timeoutMs: 30 }],
    ['rejects when the turn is over', { issues: [{ message: 'no' }] }, { timeoutMs: 30 }],
    ['passes, and retries are few', { value: {} }, { maxRetries: 3 }],
  ])('a schema that %s', async (_case, validated, settings) => {
    const record = await scene(validated, settings);
    const { differences, trace } = replayTurn(record);
    expect(differences).toEqual([]);
    const timesOf = (events: readonly TraceEvent[]): readonly string[] =>
      events.map((event) => `${'call_id' in event ? event.call_id : ''} ${event.event_type} ${event.elapsed_ms.toFixed(6)}`).toSorted();
    expect(timesOf(trace)).toEqual(timesOf(record));
  });

  it.each([5, 20, 30, 130])('an advisor that has not answered when the turn ends after %i ms', async (timeoutMs) => {
    const advisor = (): Promise<undefined> => new Promise((resolve) => void later(45, () => resolve(undefined)));
    const record = await scene({ value: {} }, { timeoutMs, maxRetries: 2 }, { advisor });
    expect(record.some(({ event_type }) => event_type === 'TurnDeadlineReached')).toBe(true);
    expect(replayTurn(record).differences).toEqual([]);
  });
});

describe('two values', () => {
  const none: ReadonlySet<string> = new Set();

  it.each([
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: Number.POSITIVE_INFINITY }, { a: null }],
    [{ a: 0.1 + 0.2 }, { a: 0.3 }],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }],
  ])('are equal as JSON: %j and %j', (one, other) => {
    expect(differencesIn(one, other, none)).toEqual([]);
    expect(differencesIn(other, one, none)).toEqual([]);
  });

  it.each([
    [{ a: 1 }, { a: 2 }, 'a'],
    [{ a: 1 }, {}, 'a'],
    [{ a: 'x' }, { a: 1 }, 'a'],
    [{ a: {} }, { a: [] }, 'a'],
    [{ a: [] }, { a: null }, 'a'],
    [{ a: [1, 2] }, { a: [1, 3] }, 'a[1]'],
    [{ a: [1] }, { a: [1, 3] }, 'a[1]'],
    [{ a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }, 'a.b.c'],
    [{ a: 1_000_000 }, { a: 1_000_001 }, 'a'],
    [{ a: 0 }, { a: 0.001 }, 'a'],
  ])('differ: %j and %j', (one, other, path) => {
    expect(differencesIn(one, other, none).map((found) => found.path)).toEqual([path]);
    expect(differencesIn(one, other, new Set([path]))).toEqual([]);
  });
});
