/** Misbehaving servers over stdio, connected by streams in this process. */
import { describe, expect, it, vi } from 'vitest';
import { type JsonObject, rpcError } from '../../src/client/index.ts';
import { rejection } from './support/connections.ts';
import { type ReceivedMessage, fake, settle } from './support/fake-stdio.ts';

describe('a server', () => {
  it('may write invalid lines, batches and messages in pieces', async () => {
    const { to, say, write, lastId } = await fake();
    const first = to.request('a');
    await settle();
    write('log line\n\n{"json": \nnull\n5\n"text"\n[]\n{"jsonrpc":"2.0"}\n');
    const bytes = Buffer.from(`[{"jsonrpc":"2.0","id":${lastId()},"result":{"value":"日本"}}]\r\n`);
    for (const byte of bytes) write(Buffer.from([byte]));
    expect(await first).toEqual({ value: '日本' });
    const second = to.request('b');
    await settle();
    say({ id: 4711, result: {} }, { id: 'x', result: {} }, { id: lastId(), result: { value: 1 } }, { id: lastId(), result: { value: 2 } });
    expect(await second).toEqual({ value: 1 });
  });

  it('may cut off an answer: its request fails at once, and no other', async () => {
    const { to, say, write, lastId } = await fake();
    const other = to.request('a');
    await settle();
    const otherId = lastId();
    const cut = rejection(to.request('b'));
    await settle();
    write(`{"jsonrpc":"2.0","id":${lastId()},"result":{"content":[{"type":"te\n`);
    expect(await cut).toMatchObject({ code: 'INVALID_ANSWER', message: expect.stringContaining('{"type":"te') as unknown });
    write(`{"jsonrpc":"2.0","id":${otherId},"method":"sampling/createMessage","params":{"mess\n`);
    say({ id: otherId, result: { value: 1 } });
    expect(await other).toEqual({ value: 1 });
  });

  it('without an id answers the only open request, if there is exactly one', async () => {
    const { to, say } = await fake();
    const only = rejection(to.request('a'));
    await settle();
    say({ id: null, error: { code: -32_700, message: 'Parse error' } });
    expect(await only).toMatchObject({ code: -32_700 });
    const two = [to.request('b'), to.request('c')].map((request) => rejection(request));
    await settle();
    say({ id: null, error: { code: -32_700, message: 'Parse error' } });
    await expect(Promise.race([...two, settle().then(() => 'none')])).resolves.toBe('none');
  });

  it('that exits fails running and later requests', async () => {
    const { to, end } = await fake();
    const pending = [to.request('a'), to.request('b')].map((request) => rejection(request));
    await settle();
    end();
    expect((await Promise.all(pending)).map(({ code }) => code)).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED']);
    await to.ended;
    expect(await rejection(to.request('c'))).toMatchObject({ code: 'NOT_CONNECTED' });
    expect(await rejection(to.notify('d'))).toMatchObject({ code: 'NOT_CONNECTED' });
    expect(await to.isResponsive(100)).toBe(false);
  });

  it('that writes its log to standard output: the start of it is known', async () => {
    const { write, stray } = await fake();
    write('Server started on port 3000\n');
    await settle();
    expect(stray()).toBe('Server started on port 3000');
  });

  it('that hangs is unhealthy', async () => {
    const { to } = await fake();
    expect(await to.isResponsive(30)).toBe(false);
  });

  it('that answers a ping with an error is healthy', async () => {
    const { to, say, lastId } = await fake();
    const well = to.isResponsive(5000);
    await settle();
    say({ id: lastId(), error: { code: -32_601, message: 'no ping' } });
    expect(await well).toBe(true);
  });
});

