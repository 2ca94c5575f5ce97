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
  'returns nothing': () => undefined,
  'returns nothing later': async () => undefined,
  'returns null later': async () => null,
  'returns a string': () => 'fine',
  'returns invalid issues': () => ({ issues: 5 }),
  'returns invalid issues later': async () => ({ issues: 5 }),
  'returns undefined issues': () => ({ issues: [] }),
  'returns broken issues': () => ({ issues: [brokenProxy(), null, { path: [null, Symbol('place')], message: Symbol('text') }] }),
  'returns broken issues later': async () => ({ issues: [brokenProxy()] }),
  'returns a broken result': () => brokenGetters('issues', 'value'),
  'returns a broken result later': async () => brokenGetters('issues', 'value'),
  'returns a thenable that never settles': () => ({ then: (done: (value: unknown) => void) => done({ value: 1 }) }),
  ...Object.fromEntries(Object.entries(thenables).map(([name, make]) => [`returns a ${name}`, make])),
};

export function schemaOf(validate: (value: unknown) => unknown): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate: validate as StandardSchema['~standard']['validate'] } };
}

export const hostileAdvisors: Readonly<Record<string, Advisor>> = {
  agrees: () => undefined,
  throws: boom,
  hangs: hang,
  rejects: () => Promise.reject(Object.create(null)),
  'returns a string': () => 'retry' as never,
  'returns a proxy': () => brokenProxy() as never,
  'returns a thenable that throws': () => thenables['then that throws']?.() as never,
  'resolves twice': () => thenables['then that resolves twice']?.() as never,
  'always retries': (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'retry', delayMs: 0 }),
  'retries after Infinity': (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'retry', delayMs: Number.POSITIVE_INFINITY }),
  'retries after NaN': (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'retry', delayMs: Number.NaN }),
  'retries after a negative time': (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'retry', delayMs: -1e9 }),
  'chooses an unknown tool': (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'use_alternative', alternative: 'nowhere' }),
  'chooses an unknown action': (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'dance' as never }),
  'chooses a default': async (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'use_default' }),
  'chooses a partial output': async (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'accept_partial' }),
  'has no reason': () => ({ action: 'skip' }) as never,
};

export const hostileListeners: Readonly<Record<string, TraceListener>> = {
  listens: () => undefined,
  throws: boom,
  'rejects later': (async () => boom()) as unknown as TraceListener,
  'returns a broken thenable': (() => thenables['then that throws']?.()) as unknown as TraceListener,
  'freezes its arguments': (event) => void Object.freeze(event),
};

export const hostilePolicies: Readonly<Record<string, Middleware>> = {
  passes: (next) => next,
  wraps: (next) => (args, context) => next(args, context),
  throws: () => boom,
  rejects: () => () => Promise.reject(Object.create(null)),
  hangs: () => hang,
  'calls twice': (next) => async (args, context) => {
    // Wrapped, so that if the second throws at once, the rejection of the first is still handled here.
    const call = async (): Promise<unknown> => next(args, context);
    await Promise.allSettled([call(), call()]);
    return next(args, context);
  },
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
  'returns a broken thenable': () =>
    store({ append: () => thenables['then that throws']?.(), saveCircuits: () => thenables['getter of then that throws']?.() }),
};
