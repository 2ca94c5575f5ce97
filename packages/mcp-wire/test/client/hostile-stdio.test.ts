/** Servers over stdio that do everything wrong, spoken to over streams in this process. */
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { type ConnectOptions, type JsonObject, type McpConnection, rpcError, stdioLink } from '../../src/client/index.ts';
import { connected, ending, rejection } from './support/connections.ts';

interface Told {
  readonly id?: number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

interface Fake {
  readonly to: McpConnection;
  readonly told: Told[];
  readonly write: (text: string | Buffer) => void;
  readonly say: (...messages: object[]) => void;
  readonly end: () => void;
  /** The id of the last request. */
  readonly lastId: () => number;
}

const greetings: Readonly<Record<string, JsonObject>> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'fake' } },
  'server/discover': { supportedVersions: ['2026-07-28'], capabilities: {} },
};

/** Answers greetings; everything else is each test's. */
async function fake(options: Partial<ConnectOptions> = {}, answerGreeting = true): Promise<Fake> {
  const input = new PassThrough();
  const output = new PassThrough();
  const told: Told[] = [];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const say: Fake['say'] = (...messages) => {
    output.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  };
  let rest = '';
  input.on('data', (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString('utf8')}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as Told;
      told.push(message);
      const greeting = answerGreeting ? greetings[message.method ?? ''] : undefined;
      if (greeting !== undefined) say({ id: message.id, result: greeting });
    }
  });
  const close = async (): Promise<void> => end();
  ending(close);
  const link = stdioLink({ input, output, ended, close, maxMessageBytes: 10_000 });
  const to = await connected(link, { eras: ['legacy'], ...options });
  const lastId = (): number => told.findLast(({ id, method }) => id !== undefined && method !== undefined)?.id ?? -1;
  return { to, told, say, end, lastId, write: (text) => void output.write(text) };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a server', () => {
  it('that writes junk, lists and messages in pieces is understood', async () => {
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

  it('that answers to nobody answers the only request, where there is one', async () => {
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

  it('that ends fails what is under way, and what comes after it', async () => {
    const { to, end } = await fake();
    const pending = [to.request('a'), to.request('b')].map((request) => rejection(request));
    await settle();
    end();
    expect((await Promise.all(pending)).map(({ code }) => code)).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED']);
    await to.ended;
    expect(await rejection(to.request('c'))).toMatchObject({ code: 'NOT_CONNECTED' });
    expect(await rejection(to.notify('d'))).toMatchObject({ code: 'NOT_CONNECTED' });
    expect(await to.isWell(100)).toBe(false);
  });

  it('that hangs is not well', async () => {
    const { to } = await fake();
    expect(await to.isWell(30)).toBe(false);
  });

  it('that answers a ping with an error is well', async () => {
    const { to, say, lastId } = await fake();
    const well = to.isWell(5000);
    await settle();
    say({ id: lastId(), error: { code: -32_601, message: 'no ping' } });
    expect(await well).toBe(true);
  });
});

describe('a message over the limit', () => {
  const long = 'x'.repeat(20_000);
  it.each([
    ['its head', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"value":"${long}"}}\n`],
    ['its tail', (id: number) => `{"result":{"value":"${long}"},"jsonrpc":"2.0","id":${id}}\n`],
  ])('fails its own call, known by %s', async (_where, message) => {
    const { to, say, write, told } = await fake();
    const [long, short] = [rejection(to.request('long')), to.request('short')];
    await settle();
    const idOf = (method: string): number => told.find((each) => each.method === method)?.id ?? -1;
    write(message(idOf('long')));
    expect(await long).toMatchObject({ code: 'MESSAGE_TOO_LARGE', message: 'a message was longer than 10000 bytes' });
    say({ id: idOf('short'), result: { value: 'ok' } });
    expect(await short).toEqual({ value: 'ok' });
  });

  it('fails every call where nothing tells whose it is, and the server lives on', async () => {
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
  it('reaches the request of its token, and nobody after the answer', async () => {
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

  it('whose listener fails fails its request alone', async () => {
    const { to, say, told } = await fake();
    const onProgress = (): never => {
      throw new Error('listener');
    };
    const [failing, other] = [rejection(to.request('a', {}, { onProgress })), to.request('b')];
    await settle();
    const [a, b] = told.slice(-2).map(({ id }) => id);
    say({ method: 'notifications/progress', params: { progressToken: a, progress: 1 } }, { id: b, result: {} });
    expect(await failing).toMatchObject({ message: 'listener' });
    expect(await other).toEqual({});
  });
});

describe('questions of a legacy server', () => {
  const answersIn = (told: readonly Told[]): readonly Told[] => told.filter(({ method }) => method === undefined);
  const question = (id: unknown, method = 'elicitation/create'): object => ({ id, method, params: { message: 'name?' } });

  it('are answered by whom they are for: ping by itself, else the only request with a listener, else the connection', async () => {
    const by = (who: string) => async (): Promise<JsonObject> => ({ who });
    const { to, told, say, lastId } = await fake({ answer: by('connection') });
    say(question(1, 'ping'), question('two'));
    await vi.waitFor(() => expect(answersIn(told)).toHaveLength(2));
    const request = to.request('a', {}, { onRequest: by('request') });
    await settle();
    say(question(3));
    await vi.waitFor(() => expect(answersIn(told)).toHaveLength(3));
    const second = to.request('b', {}, { onRequest: by('second') });
    await settle();
    say(question(4));
    await vi.waitFor(() => expect(answersIn(told)).toHaveLength(4));
    say({ id: lastId(), result: {} }, { id: lastId() - 1, result: {} });
    await Promise.all([request, second]);
    expect(answersIn(told).map(({ id, result }) => [id, result])).toEqual([
      [1, {}],
      ['two', { who: 'connection' }],
      [3, { who: 'request' }],
      [4, { who: 'connection' }],
    ]);
  });

  it('without a listener, with one that fails, or that are taken back', async () => {
    const { told, say } = await fake();
    say(question(1));
    await vi.waitFor(() => expect(answersIn(told)[0]?.error).toMatchObject({ code: -32_601 }));
    const answer = async (method: string): Promise<JsonObject> => {
      if (method === 'own') throw rpcError(-1, 'declined', { a: 1 });
      if (method === 'secret') throw new Error('password=hunter2');
      await new Promise((resolve) => setTimeout(resolve, 30));
      return { late: true };
    };
    const other = await fake({ answer });
    other.say(question(1, 'own'), question(2, 'secret'), question(3, 'late'), question(4, 'late'));
    other.say({ method: 'notifications/cancelled', params: { requestId: 3 } });
    await vi.waitFor(() => expect(answersIn(other.told)).toHaveLength(3));
    expect(answersIn(other.told).map(({ id, error, result }) => [id, error ?? result])).toEqual([
      [1, { code: -1, message: 'declined', data: { a: 1 } }],
      [2, { code: -32_603, message: 'Internal error' }],
      [4, { late: true }],
    ]);
  });

  it('without end are refused', async () => {
    const { told, say } = await fake({ answer: () => new Promise(() => {}) });
    for (let id = 0; id < 300; id++) say(question(id));
    await vi.waitFor(() => expect(answersIn(told)).toHaveLength(44));
  });

  it('go to the request for which none is open yet, and are forgotten with their request', async () => {
    const { to, told, say } = await fake();
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
    // The only one that is left, though it is asked already.
    say(question('q3'));
    await vi.waitFor(() => expect(heard).toEqual(['first', 'second', 'second']));
    for (let id = 0; id < 253; id++) say(question(id));
    await vi.waitFor(() => expect(heard).toHaveLength(256));
    expect(answersIn(told)).toEqual([]);
  });

  it('are not answered in the modern era', async () => {
    const { told, say } = await fake({ eras: ['modern'], answer: async () => ({}) });
    say(question(1), question(2, 'ping'));
    await settle();
    await settle();
    expect(answersIn(told)).toEqual([]);
  });
});

describe('the greeting', () => {
  it('falls back to the other era on the same streams', async () => {
    const { to, told, say } = await greetedBy((message) =>
      message.method === 'initialize' ? { error: { code: -32_601, message: 'no' } } : { result: greetings['server/discover'] },
    );
    expect(to.greeting).toMatchObject({ era: 'modern', serverInfo: {} });
    expect(told.map(({ method }) => method)).toEqual(['initialize', 'server/discover']);
    const asked = to.request('a', { _meta: { own: 1 }, x: 2 }, { clientInfo: { name: 'other' }, logLevel: 'error', onProgress: () => {} });
    await settle();
    expect(told.at(-1)?.params).toEqual({
      x: 2,
      _meta: {
        own: 1,
        progressToken: told.at(-1)?.id,
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'other' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
        'io.modelcontextprotocol/logLevel': 'error',
      },
    });
    say({ id: told.at(-1)?.id, result: {} });
    await asked;
  });

  it.each([
    ['refuses both', () => ({ error: { code: -32_601, message: 'never' } }), { code: -32_601 }],
    ['chooses a version that nobody knows', () => ({ result: { protocolVersion: '1999-01-01' } }), { code: 'UNSUPPORTED_VERSION' }],
    ['says nothing', () => undefined, { code: 'GREETING_TIMEOUT', message: 'no answer to the greeting within 50 ms' }],
  ])('fails with what came first where the server %s', async (_what, answer, expected) => {
    expect(await rejection(greetedBy(answer, 50))).toMatchObject(expected);
  });

  it('takes the version that the server asks for', async () => {
    let asked = 0;
    const { to } = await greetedBy(({ method }) => {
      if (method === 'initialize') return { error: { code: -32_601, message: 'no' } };
      if (asked++ === 0) return { error: { code: -32_022, message: 'other', data: { supported: ['2026-07-28', '2025-11-25'] } } };
      return { result: greetings['server/discover'] };
    });
    expect(to.greeting.protocolVersion).toBe('2026-07-28');
  });

  it('ends with the signal', async () => {
    const signal = AbortSignal.timeout(20);
    expect(await rejection(fake({ signal }, false))).toMatchObject({ name: 'TimeoutError' });
    expect(await rejection(fake({ signal }, false))).toMatchObject({ name: 'TimeoutError' });
  });

  async function greetedBy(answer: (message: Told) => object | undefined, timeoutMs = 5000): Promise<Pick<Fake, 'to' | 'told' | 'say'>> {
    const [input, output, told] = [new PassThrough(), new PassThrough(), [] as Told[]];
    const say = (message: object): void => void output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    input.on('data', (chunk: Buffer) => {
      for (const line of chunk.toString('utf8').trim().split('\n')) {
        const message = JSON.parse(line) as Told;
        told.push(message);
        const answered = message.method === 'initialize' || message.method === 'server/discover' ? answer(message) : undefined;
        if (answered !== undefined) say({ id: message.id, ...answered });
      }
    });
    const link = stdioLink({ input, output, ended: new Promise(() => {}), close: async () => {}, maxMessageBytes: 10_000 });
    return { to: await connected(link, { timeoutMs, eras: ['legacy', 'modern'] }), told, say };
  }
});

describe('a connection', () => {
  it('swallows what its listener throws', async () => {
    const onNotification = (): never => {
      throw new Error('listener');
    };
    const { to, say, lastId } = await fake({ onNotification });
    const pending = to.request('a');
    await settle();
    say({ method: 'notifications/message', params: {} }, { method: 'notifications/x' }, { id: lastId(), result: {} });
    expect(await pending).toEqual({});
  });

  it('rejects params that are no JSON, and forgets the request', async () => {
    const { to } = await fake();
    const circle: Record<string, unknown> = {};
    circle['circle'] = circle;
    expect(await rejection(to.request('a', circle))).toMatchObject({ name: 'TypeError' });
    expect(await rejection(to.request('a', { big: 1n }))).toMatchObject({ name: 'TypeError' });
  });
});