describe('a message over the limit', () => {
  const long = 'x'.repeat(20_000);
  it.each([
    ['its start', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"value":"${long}"}}\n`],
    ['its end', (id: number) => `{"result":{"value":"${long}"},"jsonrpc":"2.0","id":${id}}\n`],
  ])('fails its own call, recognized by %s', async (_where, message) => {
    const { to, say, write, received } = await fake();
    const [long, short] = [rejection(to.request('long')), to.request('short')];
    await settle();
    const idOf = (method: string): number => received.find((each) => each.method === method)?.id ?? -1;
    write(message(idOf('long')));
    expect(await long).toMatchObject({ code: 'MESSAGE_TOO_LARGE', message: 'a message was longer than 10000 bytes' });
    say({ id: idOf('short'), result: { value: 'ok' } });
    expect(await short).toEqual({ value: 'ok' });
  });

  it('fails all calls if it cannot be assigned to one; the connection stays usable', async () => {
    const { to, say, write, lastId } = await fake();
    const pending = [rejection(to.request('a')), rejection(to.request('b'))];
    await settle();
    write(`${long}\n`);
    expect((await Promise.all(pending)).map(({ code }) => code)).toEqual(['MESSAGE_TOO_LARGE', 'MESSAGE_TOO_LARGE']);
    const next = to.request('c');
    await settle();
    say({ id: lastId(), result: {} });
    expect(await next).toEqual({});
  });

  it('that is a notification fails nothing', async () => {
    const { to, say, write, lastId } = await fake();
    const pending = to.request('a');
    await settle();
    write(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${long}"}}\n`);
    write(`{"params":{"data":"${long}"},"jsonrpc":"2.0","method":"notifications/message"}\n`);
    say({ id: lastId(), result: { value: 'ok' } });
    expect(await pending).toEqual({ value: 'ok' });
  });
});

describe('progress', () => {
  it('reaches the request with its token, and is ignored after the answer', async () => {
    const { to, say, lastId } = await fake();
    const heard: JsonObject[] = [];
    const others: string[] = [];
    const pending = to.request(
      'a',
      { _meta: { own: 1 } },
      { onProgress: (report) => heard.push(report), onNotification: (method) => others.push(method) },
    );
    await settle();
    const report = (progressToken: unknown, progress: number): object => ({
      method: 'notifications/progress',
      params: { progressToken, progress },
    });
    say(
      report(lastId(), 1),
      report(String(lastId()), 2),
      report('nobody', 3),
      report(undefined, 4),
      { id: lastId(), result: {} },
      report(lastId(), 5),
    );
    await pending;
    expect(heard).toEqual([{ progress: 1 }, { progress: 2 }]);
    expect(others).toEqual([]);
  });

  it('fails only its own request if the listener throws', async () => {
    const { to, say, received } = await fake();
    const onProgress = (): never => {
      throw new Error('listener');
    };
    const [failing, other] = [rejection(to.request('a', {}, { onProgress })), to.request('b')];
    await settle();
    const [a, b] = received.slice(-2).map(({ id }) => id);
    say({ method: 'notifications/progress', params: { progressToken: a, progress: 1 } }, { id: b, result: {} });
    expect(await failing).toMatchObject({ message: 'listener' });
    expect(await other).toEqual({});
  });
});

