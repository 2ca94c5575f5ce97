import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/engine/tool/tool.ts';
import { expectComplete } from '../../support/complete-result.ts';
import { within } from '../../support/drive.ts';
import { brokenGetters, hostileValues } from '../../support/hostile-values.ts';
import { watchProcess } from '../../support/watch-process.ts';
import { when } from '../../support/when.ts';

const system = manualSystem();
const service = new ToolExecutionService({
  system,
  seed: 'calls',
  tools: [defineTool({ name: 'echo', run: (args: unknown) => ({ args: typeof args }) })],
});

const strangeCalls: Readonly<Record<string, () => unknown>> = {
  ...hostileValues,
  'broken fields': () => brokenGetters('callId', 'toolName', 'arguments', 'policy'),
  'broken arguments': () => ({ toolName: 'echo', arguments: hostileValues['broken proxy']?.() }),
  'cyclic arguments': () => ({ toolName: 'echo', arguments: hostileValues['cycle']?.() }),
  'tool name that is a symbol': () => ({ toolName: Symbol('echo') }),
  'tool name that is a prototype name': () => ({ toolName: '__proto__' }),
  'unknown tool name': () => ({ toolName: 'constructor' }),
  'long tool name': () => ({ toolName: 'x'.repeat(500) }),
  'id that is a number': () => ({ toolName: 'echo', callId: 7 }),
  'empty id': () => ({ toolName: 'echo', callId: '' }),
  'id that is a prototype name': () => ({ toolName: 'echo', callId: '__proto__' }),
  'broken policy': () => ({ toolName: 'echo', policy: brokenGetters('retry') }),
  'invalid policy': () => ({ toolName: 'echo', policy: 7 }),
  'policy of null': () => ({ toolName: 'echo', policy: null }),
  'misspelt policy': () => ({ toolName: 'echo', policy: { timoutMs: 5 } }),
  'good call': () => ({ toolName: 'echo', callId: 'mine', arguments: {} }),
};

const anyCall = fc.constantFrom(...Object.keys(strangeCalls));
const make = (name: string): never => strangeCalls[name]?.() as never;
const allowed = (code: string | undefined): boolean => code === undefined || ['INVALID_CALL', 'UNKNOWN_TOOL'].includes(code);

describe('unusual calls', () => {
  it.each(Object.keys(strangeCalls))('%s: one complete result', async (name) => {
    const result = await within(system, 1_000, service.executeTool(make(name)));
    expectComplete(result, { maxChars: 10_000 });
    expect(allowed(result.error?.code)).toBe(true);
  });

  it('get one result each, in order, for any list of them', async () => {
    const watch = watchProcess();
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { maxLength: 12 }), async (names) => {
        const results = await within(system, 1_000, service.executeToolBatch(names.map(make)));
        expect(results).toHaveLength(names.length);
        for (const [index, result] of results.entries()) {
          expectComplete(result);
          when(names[index] === 'good call', () => expect(result).toMatchObject({ callId: 'mine', status: 'success' }));
          when(names[index] !== 'good call', () =>
            expect([`call-${index + 1}`, '__proto__', ...(names[index] === 'id that is a number' ? ['7'] : [])]).toContain(result.callId),
          );
        }
      }),
      { numRuns: 300 },
    );
    expect(await watch.look()).toEqual([]);
    watch.stop();
  });

  it.each(Object.keys(strangeCalls))('a plan with %s: a report with one complete result per call', async (name) => {
    const report = await within(system, 1_000, service.executeTurn({ calls: [make('good call'), make(name)] }));
    expect(report.results).toHaveLength(2);
    for (const result of report.results) expectComplete(result, { maxChars: 10_000 });
    expect(typeof report.summary).toBe('string');
    when(report.problems !== undefined, () => expect(report.trace).toEqual([]));
  });
});

describe('unusual lists and options', () => {
  const lists: Readonly<Record<string, () => unknown>> = {
    ...hostileValues,
    'plan with broken calls': () => brokenGetters('calls'),
    'plan with a broken id': () => Object.assign(brokenGetters('turnId'), { calls: [{ toolName: 'echo' }] }),
    'plan with an id that is a symbol': () => ({ turnId: Symbol('turn'), calls: [{ toolName: 'echo' }] }),
    'plan of null calls': () => ({ calls: [null, undefined] }),
    'plan of text': () => ({ calls: 'echo' }),
  };
  // Long lists are long batches: nothing is unusual except their length.
  const names = Object.keys(lists).filter((name) => !['sparse list', 'huge text', 'huge list', 'bytes'].includes(name));

  it.each(names)('batch of %s never rejects', async (name) => {
    const results = await within(system, 1_000, service.executeToolBatch(lists[name]?.() as never[]));
    expect(Array.isArray(results)).toBe(true);
    for (const result of results) expectComplete(result);
  });

  it.each(names)('turn of %s never rejects', async (name) => {
    const report = await within(system, 1_000, service.executeTurn(lists[name]?.() as never));
    expect(report.outcome).toBe(report.problems ? 'failed' : 'success');
    for (const result of report.results) expectComplete(result);
  });

  it.each(Object.keys(hostileValues))('options of %s never reject', async (name) => {
    const options = hostileValues[name]?.() as never;
    const call = { toolName: 'echo' } as const;
    const single = await within(system, 1_000, service.executeTool(call, options));
    const batch = await within(system, 1_000, service.executeToolBatch([call], options));
    const turn = await within(system, 1_000, service.executeTurn({ calls: [call] }, options));
    for (const result of [single, ...batch, ...turn.results]) expect(typeof result.status).toBe('string');
    expect([batch.length, turn.results.length]).toEqual([1, 1]);
  });

  it.each(Object.keys(hostileValues))('a signal of %s never rejects', async (name) => {
    const options = { signal: hostileValues[name]?.() as never };
    const result = await within(system, 1_000, service.executeTool({ toolName: 'echo' }, options));
    expect(typeof result.status).toBe('string');
  });

  it('keeps the position of a call that could not be read from its list', async () => {
    const calls = [{ toolName: 'echo' }, { toolName: 'echo' }, { toolName: 'echo' }];
    Object.defineProperty(calls, 1, {
      get: () => {
        throw new Error('not readable');
      },
    });
    const results = await within(system, 1_000, service.executeToolBatch(calls));
    expect(results.map(({ callId }) => callId)).toEqual(['call-1', 'call-2', 'call-3']);
  });
});

it('answers 10,000 calls of one id in order', async () => {
  const calls = Array.from({ length: 10_000 }, (_, index) => ({ toolName: 'echo', callId: 'same', arguments: index }));
  const results = await within(system, 10_000, service.executeToolBatch(calls));
  expect(results).toHaveLength(10_000);
  expect(results.every(({ callId, status }) => callId === 'same' && status === 'success')).toBe(true);
});

it('does not repeat an endless tool name in messages', async () => {
  const result = await service.executeTool({ toolName: 'x'.repeat(500_000) });
  expect(result.error?.message.length).toBeLessThan(1_000);
});

it('gives every call its own key even if ids repeat and resemble keys', async () => {
  const events: string[] = [];
  const stop = service.subscribe((event) => void (event.event_type === 'CallStarted' && events.push(event.call_id)));
  await service.executeToolBatch(['a', 'a#2', 'a', 'a', 'a#2', ''].map((callId) => ({ toolName: 'echo', callId })));
  stop();
  expect(new Set(events).size).toBe(6);
});
