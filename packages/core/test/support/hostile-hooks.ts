/* oxlint-disable unicorn/no-thenable -- as in hostile-values.ts */
import type { Store } from '../../src/engine/ports/store.ts';
import type { Advisor } from '../../src/engine/recover/error-handler.ts';
import type { StandardSchema } from '../../src/engine/schema/standard-schema.ts';
import type { TraceListener } from '../../src/runtime/service/event-hub.ts';
import type { Middleware } from '../../src/engine/tool/runner.ts';
import { brokenGetters, brokenProxy, thenables } from './hostile-values.ts';

const boom = (): never => {
  throw Object.create(null);
};
const hang = (): Promise<never> => new Promise(() => undefined);

/** What a user's schema may do, by name. */
export const hostileValidations: Readonly<Record<string, (value: unknown) => unknown>> = {
  passes: (value) => ({ value }),
  'passes later': async (value) => ({ value }),
  refuses: () => ({ issues: [{ message: 'No', path: ['symbol'] }] }),
  'refuses later': async () => ({ issues: [{ message: 'No', path: [{ key: 'symbol' }, 'deep'] }] }),
  throws: boom,
  rejects: () => Promise.reject(Object.create(null)),
  'never settles': hang,
  'answers nothing': () => undefined,
  'answers nothing later': async () => undefined,
  'answers null later': async () => null,
  'answers a string': () => 'fine',
  'answers issues that are none': () => ({ issues: 5 }),
  'answers issues that are none later': async () => ({ issues: 5 }),
  'answers no issues as issues': () => ({ issues: [] }),
  'answers broken issues': () => ({ issues: [brokenProxy(), null, { path: [null, Symbol('place')], message: Symbol('text') }] }),
  'answers broken issues later': async () => ({ issues: [brokenProxy()] }),
  'answers a broken result': () => brokenGetters('issues', 'value'),
  'answers a broken result later': async () => brokenGetters('issues', 'value'),
  'answers a thenable that answers nothing back': () => ({ then: (done: (value: unknown) => void) => done({ value: 1 }) }),
  ...Object.fromEntries(Object.entries(thenables).map(([name, make]) => [`answers a ${name}`, make])),
};

export function schemaOf(validate: (value: unknown) => unknown): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate: validate as StandardSchema['~standard']['validate'] } };
}

export const hostileAdvisors: Readonly<Record<string, Advisor>> = {
  agrees: () => undefined,
  throws: boom,
  hangs: hang,
  rejects: () => Promise.reject(Object.create(null)),
  'answers a string': () => 'retry' as never,
  'answers a proxy': () => brokenProxy() as never,
  'answers a thenable that throws': () => thenables['then that throws']?.() as never,
  'answers twice': () => thenables['then that answers twice']?.() as never,
  'wants to retry for ever': (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'retry', delayMs: 0 }),
  'wants to retry at the end of time': (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'retry', delayMs: Number.POSITIVE_INFINITY }),
  'wants to retry never': (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'retry', delayMs: Number.NaN }),
  'wants to retry in the past': (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'retry', delayMs: -1e9 }),
  'wants a tool that is not there': (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'use_alternative', alternative: 'nowhere' }),
  'wants what nobody knows': (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'dance' as never }),
  'wants a default': async (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'use_default' }),
  'wants a part': async (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'accept_partial' }),
  'has no reason': () => ({ action: 'skip' }) as never,
};

export const hostileListeners: Readonly<Record<string, TraceListener>> = {
  listens: () => undefined,
  throws: boom,
  'rejects later': (async () => boom()) as unknown as TraceListener,
  'answers a broken thenable': (() => thenables['then that throws']?.()) as unknown as TraceListener,
  'freezes what it hears': (event) => void Object.freeze(event),
};

export const hostilePolicies: Readonly<Record<string, Middleware>> = {
  passes: (next) => next,
  wraps: (next) => (args, context) => next(args, context),
  throws: () => boom,
  rejects: () => () => Promise.reject(Object.create(null)),
  hangs: () => hang,
  'calls twice': (next) => async (args, context) => {
    // Wrapped: when the second throws at once, the rejection of the first is still handled here.
    const call = async (): Promise<unknown> => next(args, context);
    await Promise.allSettled([call(), call()]);
    return next(args, context);
  },
  'makes no runner': () => undefined as never,
};

function store(more: Partial<Record<keyof Store, unknown>>): Store {
  return {
    append: () => undefined,
    flush: async () => undefined,
    close: async () => undefined,
    status: () => ({ ok: true, dropped: 0 }),
    readTurn: async () => undefined,
    listTurns: async () => [],
    async *readEvents() {
      yield* [];
    },
    saveCircuits: () => undefined,
    loadCircuits: async () => new Map(),
    addMemory: () => undefined,
    loadMemory: async () => [],
    ...more,
  } as Store;
}

export const hostileStores: Readonly<Record<string, () => Store>> = {
  keeps: () => store({}),
  throws: () => store({ append: boom, saveCircuits: boom, addMemory: boom, flush: boom, loadCircuits: boom, loadMemory: boom }),
  rejects: () =>
    store({
      append: async () => boom(),
      saveCircuits: async () => boom(),
      addMemory: async () => boom(),
      flush: async () => boom(),
      loadCircuits: async () => boom(),
      loadMemory: async () => boom(),
    }),
  hangs: () => store({ append: hang, saveCircuits: hang, addMemory: hang }),
  'answers a broken thenable': () =>
    store({ append: () => thenables['then that throws']?.(), saveCircuits: () => thenables['getter of then that throws']?.() }),
};
