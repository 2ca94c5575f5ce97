/** What the guard passes through unchanged, and errors that it tolerates. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fetch, type FetchReport, guardFetch } from '../../src/fetch/guard-fetch.ts';

const url = 'https://api.openai.com/v1/chat/completions';
const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
const valid = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } };
const broken = {
  model: 'm',
  messages: [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: null, tool_calls: [call] },
  ],
};
const post = (body: unknown): RequestInit => ({ method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });

interface Seen {
  readonly fetch: Fetch;
  readonly calls: [unknown, RequestInit | undefined][];
}

function answering(...answers: readonly (() => Response)[]): Seen {
  const calls: Seen['calls'] = [];
  return {
    calls,
    fetch: (input, init) => {
      calls.push([input, init]);
      return Promise.resolve((answers[Math.min(calls.length, answers.length) - 1] ?? (() => json({})))());
    },
  };
}

describe('is passed through unchanged', () => {
  test.each<readonly [string, string, RequestInit | undefined]>([
    ['a valid request', url, post(valid)],
    ['a GET', url, undefined],
    ['another URL', 'https://api.openai.com/v1/embeddings', post({ input: ['x'] })],
    ['a body that is not JSON', url, post('{')],
    ['a body that is a list', url, post([1])],
    ['a body without messages', url, post({ model: 'm' })],
    ['a form', url, { method: 'POST', body: new FormData() }],
    ['a compressed body', url, { ...post(broken), headers: { 'content-encoding': 'gzip' } }],
    ['a body that is not text', url, { method: 'POST', body: new Uint8Array([0xff, 0xfe]) }],
    [
      'a signed request',
      'https://bedrock-runtime.us-east-1.amazonaws.com/model/x/converse',
      {
        ...post({ messages: [{ role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'b', input: {} } }] }] }),
        headers: { authorization: 'AWS4-HMAC-SHA256 Credential=x' },
      },
    ],
  ])('%s', async (_name, address, init) => {
    const response = json({ fine: true });
    const { fetch, calls } = answering(() => response);
    expect(await guardFetch(fetch)(address, init)).toBe(response);
    expect(calls).toEqual([[address, init]]);
    expect(calls[0]?.[1]).toBe(init);
  });

  test('a valid response, unread', async () => {
    const response = json({ choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }] });
    const given = await guardFetch(answering(() => response).fetch)(url, post(valid));
    expect(given).toBe(response);
    expect(given.bodyUsed).toBe(false);
  });

  test.each<readonly [string, () => Response]>([
    ['not JSON', () => new Response('{', { headers: { 'content-type': 'application/json' } })],
    ['a string', () => new Response('hello', { headers: { 'content-type': 'text/plain' } })],
    ['nothing', () => new Response(null, { status: 204 })],
    ['an error without a message', () => new Response('', { status: 400 })],
    ['a server error', () => json({ error: { message: 'insufficient tool messages' } }, 500)],
  ])('a response that is %s', async (_name, make) => {
    const response = make();
    expect(await guardFetch(answering(() => response).fetch)(url, post(valid))).toBe(response);
  });
});

describe('repaired requests', () => {
  const repaired = (init: RequestInit | undefined): { readonly messages: readonly unknown[] } =>
    JSON.parse(init?.body as string) as { readonly messages: readonly unknown[] };

  test.each<readonly [string, string | URL | Request, RequestInit | undefined]>([
    ['text', url, post(broken)],
    ['a URL object', new URL(url), post(broken)],
    ['bytes', url, { method: 'post', body: new TextEncoder().encode(JSON.stringify(broken)) }],
    ['a Request', new Request(url, post(broken)), undefined],
    ['Azure', 'https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1', post(broken)],
  ])('%s', async (_name, input, init) => {
    const { fetch, calls } = answering(() => json({}));
    const reports: FetchReport[] = [];
    await guardFetch(fetch, { onReport: (report) => reports.push(report) })(input, init);
    expect(calls[0]?.[0]).toBe(input);
    expect(repaired(calls[0]?.[1]).messages).toHaveLength(3);
    expect(reports[0]?.changes.map(({ rule }) => rule)).toEqual(['missing-result']);
  });

  test('headers and signal are kept; an outdated length is removed', async () => {
    const { fetch, calls } = answering(() => json({}));
    const { signal } = new AbortController();
    await guardFetch(fetch)(url, { ...post(broken), signal, headers: { 'Content-Length': '5', 'x-mine': 'a' } });
    expect(calls[0]?.[1]?.signal).toBe(signal);
    expect([...new Headers(calls[0]?.[1]?.headers)]).toEqual([['x-mine', 'a']]);
  });

  test('the host determines the rules', async () => {
    const { fetch, calls } = answering(() => json({}));
    const history = {
      ...valid,
      messages: [
        valid.messages[0],
        { role: 'assistant', content: null, tool_calls: [{ ...call, id: 'call_long_0' }] },
        { role: 'tool', tool_call_id: 'call_long_0', content: 'x' },
      ],
    };
    await guardFetch(fetch)('https://api.mistral.ai/v1/chat/completions', post(history));
    const [, assistant] = repaired(calls[0]?.[1]).messages as readonly { readonly tool_calls: readonly { readonly id: string }[] }[];
    expect(assistant?.tool_calls[0]?.id).toMatch(/^[A-Za-z0-9]{9}$/);
  });

  test('a custom URL requires the format', async () => {
    const { fetch, calls } = answering(() => json({}));
    await guardFetch(fetch)('https://proxy.local/llm', post(broken));
    await guardFetch(fetch, { format: 'openai-chat' })('https://proxy.local/llm', post(broken));
    expect(calls.map(([, init]) => repaired(init).messages.length)).toEqual([2, 3]);
  });
});

describe('failures', () => {
  test('errors of the inner fetch are thrown unchanged', async () => {
    const failure = new TypeError('fetch failed');
    const guarded = guardFetch(() => Promise.reject(failure));
    await expect(guarded(url, post(broken))).rejects.toBe(failure);
    const controller = new AbortController();
    controller.abort(failure);
    await expect(guardFetch(globalThis.fetch)(url, { ...post(broken), signal: controller.signal })).rejects.toBe(failure);
  });

  test('errors and rejections of a listener are ignored', async () => {
    const { fetch } = answering(() => json({}));
    const throwing = guardFetch(fetch, {
      onReport: () => {
        throw new Error('no');
      },
    });
    expect((await throwing(url, post(broken))).status).toBe(200);
    const rejecting = guardFetch(fetch, { onReport: () => Promise.reject(new Error('no')) as unknown as undefined });
    expect((await rejecting(url, post(broken))).status).toBe(200);
  });

  test('a refused request is sent again at most once', async () => {
    const refusal = (): Response =>
      json({ error: { message: 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.' } }, 400);
    const history = {
      ...valid,
      messages: [
        valid.messages[0],
        { role: 'assistant', content: null, tool_calls: [{ ...call, id: 'call_1_2_3' }] },
        { role: 'tool', tool_call_id: 'call_1_2_3', content: 'x' },
      ],
    };
    const { fetch, calls } = answering(refusal);
    const response = await guardFetch(fetch)(url, post(history));
    expect(calls).toHaveLength(2);
    expect(await response.json()).toMatchObject({ error: {} });
  });

  test('a missing fetch is rejected', () => {
    expect(() => guardFetch(undefined as unknown as Fetch)).toThrow(TypeError);
  });
});

describe('streams', () => {
  const streamOf = (chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
  const events = (body: ReadableStream<Uint8Array>): Response =>
    new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-request-id': 'r1' } });
  const read = async (response: Response): Promise<Uint8Array[]> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk);
    return chunks;
  };

  test('every byte is passed through unchanged, chunk by chunk', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.uint8Array(),
            fc.constantFrom('data: {"choices":[{}]}\n\n', 'data: [DONE]\r\n\r\n', 'data: {').map((text) => new TextEncoder().encode(text)),
          ),
        ),
        async (chunks) => {
          const response = await guardFetch(answering(() => events(streamOf(chunks))).fetch)(url, post({ ...valid, stream: true }));
          expect(await read(response)).toEqual(chunks);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('a chunk is available before the next one arrives', async () => {
    let send: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (send = controller) });
    const response = await guardFetch(answering(() => events(body)).fetch)(url, post(valid));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = new TextEncoder().encode('data: {"cho');
    send?.enqueue(first);
    expect((await reader.read()).value).toEqual(first);
    send?.close();
    expect((await reader.read()).done).toBe(true);
    expect(response.headers.get('x-request-id')).toBe('r1');
  });

  test('cancelling the stream cancels the provider; an error of the provider is passed on', async () => {
    let cancelled: unknown;
    const body = new ReadableStream<Uint8Array>({ cancel: (reason) => void (cancelled = reason) });
    const response = await guardFetch(answering(() => events(body)).fetch)(url, post(valid));
    await response.body?.cancel('enough');
    expect(cancelled).toBe('enough');
    const failure = new Error('reset');
    const failing = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(failure) });
    const other = await guardFetch(answering(() => events(failing)).fetch)(url, post(valid));
    await expect(read(other)).rejects.toBe(failure);
  });

  test('only lines with a mapped name are rewritten', async () => {
    const dotted = { ...valid, tools: [{ type: 'function', function: { name: 'a.b', parameters: { type: 'object', properties: {} } } }] };
    let sentName = '';
    const lines = (name: string): string =>
      [
        ': ping',
        'data:  {"choices": [ {"index":0, "delta":{"content":"ü"}}]}\r',
        '',
        `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"${name}","arguments":"{}"}}]}}]}`,
        '',
        'data: [DONE]',
        'end',
      ].join('\n');
    const fetch: Fetch = (_input, init) => {
      const body = JSON.parse(init?.body as string) as typeof dotted;
      sentName = body.tools[0]?.function.name ?? '';
      const bytes = new TextEncoder().encode(lines(sentName));
      return Promise.resolve(events(streamOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))));
    };
    const response = await guardFetch(fetch)(url, post(dotted));
    expect(await response.text()).toBe(lines('a.b'));
    expect(sentName).not.toBe('a.b');
  });
});

test('for any request or response, nothing is thrown', async () => {
  const part = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(null, 'assistant', 'tool', 'c1', 1, ''),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          'role',
          'content',
          'tool_calls',
          'id',
          'function',
          'name',
          'arguments',
          'choices',
          'message',
          'type',
          'input',
          'tools',
        ),
        tie('node'),
        { maxKeys: 4 },
      ),
    ),
  })).node;
  const addresses = fc.constantFrom(
    url,
    'https://a/v1/messages',
    'https://a/v1/responses',
    'https://a/m:generateContent',
    'https://a/model/x/converse',
    'not an address',
  );
  await fc.assert(
    fc.asyncProperty(addresses, fc.array(part), part, async (address, list, answer) => {
      const body = { messages: list, input: list, contents: list };
      const response = await guardFetch(answering(() => json(answer)).fetch)(address, post(body));
      expect(response.status).toBe(200);
    }),
    { numRuns: 500 },
  );
});
