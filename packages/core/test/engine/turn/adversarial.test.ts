/** The turn machine with unrequested results, ends in every order, and plans with odd names and shapes. */
import { describe, expect, it } from 'vitest';
import type { PlannedCall } from '../../../src/engine/turn/plan.ts';
import { checkPlan } from '../../../src/engine/turn/plan.ts';
import { ref, resolveReferences } from '../../../src/engine/turn/references.ts';
import type { TurnBench as Bench } from '../../support/turn-bench.ts';
import { TurnBench } from '../../support/turn-bench.ts';

const call = (callId: string, dependsOn: readonly string[] = [], more: Partial<PlannedCall> = {}): PlannedCall => ({
  callId,
  toolName: 'work',
  dependsOn,
  ...more,
});

const diamond = (): Bench => new TurnBench([call('a'), call('b', ['a']), call('c', ['a'], { optional: true }), call('d', ['b', 'c'])]);

describe('unrequested results', () => {
  const odd: Readonly<Record<string, (bench: Bench) => void>> = {
    'of an unknown call': (bench) => void bench.end('x'),
    'of an empty name': (bench) => void bench.end(''),
    'of a prototype name': (bench) => void bench.end('__proto__', 'error'),
    'of a call that already has one': (bench) => void bench.end('a', 'error'),
  };

  it.each(Object.keys(odd))('%s: nothing is started, recorded or settled', (name) => {
    const bench = diamond().end('a');
    const before = JSON.stringify([bench.state.running, bench.state.unsettled, bench.started, bench.events]);
    (odd[name] as (bench: Bench) => void)(bench);
    expect(JSON.stringify([bench.state.running, bench.state.unsettled, bench.started, bench.events])).toBe(before);
    expect(bench.end('b').end('c').end('d').report).toMatchObject({ outcome: 'success' });
  });

  it('of a call that was not started: it counts once, its dependants continue, and it never starts', () => {
    const bench = diamond();
    bench.feed({ type: 'call_settled', callId: 'b', result: bench.result('b', 'success') });
    expect(bench.end('a').end('c').started).toEqual(['a', 'c', 'd']);
    expect(bench.end('d').report?.results).toHaveLength(4);
    expect(bench.state.running).toBe(0);
  });
});

describe('the end', () => {
  type Step = 'result' | 'deadline' | 'cancel' | 'submitted';
  const steps: readonly Step[] = ['result', 'deadline', 'cancel', 'submitted'];
  const orders = steps.flatMap((one) => steps.flatMap((two) => steps.map((three) => [one, two, three] as const)));
  const does: Readonly<Record<Step, (bench: Bench) => void>> = {
    result: (bench) => void bench.end('a', 'error'),
    deadline: (bench) => void bench.expire(),
    cancel: (bench) => void bench.cancel(),
    submitted: (bench) => {
      if (bench.report) bench.feed({ type: 'submitted' });
    },
  };

  it.each(orders)('%s, %s, %s: one report, each call once, with the reason of the first', (...order) => {
    const bench = diamond();
    for (const step of order) does[step](bench);
    const first = order.find((step) => step !== 'submitted');
    const ended = first === 'result' ? 'failed' : first === 'deadline' ? 'deadline' : 'cancelled';
    expect(bench.report?.outcome).toBe(first === undefined ? undefined : ended);
    const count = bench.events.length;
    for (const step of steps) does[step](bench);
    expect(bench.report?.results.map(({ callId }) => callId)).toEqual(['a', 'b', 'c', 'd']);
    expect(bench.events.filter(({ event_type }) => event_type === 'TurnCompleted')).toHaveLength(1);
    expect(bench.events.length === count).toBe(first !== undefined);
    expect(bench.started).toEqual(['a']);
    expect(bench.state).toMatchObject({ running: 0, unsettled: 0 });
  });

  it('between two results at the same time: the earlier counts, the later is late', () => {
    const bench = new TurnBench([call('a'), call('b'), call('c', ['a', 'b'])]).end('a').expire().end('b');
    expect(bench.report?.results.map(({ status }) => status)).toEqual(['success', 'timeout', 'timeout']);
  });

  it.each(['expire', 'cancel'] as const)('of a plan without calls (%s): it has already ended', (how) => {
    const bench = new TurnBench([]);
    bench[how]();
    expect(bench.report).toMatchObject({ outcome: 'success', results: [], criticalPath: [] });
  });

  it.each([-3_600_000, 1e300, Number.NaN])('does not wait for a clock that jumps by %d', (by) => {
    const bench = diamond();
    for (const callId of ['a', 'b', 'c', 'd']) {
      bench.now += by;
      bench.end(callId);
    }
    expect(bench.report?.outcome).toBe('success');
    expect(bench.report?.results).toHaveLength(4);
  });
});

