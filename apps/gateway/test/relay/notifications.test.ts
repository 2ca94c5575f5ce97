import { rpcError } from '@holdfast/mcp-wire/server';
import { describe, expect, test } from 'vitest';
import { connectedClient, clientRequest, keys, manifestOf, never, prompts, resources, until, world } from './fake-server.ts';

const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

describe('changes of lists', () => {
  test('many within a short time are sent once, after the list was read again', async () => {
    let names = ['old'];
    const { relay, servers, published } = world({ one: { answers: { 'prompts/list': () => prompts(...names)({}, {}) } } });
    await relay.handle(clientRequest('prompts/list'));
    names = ['new'];
    for (let n = 0; n < 10; n++) servers['one']?.notification('notifications/prompts/list_changed');
    await until(() => published.length > 0);
    await moment();
    expect(published).toEqual([{ method: 'notifications/prompts/list_changed', params: {} }]);
    const reads = servers['one']?.methods().length ?? 0;
    expect(reads).toBeGreaterThan(1);
    expect(reads).toBeLessThan(5);
    expect(keys(await relay.handle(clientRequest('prompts/list')), 'prompts', 'name')).toEqual(['one__new']);
  });

  test('are sent even if the server hangs when its list is read again', async () => {
    const { relay, servers, published } = world({ one: { answers: { 'resources/list': resources() } } }, { limits: { unknownListMs: 20 } });
    await relay.handle(clientRequest('resources/list'));
    if (servers['one'] !== undefined) servers['one'].script = { answers: { 'resources/list': never } };
    servers['one']?.notification('notifications/resources/list_changed');
    await until(() => published.length > 0);
    expect(published).toEqual([{ method: 'notifications/resources/list_changed', params: {} }]);
  });

  test('of tools are sent when the catalog has changed, not when the server announces it', async () => {
    const { servers, published, toolsChanged } = world({ one: {} });
    servers['one']?.notification('notifications/tools/list_changed');
    await moment();
    expect(published).toEqual([]);
    toolsChanged();
    toolsChanged();
    await until(() => published.length > 0);
    await moment();
    expect(published).toEqual([{ method: 'notifications/tools/list_changed', params: {} }]);
  });

  test('that are found after a reconnect are sent, if a client has the list', async () => {
    let uris = ['o://1'];
    const { relay, servers, published } = world({ one: { answers: { 'resources/list': () => resources(...uris)({}, {}) } } });
    await relay.handle(clientRequest('resources/list'));
    servers['one']?.fall();
    servers['one']?.rise();
    await moment();
    expect(published).toEqual([]);
    uris = ['o://2'];
    servers['one']?.fall();
    servers['one']?.rise();
    await until(() => published.length > 0);
    expect(published).toEqual([{ method: 'notifications/resources/list_changed', params: {} }]);
  });

  test('are sent when a reload has changed the set', async () => {
    const { upstreams, published } = world({ one: {} });
    upstreams.apply(manifestOf(['one', 'two']));
    await until(() => published.length === 2);
    expect(published.map(({ method }) => method)).toEqual(['notifications/resources/list_changed', 'notifications/prompts/list_changed']);
  });
});

describe('other notifications', () => {
  test('updates and log messages are sent to all clients, finished elicitations to none: only one was asked; loggers have the name of their server', async () => {
    const { servers, published } = world({ one: {}, two: {} });
    const meta = { 'io.modelcontextprotocol/subscriptionId': 5, 'com.example/x': 1 };
    servers['one']?.notification('notifications/resources/updated', { uri: 'o://1', title: 'x', _meta: meta });
    servers['one']?.notification('notifications/message', { level: 'info', logger: 'db', data: 1 });
    servers['two']?.notification('notifications/elicitation/complete', { elicitationId: 'e' });
    expect(published).toEqual([
      { method: 'notifications/resources/updated', params: { uri: 'o://1', title: 'x', _meta: { 'com.example/x': 1 } } },
      { method: 'notifications/message', params: { level: 'info', logger: 'one/db', data: 1 } },
    ]);
  });

  test('unknown ones are sent only if there is a single server; progress and cancellation never', async () => {
    for (const names of [['one'], ['one', 'two']]) {
      const { servers, published } = world(Object.fromEntries(names.map((name) => [name, {}])));
      for (const method of ['notifications/x', 'notifications/progress', 'notifications/cancelled']) servers['one']?.notification(method);
      expect(published.map(({ method }) => method)).toEqual(names.length === 1 ? ['notifications/x'] : []);
    }
  });

  test('of a server that is not exposed are not sent', async () => {
    const { servers, published } = world({ one: {} }, { entry: () => ', expose: false' });
    servers['one']?.notification('notifications/message', { level: 'info', data: 1 });
    servers['one']?.notification('notifications/resources/updated', { uri: 'o://1' });
    expect(published).toEqual([]);
  });

  test('are not sent after close', async () => {
    const { relay, servers, published, toolsChanged } = world({ one: {} });
    toolsChanged();
    relay.close();
    servers['one']?.notification('notifications/resources/updated', { uri: 'o://1' });
    toolsChanged();
    await moment();
    expect(published).toEqual([]);
  });
});

