/** Almost valid requests, and callers that modify or observe what they pass in. */
import { describe, expect, it } from 'vitest';
import type { Advisor, ToolCall, TraceEvent, TurnPlan } from '../../../src/index.ts';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import type { StandardSchema } from '../../../src/engine/schema/standard-schema.ts';
import type { ManualSystem } from '../../../src/testing/index.ts';
import { Session } from '../../../src/agent/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import { expectComplete } from '../../support/complete-result.ts';
import { watchProcess } from '../../support/watch-process.ts';

type Options = ConstructorParameters<typeof ToolExecutionService>[0];

interface World {
  readonly system: ManualSystem;
  readonly service: ToolExecutionService;
  readonly events: TraceEvent[];
  /** The arguments of the tool. */
  readonly runs: unknown[];
}

function world(more: Partial<Options> = {}, act: (args: unknown) => unknown = () => 'done'): World {
  const system = manualSystem();
  const runs: unknown[] = [];
  const work = defineTool({
    name: 'work',
    run: (args: unknown) => {
      runs.push(args);
      return act(args);
    },
  });
  const service = new ToolExecutionService({ system, seed: 'odd', tools: [work], ...more });
  const events: TraceEvent[] = [];
  service.subscribe((event) => void events.push(event));
  return { system, service, events, runs };
}

describe('almost valid requests', () => {
  it.each([5, '', null, {}, Symbol('turn'), ['turn']])('a turn with the id %o reports it and runs nothing', async (turnId) => {
    const { service, runs, events } = world();
    const { problems, outcome } = await service.executeTurn({ turnId, calls: [{ callId: 'a', toolName: 'work' }] } as never);
    expect(problems).toHaveLength(1);
    expect(problems?.[0]).toMatch(/turn id|turnId/iu);
    expect([outcome, runs, events]).toEqual(['failed', [], []]);
  });

  it.each([
    ['acceptPartial', 'yes'],
    ['acceptPartial', 1],
    ['alternatives', 'backup'],
    ['alternatives', { 0: 'backup' }],
    ['fallback', 5],
    ['fallback', null],
  ])('%s: %o is a wrong type, in a tool and in a call', async (field, value) => {
    expect(() => defineTool({ name: 'odd', run: () => 1, [field]: value })).toThrow(TypeError);
    expect(() => defineTool({ name: 'odd', run: () => 1, [field]: value })).toThrow(field);
    const { service, runs } = world();
    const result = await service.executeTool({ toolName: 'work', policy: { [field]: value } });
    expect(result).toMatchObject({ status: 'error', error: { code: 'INVALID_CALL', message: expect.stringContaining(field) } });
    expect(runs).toEqual([]);
  });
});

describe('calls that are no list', () => {
  it.each<readonly [unknown, string]>([
    [{ toolName: 'work' }, 'an object'],
    ['work', "'work'"],
    [Promise.resolve([]), 'a promise'],
    [{ length: 2 }, 'an object'],
  ])('%o: one result says so, and nothing runs', async (calls, what) => {
    const { service, runs } = world();
    expect(await service.executeToolBatch(calls as never)).toMatchObject([
      { callId: 'call-1', status: 'error', error: { code: 'INVALID_CALL', message: `The calls must be an array, got ${what}` } },
    ]);
    expect(runs).toEqual([]);
  });

  it.each([undefined, null, []])('%o: a model that made no calls has no results', async (calls) => {
    expect(await world().service.executeToolBatch(calls as never)).toEqual([]);
  });
});

describe('schemas', () => {
  const schema = (validate: (value: unknown) => unknown): StandardSchema =>
    ({ '~standard': { version: 1, vendor: 'odd', validate } }) as unknown as StandardSchema;

  function* endless(): Generator<{ readonly message: string }> {
    for (;;) yield { message: 'wrong' };
  }

  it.each<readonly [string, () => unknown]>([
    ['sparse, with a length of four thousand million', () => Object.assign([], { length: 2 ** 32 - 1 })],
    ['endless', () => endless()],
    ['many', () => Array.from({ length: 100_000 }, () => ({ message: 'wrong' }))],
    ['each longer than the last', () => Array.from({ length: 60 }, (_, index) => ({ message: 'x'.repeat(index * 1_000), path: ['a'] }))],
  ])('issues that are %s: a result of bounded length', async (_name, issues) => {
    const system = manualSystem();
    const tool = defineTool({ name: 'picky', input: schema(() => ({ issues: issues() })), run: () => 'ran' });
    const result = await new ToolExecutionService({ system, tools: [tool] }).executeTool({ toolName: 'picky', arguments: {} as never });
    // A hole is not a readable issue: the schema is at fault, and blocks nothing.
    expect(['error', 'success']).toContain(result.status);
    expectComplete(result, { maxChars: 50_000 });
  });

  it.each<readonly [string, () => unknown]>([
    ['fails later', () => Promise.reject(new Error('later'))],
    ['resolves later', () => Promise.resolve([{ path: [], message: 'wrong' }])],
    [
      'has a then that throws',
      () => ({
        // oxlint-disable-next-line unicorn/no-thenable -- that is what it is about
        then: () => {
          throw new Error('at once');
        },
      }),
    ],
    ['never resolves', () => new Promise(() => undefined)],
  ])('a JSON Schema check that %s: unchecked, reported, and nothing left behind', async (_name, check) => {
    const watch = watchProcess();
    const system = manualSystem();
    const tool = defineTool({ name: 'picky', input: { type: 'object' }, run: () => 'ran' });
    const service = new ToolExecutionService({ system, tools: [tool], jsonSchema: () => check as never });
    const events: TraceEvent[] = [];
    service.subscribe((event) => void events.push(event));
    expect(await service.executeTool({ toolName: 'picky', arguments: {} as never })).toMatchObject({ status: 'success', output: 'ran' });
    expect(events).toContainEqual(expect.objectContaining({ event_type: 'ComponentFailed', component: 'schema' }));
    expect(await watch.look()).toEqual([]);
    watch.stop();
  });
});

