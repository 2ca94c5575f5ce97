import type { McpServerOptions } from '@holdfast/runners';
import { afterEach, describe, expect, test } from 'vitest';
import type { UpstreamFault, Upstreams } from '../../src/upstreams/upstream.ts';
import { createUpstreams, type UpstreamsOptions } from '../../src/upstreams/upstreams.ts';
import { down, type FakeServer, fakeServer, manifestOf, until } from '../relay/fake-server.ts';

let open: Upstreams | undefined;
afterEach(async () => {
  await open?.close();
});

interface Set {
  readonly upstreams: Upstreams;
  /** In the order of creation. */
  readonly made: FakeServer[];
  readonly faults: UpstreamFault[];
}

function setOf(manifest: ReturnType<typeof manifestOf>, options: UpstreamsOptions = {}): Set {
  const made: FakeServer[] = [];
  const faults: UpstreamFault[] = [];
  const makeServer = (reach: McpServerOptions): FakeServer => {
    const server = fakeServer({}, reach);
    made.push(server);
    return server;
  };
  open = createUpstreams(manifest, { makeServer, onFault: (fault) => faults.push(fault), ...options });
  return { upstreams: open, made, faults };
}

const names = (upstreams: readonly { readonly name: string }[]): readonly string[] => upstreams.map(({ name }) => name);

describe('the set of servers', () => {
  test('is in the order of the manifest, with the settings of each entry', () => {
    const { upstreams, made } = setOf(manifestOf(['b', 'a'], (name) => (name === 'a' ? ', expose: false, prefix: x, cwd: /there' : '')));
    expect(names(upstreams.all())).toEqual(['b', 'a']);
    expect(names(upstreams.exposed())).toEqual(['b']);
    expect(upstreams.get('a')).toMatchObject({ name: 'a', isExposed: false, entry: { prefix: 'x' } });
    expect(upstreams.get('toString')).toBeUndefined();
    expect(made[1]?.options).toMatchObject({ name: 'a', command: 'none', args: ['a'], cwd: '/there', listen: true });
    expect(made[1]?.options).not.toHaveProperty('prefix');
    expect(made[1]?.options.clientCapabilities).toHaveProperty('elicitation');
  });

  test('an invalid entry does not affect the others', () => {
    const { upstreams, faults } = setOf(manifestOf(['bad', 'good']), {
      makeServer: (reach) => {
        if (reach.name === 'bad') throw new TypeError('mcpServer: command');
        return fakeServer({}, reach);
      },
    });
    expect(names(upstreams.all())).toEqual(['good']);
    expect(faults).toMatchObject([{ upstream: 'bad', operation: 'start' }]);
  });

  test('reports the status of each', () => {
    const { upstreams } = setOf(manifestOf(['one']));
    expect(upstreams.status()).toMatchObject([{ name: 'one', isExposed: true, state: 'idle' }]);
  });

  test('passes on notifications with their upstream, until unsubscribed', () => {
    const { upstreams, made } = setOf(manifestOf(['one', 'two']));
    const received: unknown[] = [];
    const stop = upstreams.subscribe((upstream, method, params) => received.push([upstream.name, method, params]));
    made[1]?.notification('notifications/x', { a: 1 });
    stop();
    made[1]?.notification('notifications/x', { a: 2 });
    expect(received).toEqual([['two', 'notifications/x', { a: 1 }]]);
  });

  test('answers questions of servers, with their name', async () => {
    const { made } = setOf(manifestOf(['one']), { answer: async (...asked) => ({ asked }) });
    expect(await made[0]?.options.answer?.('roots/list', { a: 1 })).toEqual({ asked: ['one', 'roots/list', { a: 1 }, undefined] });
  });

  test('closes all', async () => {
    const { upstreams, made } = setOf(manifestOf(['one', 'two']));
    await upstreams.close();
    expect(made.map(({ isClosed }) => isClosed)).toEqual([true, true]);
    upstreams.apply(manifestOf(['three']));
    expect(made).toHaveLength(2);
  });
});