describe('large plans', () => {
  const chain = Array.from({ length: 10_000 }, (_, index) => call(`c${index}`, index === 0 ? [] : [`c${index - 1}`]));

  it('a chain of 10,000 runs completely, and fails completely', () => {
    expect(new TurnBench(chain).endAll().report).toMatchObject({ outcome: 'success' });
    const fallen = new TurnBench(chain).end('c0', 'error');
    expect(fallen.started).toEqual(['c0']);
    expect(fallen.report?.results.at(-1)?.error?.causedBy).toEqual(['c9998', 'c9997', 'c9996', 'c9995', 'c9994', 'c9993', '…', 'c0']);
    expect(new TurnBench(chain).expire().report?.results).toHaveLength(10_000);
  });

  it('a chain of 2,000 with defaults continues, each call with its own', () => {
    const covered = chain
      .slice(0, 2_000)
      .map((one, index) => (index === 0 ? one : { ...one, defaults: { [`c${index - 1}`]: 'stand-in' } }));
    const bench = new TurnBench(covered).endAll('error');
    expect(bench.started).toHaveLength(2_000);
    expect(bench.events.filter(({ event_type }) => event_type === 'DefaultUsed')).toHaveLength(1_999);
  });

  it('a cycle of 2,000 is reported', () => {
    const checked = checkPlan([call('c0', ['c1999']), ...chain.slice(1, 2_000)]);
    expect(checked).toMatchObject({ ok: false, problems: [{ field: 'dependsOn' }] });
  });

  it('200 calls that all depend on the 200 before: each starts once, when the last has settled', () => {
    const layers = Array.from({ length: 5 }, (_, layer) =>
      Array.from({ length: 200 }, (_unused, index) =>
        call(`${layer}-${index}`, layer === 0 ? [] : Array.from({ length: 200 }, (_none, other) => `${layer - 1}-${other}`)),
      ),
    );
    const bench = new TurnBench(layers.flat(), { concurrency: 1_000 });
    for (const { callId = '' } of layers.flat()) {
      bench.now += 1;
      bench.end(callId);
    }
    expect(new Set(bench.started).size).toBe(1_000);
    expect(bench.report).toMatchObject({ outcome: 'success', criticalPath: ['0-199', '1-199', '2-199', '3-199', '4-199'] });
    const fallen = new TurnBench(layers.flat(), { concurrency: 1_000 });
    for (let index = 0; index < 200; index += 1) fallen.end(`0-${index}`, index === 77 ? 'error' : 'success');
    expect(fallen.report?.results.filter(({ error }) => error?.code === 'DEPENDENCY_FAILED')).toHaveLength(800);
    expect(fallen.report?.results[200]?.error?.causedBy).toEqual(['0-77']);
  });
});

describe('unusual names', () => {
  const names = [
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'toString',
    ' ',
    'a.b',
    '…',
    '日本',
    'é',
    'e\u0301',
    '🛩',
    '\u0000',
    '\uD800',
    'x'.repeat(5_000),
  ];

  it.each(names)('%j: runs, is referred to, fails and gets a default like any other', (name) => {
    const refers = call('z', [], { arguments: { from: ref(name, 'from') } });
    expect(new TurnBench([call(name), refers]).end(name).running.get('z')).toEqual({ from: name });
    expect(new TurnBench([call(name), refers]).end(name, 'error').report?.results[1]?.error?.causedBy).toEqual([name]);
    const covered = { ...refers, defaults: Object.fromEntries([[name, { from: 'stand-in' }]]) };
    const bench = new TurnBench([call(name), covered]).end(name, 'timeout');
    expect(bench.running.get('z')).toEqual({ from: 'stand-in' });
    bench.now += 1;
    expect(bench.end('z').report?.criticalPath).toEqual([name, 'z']);
  });

  it('are all different calls, in the same order for any order of submission', () => {
    const calls = names.map((name) => call(name));
    const one = new TurnBench(calls, { concurrency: 1 }).endAll();
    expect(new Set(one.started)).toEqual(new Set(names));
    expect(new TurnBench(calls.toReversed(), { concurrency: 1 }).endAll().started).toEqual(one.started);
  });

  it('that are invalid are reported, or are not references', () => {
    expect(checkPlan([call('')])).toMatchObject({ ok: false, problems: [{ callId: 'call-1', field: 'callId' }] });
    expect(checkPlan([call('a', ['constructor'])])).toMatchObject({ ok: false, problems: [{ field: 'dependsOn' }] });
    expect(checkPlan([call('a', [], { arguments: ref('__proto__') })])).toMatchObject({ ok: false, problems: [{ field: 'arguments' }] });
    expect(checkPlan([call('a'), call('b', ['a'], { defaults: Object.fromEntries([['__proto__', 1]]) })])).toMatchObject({
      ok: false,
      problems: [{ field: 'defaults' }],
    });
  });
});

