import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../../../src/engine/call/result.ts';
import type { PlannedCall } from '../../../src/engine/turn/plan.ts';
import { checkPlan } from '../../../src/engine/turn/plan.ts';
import { ref, resolveReferences } from '../../../src/engine/turn/references.ts';
import { summarize } from '../../../src/engine/turn/summary.ts';
import { TurnBench } from '../../support/turn-bench.ts';

const call = (callId: string, dependsOn: readonly string[] = [], more: Partial<PlannedCall> = {}): PlannedCall => ({
  callId,
  toolName: `tool_${callId}`,
  dependsOn,
  ...more,
});

// docs/specification.md#s1-5
describe('a lost dependency', () => {
  it('skips an optional call, even one with a default', () => {
    const bench = new TurnBench([call('a'), call('b', ['a'], { optional: true, defaults: { a: 1 } })]).end('a', 'error');
    expect(bench.events).toContainEqual(
      expect.objectContaining({
        event_type: 'ToolSkipped',
        call_id: 'b',
        decision: 'skip',
        caused_by: ['a'],
        message: 'Optional tool skipped due to dependency failure',
      }),
    );
    expect(bench.report).toMatchObject({ outcome: 'failed', escalated: false });
  });

  it('runs a required call with its default', () => {
    const bench = new TurnBench([
      call('a'),
      call('b', ['a'], { arguments: { price: ref('a', 'price') }, defaults: { a: { price: 9 } } }),
    ]).end('a', 'timeout');
    expect(bench.running.get('b')).toEqual({ price: 9 });
    expect(bench.events).toContainEqual(
      expect.objectContaining({ event_type: 'DefaultUsed', dependency: 'a', message: 'Used default value for tool_b' }),
    );
    expect(bench.end('b').report).toMatchObject({ outcome: 'partial' });
  });

  it('escalates a required call without a default, and does not run it', () => {
    const bench = new TurnBench([call('a'), call('b', ['a']), call('c', ['b'], { critical: true }), call('d')]).end('a', 'error').end('d');
    expect(bench.started).toEqual(['a', 'd']);
    expect(bench.events).toContainEqual(
      expect.objectContaining({
        event_type: 'ToolSkipped',
        call_id: 'b',
        decision: 'escalate',
        message: 'Required tool skipped due to dependency failure',
      }),
    );
    expect(bench.report).toMatchObject({ outcome: 'partial', escalated: true });
    expect(bench.report?.results[2]).toMatchObject({
      skipped: true,
      attempts: 0,
      error: { code: 'DEPENDENCY_FAILED', causedBy: ['b', 'a'] },
    });
  });

  it('does not exist if a fallback value was used', () => {
    const bench = new TurnBench([call('a'), call('b', ['a'], { arguments: ref('a', 'from') })]).end('a', 'fallback');
    expect(bench.running.get('b')).toBe('a');
  });

  it('does not affect independent calls', () => {
    const bench = new TurnBench([call('a'), call('b', ['a'], { optional: true }), call('c')]).end('a', 'error').end('c');
    expect(bench.report?.results.map((result) => [result.status, 'skipped' in result])).toEqual([
      ['error', false],
      ['error', true],
      ['success', false],
    ]);
  });
});

it('rejects a call with a reference that cannot be resolved', () => {
  const bench = new TurnBench([call('a'), call('b', [], { arguments: { price: ref('a', 'offers.0.price') } })]).end('a');
  expect(bench.problems).toEqual(new Map([['b', "The output of another call has no 'a.offers.0.price'"]]));
});

it('starts critical calls first, the others in canonical order', () => {
  const bench = new TurnBench([call('d'), call('c', [], { critical: true }), call('b'), call('a')], { concurrency: 1 }).endAll();
  expect(bench.started).toEqual(['c', 'a', 'b', 'd']);
});

it('names the chain that took the longest', () => {
  const bench = new TurnBench([call('a'), call('b', ['a']), call('c'), call('d', ['b', 'c'])]);
  bench.now = 5;
  bench.end('a');
  bench.now = 20;
  bench.end('c');
  bench.now = 30;
  bench.end('b');
  bench.now = 40;
  bench.end('d');
  expect(bench.report).toMatchObject({ criticalPath: ['a', 'b', 'd'], executionTime: 40 });
});

it('has no effects without calls', () => {
  expect(new TurnBench([]).report).toMatchObject({ outcome: 'success', results: [], summary: 'Nothing to do', criticalPath: [] });
});