describe('watched resources', () => {
  const listed = (...uris: readonly string[]) => ({ answers: { 'resources/list': resources(...uris) } });

  test('are watched once, at their owner, until the last client has stopped', async () => {
    const { relay, servers } = world({ one: listed('o://1'), two: listed('t://1') });
    const stops = await Promise.all([relay.watchResource('t://1', connectedClient()), relay.watchResource('t://1', connectedClient())]);
    expect([servers['one']?.watched, servers['two']?.watched]).toEqual([[], ['t://1']]);
    stops[0]?.();
    stops[0]?.();
    await moment();
    expect(servers['two']?.watched).toEqual(['t://1']);
    stops[1]?.();
    await moment();
    expect(servers['two']?.watched).toEqual([]);
  });

  test('are no longer watched when their client has disconnected, also while the watch opens', async () => {
    const { relay, servers } = world({ one: listed() });
    const client = connectedClient();
    await relay.watchResource('o://1', client);
    const opening = relay.watchResource('o://2', client);
    relay.clientGone(client);
    await opening;
    await moment();
    expect(servers['one']?.watched).toEqual([]);
  });

  test('that are requested again while the last watch ends are watched', async () => {
    const { relay, servers } = world({ one: listed() });
    const stop = await relay.watchResource('o://1', connectedClient());
    stop();
    await relay.watchResource('o://1', connectedClient());
    await moment();
    expect(servers['one']?.watched).toEqual(['o://1']);
  });

  test('that the server refuses are refused, and can be requested again', async () => {
    let refuses = true;
    const answers = {
      'resources/subscribe': () => {
        if (refuses) throw rpcError(-32_601, 'no subscriptions');
        return {};
      },
    };
    const { relay, servers } = world({ one: { answers } });
    await expect(relay.watchResource('o://1', connectedClient())).rejects.toMatchObject({ code: -32_601 });
    refuses = false;
    await relay.watchResource('o://1', connectedClient());
    expect(servers['one']?.watched).toEqual(['o://1']);
    await expect(world({}).relay.watchResource('o://1', connectedClient())).rejects.toMatchObject({ code: -32_002 });
  });

  test('at a server that hangs are refused in time, and stopped if they open later', async () => {
    let open = (): void => {};
    const answers = { 'resources/subscribe': () => new Promise<object>((resolve) => (open = () => resolve({}))) };
    const { relay, servers } = world({ one: { answers: answers as never } }, { limits: { requestMs: 20 } });
    await expect(relay.watchResource('o://1', connectedClient())).rejects.toMatchObject({ code: -32_603 });
    open();
    await moment();
    expect(servers['one']?.watched).toEqual([]);
  });

  test('of a replaced server are watched at the new one', async () => {
    const { relay, upstreams, servers } = world({ one: listed('o://1') });
    await relay.watchResource('o://1', connectedClient());
    const old = servers['one'];
    upstreams.apply(manifestOf(['one'], () => ', cwd: /elsewhere'));
    await moment();
    expect(servers['one']).not.toBe(old);
    expect(servers['one']?.watched).toEqual(['o://1']);
    expect(old?.watched).toEqual([]);
  });

  test('that cannot be watched at the new server yet are watched when it connects', async () => {
    const { relay, upstreams, servers, scripts, faults } = world({ one: listed('o://1') });
    await relay.watchResource('o://1', connectedClient());
    let refuses = true;
    const refuse = (): object => {
      if (refuses) throw new Error('not now');
      return {};
    };
    scripts['one'] = { answers: { ...listed('o://1').answers, 'resources/subscribe': refuse as never } };
    upstreams.apply(manifestOf(['one'], () => ', cwd: /elsewhere'));
    await until(() => faults.length > 0);
    expect(servers['one']?.watched).toEqual([]);
    refuses = false;
    servers['one']?.fall();
    servers['one']?.rise();
    await until(() => servers['one']?.watched.length === 1);
  });

  test('of spilled results need no watch', async () => {
    const { relay, servers } = world({ one: {} });
    (await relay.watchResource('holdfast://results/1', connectedClient()))();
    expect(servers['one']?.watched).toEqual([]);
  });
});