describe('an advisor', () => {
  const spoil = (value: unknown, seen = new Set<unknown>()): void => {
    if (typeof value !== 'object' || value === null || value instanceof Error || seen.has(value)) return;
    seen.add(value);
    for (const [key, part] of Object.entries(value)) {
      spoil(part, seen);
      Reflect.set(value, key, key === 'action' ? 'retry' : typeof part === 'number' ? 0 : typeof part === 'boolean' ? !part : 'spoilt');
    }
    if (Array.isArray(value)) value.length = 0;
  };

  const comparable = (events: readonly TraceEvent[]): unknown =>
    JSON.parse(JSON.stringify(events.map(({ timestamp: _timestamp, ...event }) => event)));

  it.each<readonly [string, unknown]>([
    ['a permanent failure', Object.assign(new Error('gone'), { status: 404 })],
    ['a transient failure', Object.assign(new Error('busy'), { status: 503 })],
  ])('that modifies all its inputs of %s changes nothing', async (_name, error) => {
    const run = async (advisor?: Advisor): Promise<unknown> => {
      const { system, service, events } = world(advisor ? { advisor } : {}, () => Promise.reject(error));
      const results = [
        await system.until(service.executeTool({ toolName: 'work' })),
        await system.until(service.executeTool({ toolName: 'work' })),
      ];
      return [results, comparable(events)];
    };
    let asked = 0;
    const meddling: Advisor = (notice, inputs, builtIn) => {
      asked += 1;
      spoil([notice, inputs, builtIn]);
      return undefined;
    };
    expect(await run(meddling)).toEqual(await run());
    expect(asked).toBeGreaterThan(1);
  });

  it('and a listener that modifies its events: the next failure is decided like the first', async () => {
    const { system, service, runs } = world({}, () => Promise.reject(Object.assign(new Error('gone'), { status: 404 })));
    service.subscribe((event) => void (event.event_type === 'RecoveryDecided' && spoil([event.decision, event.inputs])));
    for (let call = 1; call <= 3; call += 1) {
      expect(await system.until(service.executeTool({ toolName: 'work' }))).toMatchObject({ status: 'error', attempts: 1 });
      expect(runs).toHaveLength(call);
    }
  });
});

/** An object that counts how often each field is read, and changes at every reading. */
function counted<T extends object>(fields: T, reads: Record<string, number>): T {
  const shown = {};
  for (const [name, value] of Object.entries(fields)) {
    Object.defineProperty(shown, name, {
      enumerable: true,
      get: () => {
        reads[name] = (reads[name] ?? 0) + 1;
        return reads[name] === 1 ? (value as unknown) : Symbol('changed');
      },
    });
  }
  return shown as T;
}