describe('10,000 calls', () => {
  const chain = Array.from({ length: 10_000 }, (_, index) => call(`c${index}`, index === 0 ? [] : [`c${index - 1}`]));
  const fan = [
    call('root'),
    ...Array.from({ length: 9_998 }, (_, index) => call(`c${index}`, ['root'])),
    call(
      'end',
      Array.from({ length: 9_998 }, (_, index) => `c${index}`),
    ),
  ];

  it.each([
    ['a chain', chain],
    ['a fan', fan],
  ])('%s completes', { timeout: 60_000 }, (_name, calls) => {
    expect(new TurnBench(calls).endAll().report).toMatchObject({ outcome: 'success' });
  });

  it.each([
    ['a chain', chain, 'c0'],
    ['a fan', fan, 'root'],
  ])('%s fails with its first call, in bounded space', { timeout: 60_000 }, (_name, calls, first) => {
    const { report } = new TurnBench(calls).end(first, 'error');
    expect(report?.results).toHaveLength(10_000);
    const last = report?.results.at(-1)?.error;
    expect(last?.causedBy?.at(-1)).toBe(first);
    expect(last?.message.length).toBeLessThan(2_000);
  });
});

describe('invalid plans', () => {
  it.each<readonly [string, readonly PlannedCall[], string]>([
    [
      'a cycle',
      [call('a', ['c']), call('b', ['a']), call('c', ['b'])],
      'Calls depend on each other in a cycle: a → c → b → a. Break the cycle.',
    ],
    ['a call that depends on itself', [call('a', ['a'])], 'Calls depend on each other in a cycle: a → a. Break the cycle.'],
    [
      'an unknown dependency',
      [call('flights'), call('b', ['flight'])],
      "Call 'b' depends on 'flight', which is not in the plan. Did you mean 'flights'?",
    ],
    ['two calls with one id', [call('a'), call('a')], "Two calls have the id 'a'. Give each its own."],
    [
      'a default without a dependency',
      [call('a'), call('b', [], { defaults: { a: 1 } })],
      "Call 'b' has a default for 'a', on which it does not depend.",
    ],
    ['a call without a tool', [{ callId: 'a', toolName: '' }], "Call 'a' has no tool name. Set toolName."],
  ])('%s', (_name, calls, message) => {
    const checked = checkPlan(calls);
    expect(checked.ok).toBe(false);
    expect(checked.ok ? [] : checked.problems.map((problem) => problem.message)).toContain(message);
  });
});

describe('references', () => {
  const outputs = new Map<string, unknown>([['a', { offers: [{ price: 7 }], toString: 1 }]]);

  it.each([
    [ref('a', 'offers.0.price'), 7],
    [{ deep: [ref('a', 'offers')] }, { deep: [[{ price: 7 }]] }],
    ['$from: a', '$from: a'],
    [
      { $from: 'a', path: 'offers', more: 1 },
      { $from: 'a', path: 'offers', more: 1 },
    ],
    [{ $from: 3 }, { $from: 3 }],
  ])('%j', (value, expected) => {
    expect(resolveReferences(value, outputs)).toEqual({ value: expected, missing: [] });
  });

  it.each(['offers.1', 'offers.0.price.x', 'constructor', 'offers.__proto__', 'offers.length.x'])('does not resolve %s', (path) => {
    expect(resolveReferences(ref('a', path), outputs).missing).toEqual([`a.${path}`]);
  });

  it('leaves shared and circular arguments unchanged, in no time', () => {
    let shared: object = {};
    for (let level = 0; level < 60; level++) shared = { left: shared, right: shared };
    const ring: Record<string, unknown> = { shared };
    ring['one'] = ring;
    ring['two'] = ring;
    expect(checkPlan([call('a', [], { arguments: ring })]).ok).toBe(true);
    expect(resolveReferences(ring, new Map()).missing).toEqual([]);
  });
});

// docs/specification.md#s0-4-2
describe('the summary', () => {
  const result = (toolName: string, status: 'success' | 'error' | 'timeout', more: object = {}): ToolResult =>
    ({ toolName, callId: `id-${toolName}`, status, error: { code: 'X' }, ...more }) as unknown as ToolResult;
  const many = (count: number): readonly ToolResult[] => Array.from({ length: count }, (_, index) => result(`tool_${index}`, 'success'));

  it.each<readonly [string, readonly ToolResult[]]>([
    ['Completed flight search, but hotel search timed out', [result('flight_search', 'success'), result('hotel_search', 'timeout')]],
    ['Completed a, b and c', [result('a', 'success'), result('b', 'success'), result('c', 'success')]],
    ['A failed, as did b and c', [result('a', 'error'), result('b', 'error'), result('c', 'error')]],
    ['Completed a, but b timed out; c failed', [result('a', 'success'), result('b', 'timeout'), result('c', 'error')]],
    ['A was skipped, as was b', [result('a', 'error', { skipped: true }), result('b', 'error', { skipped: true })]],
    ['A was skipped, as were b and c', ['a', 'b', 'c'].map((name) => result(name, 'error', { skipped: true }))],
    ['A was cancelled', [result('a', 'error', { error: { code: 'CANCELLED' } })]],
    [
      'Completed search (one), but search (two) failed',
      [result('search', 'success', { callId: 'one' }), result('search', 'error', { callId: 'two' })],
    ],
    ['Nothing to do', []],
    ['Completed tool 0, tool 1, tool 2, tool 3, tool 4, tool 5, tool 6 and 3 others', many(10)],
  ])('%s', (sentence, results) => {
    expect(summarize(results)).toBe(sentence);
  });
});