describe('the log level', () => {
  const logging = { capabilities: { logging: {} }, answers: { 'logging/setLevel': {} } } as const;
  const levels = (server: { readonly received: readonly { readonly params: object }[] } | undefined): readonly unknown[] =>
    server?.received.map(({ params }) => (params as { readonly level?: unknown }).level) ?? [];

  test('is set at legacy servers that log, again over a new connection, and reset without listeners', async () => {
    const { relay, upstreams, servers } = world({ one: logging, modern: { ...logging, era: 'modern' }, silent: { capabilities: {} } });
    upstreams.connect();
    await moment();
    relay.logLevelChanged('info');
    await moment();
    servers['one']?.fall();
    servers['one']?.rise();
    await moment();
    relay.logLevelChanged(undefined);
    await moment();
    expect([levels(servers['one']), levels(servers['modern']), levels(servers['silent'])]).toEqual([['info', 'info', 'emergency'], [], []]);
  });

  test('is not set before a client requests it, and a refusal of the server is a fault', async () => {
    const { relay, upstreams, servers, faults } = world({ one: { capabilities: { logging: {} } } });
    upstreams.connect();
    await moment();
    relay.logLevelChanged(undefined);
    await moment();
    expect(servers['one']?.methods()).toEqual([]);
    relay.logLevelChanged('error');
    await until(() => faults.length > 0);
    expect(faults).toMatchObject([{ upstream: 'one', operation: 'logging/setLevel' }]);
  });
});

describe('a request of a server outside of any call', () => {
  const ask = async (method: string): Promise<Readonly<Record<string, unknown>>> => ({ answered: method });

  test('is sent to the only client that can answer', async () => {
    const { relay } = world({ one: {} });
    const capable = connectedClient({ capabilities: { roots: {} }, ask });
    for (const client of [capable, connectedClient({ ask }), connectedClient({ era: 'modern', capabilities: { roots: {} } })]) {
      await relay.describe(client);
      relay.seen(client);
    }
    expect(await relay.answer('one', 'roots/list', {})).toEqual({ answered: 'roots/list' });
    await expect(relay.answer('one', 'sampling/createMessage', {})).rejects.toMatchObject({ code: -32_601 });
    const second = connectedClient({ capabilities: { roots: {} }, ask });
    await relay.describe(second);
    relay.seen(second);
    await expect(relay.answer('one', 'roots/list', {})).rejects.toMatchObject({ code: -32_603 });
    relay.clientGone(capable);
    expect(await relay.answer('one', 'roots/list', {})).toEqual({ answered: 'roots/list' });
  });

  test('is not sent to a client before its first request, and has a time limit', async () => {
    const { relay } = world({ one: {} }, { inputTimeoutMs: 20 });
    const client = connectedClient({ capabilities: { roots: {} }, ask: () => new Promise(() => {}) });
    await relay.describe(client);
    await expect(relay.answer('one', 'roots/list', {})).rejects.toMatchObject({ code: -32_601 });
    relay.seen(client);
    await expect(relay.answer('one', 'roots/list', {})).rejects.toMatchObject({ code: -32_603 });
  });

  test('for roots without a client: the server is notified of the first client with roots, and of their changes', async () => {
    const { relay, upstreams, servers } = world({ one: {}, modern: { era: 'modern' } });
    upstreams.connect();
    await moment();
    await relay.answer('one', 'roots/list', {}).catch(() => {});
    const client = connectedClient({ capabilities: { roots: {} }, ask });
    await relay.describe(client);
    expect(servers['one']?.notified).toEqual([]);
    relay.seen(client);
    relay.seen(client);
    expect(servers['one']?.notified).toEqual([{ method: 'notifications/roots/list_changed', params: {} }]);
    relay.notified('notifications/roots/list_changed', {}, client);
    expect([servers['one']?.notified.length, servers['modern']?.notified]).toEqual([2, []]);
  });

  test('other notifications of clients are sent to the only server', async () => {
    for (const names of [['one'], ['one', 'two']]) {
      const { relay, servers } = world(Object.fromEntries(names.map((name) => [name, {}])));
      relay.notified('notifications/x', { a: 1, _meta: { progressToken: 1 } }, connectedClient());
      expect(servers['one']?.notified).toEqual(names.length === 1 ? [{ method: 'notifications/x', params: { a: 1 } }] : []);
    }
  });
});
