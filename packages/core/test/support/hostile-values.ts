/* oxlint-disable unicorn/no-thenable -- this file is about accidental and malicious thenables */
/** Values that break ordinary code, by name. Each is created again, since some remember that they were accessed. */

const refuse = (what: string) => (): never => {
  throw new Error(`${what} was touched`);
};

/** A proxy that throws on every access. */
export function brokenProxy(target: object = {}): object {
  const traps = [
    'get',
    'set',
    'has',
    'ownKeys',
    'getOwnPropertyDescriptor',
    'getPrototypeOf',
    'defineProperty',
    'deleteProperty',
    'isExtensible',
    'apply',
    'construct',
  ];
  return new Proxy(target, Object.fromEntries(traps.map((trap) => [trap, refuse(trap)])));
}

export function brokenGetters(...names: readonly string[]): object {
  return Object.defineProperties(
    {},
    Object.fromEntries(names.map((name) => [name, { enumerable: true, configurable: true, get: refuse(name) }])),
  );
}

function cyclic(): object {
  const ring: Record<string, unknown> = { name: 'ring' };
  ring['self'] = ring;
  ring['list'] = [ring, { ring }];
  return ring;
}

function cyclicCause(): Error {
  const first = new Error('first');
  const second = new Error('second', { cause: first });
  first.cause = second;
  return first;
}

function shared(depth: number): object {
  let node: object = {};
  for (let level = 0; level < depth; level++) node = { left: node, right: node };
  return node;
}

function nested(depth: number): unknown {
  let node: unknown = 1;
  for (let level = 0; level < depth; level++) node = [node];
  return node;
}

export const hostileValues: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  'empty text': () => '',
  text: () => 'just a string',
  number: () => 42,
  NaN: () => Number.NaN,
  'negative zero': () => -0,
  false: () => false,
  BigInt: () => 10n,
  symbol: () => Symbol('thrown'),
  function: () => () => 'called',
  class: () => class Broken {},
  'frozen error': () => Object.freeze(new Error('frozen')),
  'frozen object': () => Object.freeze({ message: 'frozen' }),
  'object without prototype': () => Object.assign(Object.create(null) as object, { message: 'bare' }),
  'empty object without prototype': () => Object.create(null) as object,
  'broken proxy': () => brokenProxy(),
  'broken function proxy': () => brokenProxy(() => undefined),
  'broken array proxy': () => brokenProxy([1, 2]),
  'revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  'broken getters': () => brokenGetters('message', 'name', 'stack', 'code', 'status', 'cause', 'errors', 'toJSON'),
  'error with a broken message': () => Object.defineProperty(new Error('x'), 'message', { get: refuse('message') }),
  'error with a broken cause': () => Object.defineProperty(new Error('x'), 'cause', { get: refuse('cause') }),
  'error with a broken toString': () => Object.assign(new Error('x'), { toString: refuse('toString') }),
  'error whose message is an object': () => Object.assign(new Error('x'), { message: { deep: 1 } }),
  'cyclic cause': cyclicCause,
  'error of errors': () => new AggregateError([undefined, new Error('one'), brokenProxy()], 'several'),
  cycle: cyclic,
  'shared 40 deep': () => shared(40),
  'nested 5,000 deep': () => nested(5_000),
  'huge text': () => 'x'.repeat(300_000),
  'huge list': () => Array.from({ length: 20_000 }, () => 'item'),
  'sparse list': () => Object.assign([], { length: 4_000_000_000 }),
  bytes: () => new Uint8Array(100_000),
  map: () => new Map([[{}, 1n]]),
  'toJSON that throws': () => ({ toJSON: refuse('toJSON') }),
  'toJSON that returns a BigInt': () => ({ toJSON: () => 1n }),
  'toJSON that returns itself': () => {
    const self = { toJSON: (): unknown => ({ self }) };
    return self;
  },
  'own __proto__': () => JSON.parse('{"__proto__": {"polluted": true}, "kept": 1}') as unknown,
  'invalid date': () => new Date(Number.NaN),
  'rejected promise': () => {
    const promise = Promise.reject(new Error('inner'));
    promise.catch(() => undefined);
    return promise;
  },
};

/** Objects with a `then` method. */
export const thenables: Readonly<Record<string, () => unknown>> = {
  'then that throws': () => ({ then: refuse('then') }),
  'getter of then that throws': () => brokenGetters('then'),
  'getter of then that throws the second time': () => {
    let reads = 0;
    return {
      get then(): unknown {
        reads += 1;
        if (reads > 1) throw new Error('then was read again');
        return (resolve: (value: unknown) => void) => resolve('once');
      },
    };
  },
  'then that never settles': () => ({ then: () => undefined }),
  'then that resolves twice': () => ({
    then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
      resolve('first');
      resolve('second');
      reject(new Error('third'));
    },
  }),
  'then that resolves and throws': () => ({
    then(resolve: (value: unknown) => void) {
      resolve('first');
      throw new Error('after the answer');
    },
  }),
  'then that resolves a thenable': () => ({
    then: (resolve: (value: unknown) => void) => resolve({ then: (inner: (value: unknown) => void) => inner('deep') }),
  }),
  'promise whose own then throws': () => Object.assign(Promise.resolve(1), { then: refuse('then') }),
  'promise whose own then never settles': () => Object.assign(Promise.resolve(1), { then: () => undefined }),
  'promise whose own then resolves twice': () =>
    Object.assign(Promise.resolve(1), {
      then(resolve: (value: unknown) => void) {
        resolve(1);
        resolve(2);
      },
    }),
  'function with a then': () => Object.assign(() => undefined, { then: (resolve: (value: unknown) => void) => resolve('function') }),
};