describe('input objects', () => {
  const kinds = ['executeTool', 'executeToolBatch', 'executeTurn'] as const;
  const give = async ({ system, service }: World, kind: (typeof kinds)[number], call: ToolCall): Promise<readonly unknown[]> =>
    kind === 'executeTool'
      ? [await system.until(service.executeTool(call))]
      : kind === 'executeToolBatch'
        ? system.until(service.executeToolBatch([call]))
        : system.until(service.executeTurn({ calls: [call] })).then(({ results }) => results);

  it.each(kinds)('%s reads each field of a call and of its policy once', async (kind) => {
    const reads: Record<string, number> = {};
    let failures = 0;
    const given = world({}, () => (++failures < 3 ? Promise.reject(Object.assign(new Error('busy'), { status: 503 })) : 'done'));
    const retry = counted({ maxAttempts: 3, initialDelayMs: 7, jitter: 'none' as const }, reads);
    const policy = counted({ timeoutMs: 5_000, acceptPartial: false, retry }, reads);
    const call = counted({ callId: 'mine', toolName: 'work', arguments: { city: 'Rome' }, idempotencyKey: 'key', policy }, reads);
    expect(await give(given, kind, call)).toMatchObject([
      { callId: 'mine', status: 'success', output: 'done', attempts: 3, executionTime: 21 },
    ]);
    expect(given.runs).toEqual([{ city: 'Rome' }, { city: 'Rome' }, { city: 'Rome' }]);
    for (const [name, times] of Object.entries(reads)) expect(`${name}: ${times}`).toBe(`${name}: 1`);
    expect(Object.keys(reads)).toHaveLength(11);
  });

  const change = (calls: readonly Record<string, unknown>[]): void => {
    for (const call of calls)
      for (const key of Object.keys(call)) {
        const part = call[key];
        if (typeof part === 'object' && part !== null && key !== 'arguments')
          for (const name of Object.keys(part)) Reflect.set(part, name, Symbol('changed'));
        call[key] = undefined;
      }
    (calls as unknown[]).length = 0;
  };

  it('may be modified while a turn runs, without effect', async () => {
    const calls = [
      { callId: 'a', toolName: 'work', policy: { retry: { maxAttempts: 1 } } },
      { callId: 'b', toolName: 'work', dependsOn: ['a'], defaults: { a: { n: 7 } }, arguments: { from: { $from: 'a', path: 'n' } } },
      { callId: 'c', toolName: 'work', dependsOn: ['a'], optional: true },
      { callId: 'd', toolName: 'work', dependsOn: ['b'], critical: true, idempotencyKey: 'mine' },
    ];
    const plan = { turnId: 'mine', calls };
    const given = world({}, (args) => {
      change(calls as never);
      Object.assign(plan, { turnId: 'changed', concurrency: 0 });
      return (args as { from?: number }).from === undefined && given.runs.length === 1 ? Promise.reject(new TypeError('bug')) : 'done';
    });
    const report = await given.system.until(given.service.executeTurn(plan as TurnPlan));
    expect(report).toMatchObject({ turnId: 'mine', outcome: 'partial', escalated: false });
    expect(report.results).toMatchObject([
      { callId: 'a', toolName: 'work', status: 'error', attempts: 1 },
      { callId: 'b', toolName: 'work', status: 'success', attempts: 1 },
      { callId: 'c', toolName: 'work', status: 'error', attempts: 0, skipped: true },
      { callId: 'd', toolName: 'work', status: 'success', attempts: 1 },
    ]);
    expect(given.runs).toEqual([{}, { from: 7 }, {}]);
  });

  it('may be modified while a batch runs, without effect', async () => {
    const calls = [1, 2, 3].map((n) => ({ callId: `c${n}`, toolName: 'work', arguments: { n }, policy: { retry: { maxAttempts: 2 } } }));
    const given = world({ turn: { concurrency: 1 } }, () => {
      change(calls as never);
      return 'done';
    });
    const results = await given.system.until(given.service.executeToolBatch(calls));
    expect(results).toMatchObject([1, 2, 3].map((n) => ({ callId: `c${n}`, toolName: 'work', status: 'success' })));
    expect(given.runs).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });
});

describe('a signal with an unreadable reason', () => {
  const broken = (aborted: boolean): { readonly signal: never; readonly abort: () => void } => {
    const listeners: (() => void)[] = [];
    const signal = {
      aborted,
      get reason(): never {
        throw new Error('no reason');
      },
      addEventListener: (_type: string, listener: () => void) => void listeners.push(listener),
      removeEventListener: () => undefined,
    };
    return { signal: signal as never, abort: () => listeners.forEach((listener) => listener()) };
  };

  it('cancels a running call, batch and turn', async () => {
    const { service, system } = world({}, () => new Promise(() => undefined));
    const { signal, abort } = broken(false);
    const running = [
      service.executeTool({ toolName: 'work' }, { signal }).then((result) => [result]),
      service.executeToolBatch([{ toolName: 'work' }], { signal }),
      service.executeTurn({ calls: [{ toolName: 'work' }] }, { signal }).then(({ results }) => results),
    ];
    await system.settle();
    expect(abort).not.toThrow();
    for (const results of await Promise.all(running)) expect(results).toMatchObject([{ status: 'error', error: { code: 'CANCELLED' } }]);
  });

  it('that is already aborted runs nothing', async () => {
    const { service, runs } = world();
    const { signal } = broken(true);
    expect(await service.executeTool({ toolName: 'work' }, { signal })).toMatchObject({ error: { code: 'CANCELLED' } });
    expect(await service.executeToolBatch([{ toolName: 'work' }], { signal })).toMatchObject([{ error: { code: 'CANCELLED' } }]);
    expect(await service.executeTurn({ calls: [{ toolName: 'work' }] }, { signal })).toMatchObject({ outcome: 'cancelled' });
    expect(runs).toEqual([]);
  });
});

it.each([undefined, null, 'x', {}, { observe: () => undefined }])('a listener that is %j is refused', (listener) => {
  const system = manualSystem();
  const service = new ToolExecutionService({ tools: [], system });
  expect(() => service.subscribe(listener as never)).toThrow(/^subscribe: listener must be of type function/);
  expect(() => new Session({ system }).onReducerError(listener as never)).toThrow(/^onReducerError: listener must be of type function/);
});