describe('references of the wrong kind', () => {
  it.each<readonly [unknown, unknown, string]>([
    [3, undefined, 'ref: callId must be the id of another call, got 3.'],
    ['', undefined, "ref: callId must be the id of another call, got ''."],
    ['a', ['b'], 'ref: path must be of type string, got an array.'],
  ])('a reference to %j at %j is refused', (callId, path, message) => {
    expect(() => ref(callId as string, path as string)).toThrow(message);
  });
});

describe('unusual references', () => {
  const output = {
    '': { '': 'nothing' },
    ' ': 'blank',
    'a.b': 'dotted',
    list: Object.assign([1, [2]], { extra: 3 }),
    nothing: undefined,
    none: null,
    length: 4,
    text: 'text',
    ...JSON.parse('{"__proto__": {"own": true}}'),
  } as Readonly<Record<string, unknown>>;
  const resolved = (path: string): ReturnType<typeof resolveReferences> => resolveReferences(ref('a', path), new Map([['a', output]]));

  it.each<readonly [string, unknown]>([
    ['', output],
    ['.', 'nothing'],
    [' ', 'blank'],
    ['list.1.0', 2],
    ['list.length', 2],
    ['list.extra', 3],
    ['nothing', undefined],
    ['none', null],
    ['length', 4],
  ])('%j is resolved', (path, value) => {
    expect(resolved(path)).toEqual({ value, missing: [] });
  });

  it.each([
    '..',
    '...',
    'a.b',
    'list.-1',
    'list.2',
    'list.01',
    'list.1e0',
    'none.x',
    'nothing.x',
    'text.0',
    'text.length',
    'toString',
    'list.map',
    '.x',
    ' .',
    'x'.repeat(10_000),
    '.'.repeat(100_000),
  ])('%j is not resolved, and reported', (path) => {
    expect(resolved(path)).toEqual({ value: undefined, missing: [`a.${path}`] });
  });

  it('resolves an own __proto__, and no inherited one', () => {
    const parsed: unknown = JSON.parse('{"__proto__": {"own": true}}');
    expect(resolveReferences(ref('a', '__proto__.own'), new Map([['a', parsed]]))).toEqual({ value: true, missing: [] });
    expect(resolveReferences(ref('a', '__proto__'), new Map([['a', {}]]))).toMatchObject({ missing: ['a.__proto__'] });
  });

  it('keeps an own __proto__ of the arguments', () => {
    const given = JSON.parse('{"__proto__": {"$from": "a"}, "rest": 1}') as object;
    const { value } = resolveReferences(given, new Map([['a', 'filled']]));
    expect(Object.entries(value as object)).toEqual([
      ['__proto__', 'filled'],
      ['rest', 1],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.each<readonly [string, object]>([
    ['a third key', { $from: 'a', path: 'x', more: 1 }],
    ['another second key', { $from: 'a', Path: 'x' }],
    ['a path that is not a string', { $from: 'a', path: 0 }],
    ['a name that is not a string', { $from: ['a'] }],
    ['an inherited name', Object.create({ $from: 'a' }) as object],
    ['a string that resembles one', { text: '{"$from":"a"}' }],
  ])('%s: it is not a reference, and passed on unchanged', (_name, given) => {
    const bench = new TurnBench([call('a', [], { arguments: given }), call('b', ['a'])]);
    expect(bench.running.get('a')).toBe(given);
  });

  it('to the call itself is a cycle of one', () => {
    expect(checkPlan([call('a', [], { arguments: ref('a') })])).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('a → a') }],
    });
  });

  it('is not resolved within the output of another reference', () => {
    const bench = new TurnBench([call('a'), call('b', [], { arguments: ref('a') })]);
    bench.feed({
      type: 'call_settled',
      callId: 'a',
      result: { ...bench.result('a', 'success'), status: 'success', output: ref('b') } as never,
    });
    expect(bench.running.get('b')).toEqual({ $from: 'b' });
    expect(bench.problems.size).toBe(0);
  });
});