describe('another manifest', () => {
  test('keeps servers with the same command or URL, whatever else has changed', () => {
    const { upstreams, made } = setOf(manifestOf(['one', 'two']));
    const one = upstreams.get('one');
    upstreams.apply(manifestOf(['two', 'one'], (name) => (name === 'two' ? ', prefix: other, expose: false' : '')));
    expect(made).toHaveLength(2);
    expect(names(upstreams.all())).toEqual(['two', 'one']);
    expect(upstreams.get('one')).toBe(one);
    expect(upstreams.get('two')).toMatchObject({ isExposed: false, entry: { prefix: 'other' }, server: made[1] });
    expect(names(upstreams.exposed())).toEqual(['one']);
  });

  test('replaces servers with another command or URL, and retires removed ones', async () => {
    const { upstreams, made } = setOf(manifestOf(['changed', 'gone', 'kept']));
    const changes: (string | undefined)[] = [];
    upstreams.subscribeStatus((upstream) => changes.push(upstream?.name));
    upstreams.apply(manifestOf(['changed', 'kept', 'new'], (name) => (name === 'changed' ? ', cwd: /else' : '')));
    expect(changes).toEqual([undefined]);
    await until(() => made[0]?.isClosed === true && made[1]?.isClosed === true);
    expect(made.map(({ options, isClosed }) => [options.name, isClosed])).toEqual([
      ['changed', true],
      ['gone', true],
      ['kept', false],
      ['changed', false],
      ['new', false],
    ]);
    expect(upstreams.get('changed')?.server).toBe(made[3]);
    expect(upstreams.get('gone')).toBeUndefined();
  });

  test('notifications of a retired server are ignored', () => {
    const { upstreams, made } = setOf(manifestOf(['one']));
    const received: unknown[] = [];
    upstreams.subscribe((upstream) => received.push(upstream.name));
    upstreams.apply(manifestOf(['two']));
    made[0]?.notification('notifications/x');
    expect(received).toEqual([]);
  });

  test('closing does not wait for calls of retired servers', async () => {
    let ended = (): void => {};
    const retirement = new Promise<void>((resolve) => (ended = resolve));
    const { upstreams, made } = setOf(manifestOf(['one']));
    const [server] = made;
    if (server === undefined) throw new Error('no server');
    Object.assign(server, {
      retire: () => retirement,
      async close() {
        server.isClosed = true;
        ended();
      },
    });
    upstreams.apply(manifestOf([]));
    expect(made[0]?.isClosed).toBe(false);
    await upstreams.close();
    expect(made[0]?.isClosed).toBe(true);
  });
});

describe('connecting servers', () => {
  test('connects them in the background, and reconnects them', async () => {
    const { upstreams, made } = setOf(manifestOf(['one', 'slow']));
    const [one, slow] = made;
    if (slow !== undefined) slow.script = { greet: () => new Promise(() => {}) };
    upstreams.connect();
    await until(() => one?.status().state === 'up');
    one?.fall();
    await until(() => one?.status().state === 'up');
    expect(one?.status().restarts).toBe(1);
    upstreams.apply(manifestOf(['one', 'slow', 'new']));
    await until(() => made[2]?.status().state === 'up');
  });

  test('retries after failures, each reported once', async () => {
    let tries = 0;
    const { upstreams, made, faults } = setOf(manifestOf(['one']));
    const [one] = made;
    if (one !== undefined)
      one.script = {
        greet: () => {
          tries++;
          return tries < 3 ? Promise.reject(Object.assign(down(1), { message: `down; next start in ${tries} ms` })) : Promise.resolve();
        },
      };
    upstreams.connect();
    await until(() => one?.status().state === 'up');
    expect(tries).toBe(3);
    expect(faults).toMatchObject([{ upstream: 'one', operation: 'connect' }]);
  });

  test('stops after close', async () => {
    const { upstreams, made } = setOf(manifestOf(['one']));
    upstreams.connect();
    await upstreams.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(made[0]?.status().restarts).toBe(0);
    expect(made[0]?.status().state).toBe('closed');
  });
});