describe('questions of a legacy server', () => {
  const answersIn = (received: readonly ReceivedMessage[]): readonly ReceivedMessage[] =>
    received.filter(({ method }) => method === undefined);
  const question = (id: unknown, method = 'elicitation/create'): object => ({ id, method, params: { message: 'name?' } });

  it('are answered by their recipient: ping automatically, else the only request with a listener, else the connection', async () => {
    const by = (who: string) => async (): Promise<JsonObject> => ({ who });
    const { to, received, say, lastId } = await fake({ answer: by('connection') });
    say(question(1, 'ping'), question('two'));
    await vi.waitFor(() => expect(answersIn(received)).toHaveLength(2));
    const request = to.request('a', {}, { onRequest: by('request') });
    await settle();
    say(question(3));
    await vi.waitFor(() => expect(answersIn(received)).toHaveLength(3));
    const second = to.request('b', {}, { onRequest: by('second') });
    await settle();
    say(question(4));
    await vi.waitFor(() => expect(answersIn(received)).toHaveLength(4));
    say({ id: lastId(), result: {} }, { id: lastId() - 1, result: {} });
    await Promise.all([request, second]);
    expect(answersIn(received).map(({ id, result }) => [id, result])).toEqual([
      [1, {}],
      ['two', { who: 'connection' }],
      [3, { who: 'request' }],
      [4, { who: 'connection' }],
    ]);
  });

  it('without a listener, with one that fails, or that are cancelled', async () => {
    const { received, say } = await fake();
    say(question(1));
    await vi.waitFor(() => expect(answersIn(received)[0]?.error).toMatchObject({ code: -32_601 }));
    const answer = async (method: string): Promise<JsonObject> => {
      if (method === 'own') throw rpcError(-1, 'declined', { a: 1 });
      if (method === 'secret') throw new Error('password=hunter2');
      await new Promise((resolve) => setTimeout(resolve, 30));
      return { late: true };
    };
    const other = await fake({ answer });
    other.say(question(1, 'own'), question(2, 'secret'), question(3, 'late'), question(4, 'late'));
    other.say({ method: 'notifications/cancelled', params: { requestId: 3 } });
    await vi.waitFor(() => expect(answersIn(other.received)).toHaveLength(3));
    expect(answersIn(other.received).map(({ id, error, result }) => [id, error ?? result])).toEqual([
      [1, { code: -1, message: 'declined', data: { a: 1 } }],
      [2, { code: -32_603, message: 'Internal error' }],
      [4, { late: true }],
    ]);
  });

  it('without end are refused', async () => {
    const { received, say } = await fake({ answer: () => new Promise(() => {}) });
    for (let id = 0; id < 300; id++) say(question(id));
    await vi.waitFor(() => expect(answersIn(received)).toHaveLength(44));
  });

  it('go to the request without an open one, and are dropped with their request', async () => {
    const { to, received, say } = await fake();
    const heard: string[] = [];
    const asking = (who: string, signal?: AbortSignal): Promise<unknown> => {
      const onRequest = async (): Promise<JsonObject> => {
        heard.push(who);
        return new Promise(() => {});
      };
      return rejection(to.request('a', {}, { onRequest, signal }));
    };
    const controller = new AbortController();
    const abandoned = asking('first', controller.signal);
    await settle();
    say(question('q1'));
    await vi.waitFor(() => expect(heard).toEqual(['first']));
    void asking('second');
    say(question('q2'));
    await vi.waitFor(() => expect(heard).toEqual(['first', 'second']));
    controller.abort(new Error('nobody comes back'));
    await abandoned;
    // The only remaining request, although it already has a question.
    say(question('q3'));
    await vi.waitFor(() => expect(heard).toEqual(['first', 'second', 'second']));
    for (let id = 0; id < 253; id++) say(question(id));
    await vi.waitFor(() => expect(heard).toHaveLength(256));
    expect(answersIn(received)).toEqual([]);
  });

  it('that arrive in one chunk are for one request, while others wait for their answers', async () => {
    const { to, received, say } = await fake();
    const heard: string[] = [];
    const asking = (who: string): void => {
      const onRequest = async (): Promise<JsonObject> => {
        heard.push(who);
        return new Promise(() => {});
      };
      void rejection(to.request('a', {}, { onRequest }));
    };
    asking('waiting');
    await settle();
    say(question('q1'));
    await vi.waitFor(() => expect(heard).toHaveLength(1));
    asking('now');
    await settle();
    say(question('q2'), question('q3'), question('q4'));
    await vi.waitFor(() => expect(heard).toEqual(['waiting', 'now', 'now', 'now']));
    await new Promise((resolve) => setTimeout(resolve, 100));
    say(question('q5'));
    await vi.waitFor(() => expect(answersIn(received)).toMatchObject([{ id: 'q5', error: { code: -32_601 } }]));
  });

  it('are for the request of one client only while no other client has a request', async () => {
    const { to, received, say, lastId } = await fake();
    const heard: string[] = [];
    const asking = (onBehalfOf: string): Promise<unknown> => {
      const onRequest = async (): Promise<JsonObject> => {
        heard.push(onBehalfOf);
        return {};
      };
      return to.request('a', {}, { onRequest, onBehalfOf });
    };
    const first = asking('alice');
    await settle();
    say(question('q1'));
    await vi.waitFor(() => expect(answersIn(received)).toMatchObject([{ id: 'q1', result: {} }]));
    const other = asking('bob');
    await settle();
    say(question('q2'));
    await vi.waitFor(() => expect(answersIn(received)[1]).toMatchObject({ id: 'q2', error: { code: -32_601 } }));
    say({ id: lastId(), result: {} });
    await other;
    say(question('q3'));
    await vi.waitFor(() => expect(answersIn(received)[2]).toMatchObject({ id: 'q3', result: {} }));
    say({ id: lastId() - 1, result: {} });
    await first;
    say(question('q4'));
    await vi.waitFor(() => expect(answersIn(received)[3]).toMatchObject({ id: 'q4', error: { code: -32_601 } }));
    expect(heard).toEqual(['alice', 'alice']);
  });

  it('are not answered in the modern era', async () => {
    const { received, say } = await fake({ eras: ['modern'], answer: async () => ({}) });
    say(question(1), question(2, 'ping'));
    await settle();
    await settle();
    expect(answersIn(received)).toEqual([]);
  });
});
