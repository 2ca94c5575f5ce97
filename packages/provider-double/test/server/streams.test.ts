/** Streams that are split and broken the way servers break them, and error responses. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  startProviderDouble,
  type Chunking,
  type ProviderDouble,
  type ProviderDoubleOptions,
  type ScriptedCall,
} from '@holdfast/provider-double';
import { caseOf } from '../support/cases.ts';

let double: ProviderDouble | undefined;
afterEach(() => double?.close());

async function ask(options: ProviderDoubleOptions, body: object, path = '/v1/chat/completions'): Promise<Response> {
  await double?.close();
  double = await startProviderDouble(options);
  return fetch(double.url + path, { method: 'POST', body: JSON.stringify(body) });
}

const chat = { model: 'm', messages: [{ role: 'user', content: 'go' }] };

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly tool_calls?: unknown } }[];
}

async function deltas(calls: readonly ScriptedCall[], chunking: Chunking): Promise<readonly unknown[]> {
  const response = await ask({ script: [{ calls, chunking }] }, { ...chat, stream: true });
  const lines = (await response.text()).split('\n\n').filter((line) => line.startsWith('data: {'));
  return lines
    .map((line) => (JSON.parse(line.slice('data: '.length)) as Chunk).choices[0]?.delta)
    .filter((delta) => delta?.tool_calls !== undefined);
}

const chunksOf = (id: string): readonly unknown[] => (caseOf(id).body as { chunks: readonly unknown[] }).chunks;

describe('deltas of calls', () => {
  it.each(['S01', 'S02', 'S05', 'S08'])('%s is sent as it was observed', async (id) => {
    expect(await deltas([], { deltas: chunksOf(id) })).toEqual(chunksOf(id));
  });

  const one = [{ name: 'a', arguments: { x: 1 }, id: 'c1' }];
  const two = [...one, { name: 'b', arguments: { y: 2 }, id: 'c2' }];
  const begin = (index: number | undefined, id: string, name: string): object => ({
    ...(index === undefined ? {} : { index }),
    id,
    type: 'function',
    function: { name, arguments: '' },
  });
  const rows: readonly (readonly [title: string, calls: readonly ScriptedCall[], chunking: Chunking, expected: readonly unknown[]])[] = [
    [
      'sound',
      one,
      { characters: 4 },
      [begin(0, 'c1', 'a'), { index: 0, function: { arguments: '{"x"' } }, { index: 0, function: { arguments: ':1}' } }],
    ],
    ['without index', one, { faults: ['index_missing'] }, [begin(undefined, 'c1', 'a'), { function: { arguments: '{"x":1}' } }]],
    [
      'always with index 0',
      two,
      { faults: ['index_zero'] },
      [
        begin(0, 'c1', 'a'),
        { index: 0, function: { arguments: '{"x":1}' } },
        begin(0, 'c2', 'b'),
        { index: 0, function: { arguments: '{"y":2}' } },
      ],
    ],
    [
      'with id and name again',
      one,
      { faults: ['id_repeated', 'name_repeated'] },
      [begin(0, 'c1', 'a'), { index: 0, id: 'c1', function: { name: 'a', arguments: '{"x":1}' } }],
    ],
    ['with blank ids', one, { faults: ['id_blank'] }, [begin(0, 'c1', 'a'), { index: 0, id: '', function: { arguments: '{"x":1}' } }]],
    [
      'with the arguments twice',
      one,
      { faults: ['arguments_repeated'] },
      [begin(0, 'c1', 'a'), { index: 0, function: { arguments: '{"x":1}' } }, { index: 0, function: { arguments: '{"x":1}' } }],
    ],
    ['with an object', one, { faults: ['arguments_object'] }, [begin(0, 'c1', 'a'), { index: 0, function: { arguments: { x: 1 } } }]],
    [
      'with a seed',
      one,
      { faults: ['empty_object_first'] },
      [begin(0, 'c1', 'a'), { index: 0, function: { arguments: '{}' } }, { index: 0, function: { arguments: '{"x":1}' } }],
    ],
    [
      'interleaved',
      two,
      { faults: ['interleaved'] },
      [
        begin(0, 'c1', 'a'),
        begin(1, 'c2', 'b'),
        { index: 0, function: { arguments: '{"x":1}' } },
        { index: 1, function: { arguments: '{"y":2}' } },
      ],
    ],
  ];

  it.each(rows)('%s', async (_title, calls, chunking, expected) => {
    expect(await deltas(calls, chunking)).toEqual(expected.map((delta) => ({ tool_calls: [delta] })));
  });
});

describe('C28: Groq validates the output of its own model', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }];

  it.each([
    ['an unknown tool', { name: 'listFiles' }, "attempted to call tool 'listFiles' which was not in request.tools"],
    ['a call as a string', { name: 'f', arguments: 'f{"q"' }, 'Failed to call a function.'],
  ])('%s', async (_title, call, words) => {
    const response = await ask({ profile: 'groq', script: [{ calls: [call] }] }, { ...chat, tools });
    expect(caseOf('C28').error).toContain('tool_use_failed');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'tool_use_failed', type: 'invalid_request_error', message: expect.stringContaining(words) as string },
    });
    expect(double?.requests[0]?.refused).toMatchObject({ status: 400, problems: [] });
  });

  it('a valid call passes', async () => {
    const response = await ask({ profile: 'groq', script: [{ calls: [{ name: 'f' }] }] }, { ...chat, tools });
    expect(response.status).toBe(200);
  });
});

describe('refusals in the shape of each backend', () => {
  const orphan = {
    model: 'm',
    messages: [
      { role: 'user', content: 'go' },
      { role: 'tool', tool_call_id: 'aaaaaaaa1', content: 'ok' },
    ],
  };

  it.each([
    ['openai', { error: { type: 'invalid_request_error', param: 'messages.[1].role', code: null } }],
    [
      'mistral',
      { object: 'error', type: 'invalid_request_message_order', code: '3230', message: "Unexpected role 'tool' after role 'user'" },
    ],
    ['minimax', { type: 'error', error: { type: 'bad_request_error', http_code: '400' } }],
    ['qwen', { error: { code: 'invalid_parameter_error' } }],
    ['vllm', { error: { type: 'BadRequestError', code: 400 } }],
  ] as const)('%s', async (profile, body) => {
    const response = await ask({ profile, script: [] }, orphan);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject(body);
  });

  it('xAI has a shape of its own', async () => {
    const empty = { model: 'grok-4', messages: [{ role: 'user', content: [] }] };
    const response = await ask({ profile: 'xai', script: [] }, empty);
    expect(await response.json()).toEqual({
      code: 'Client specified an invalid argument',
      error: 'Invalid request content: Each message must have at least one content element.',
    });
  });

  it.each([
    ['/v1/messages', { type: 'error', error: { type: 'not_found_error', message: 'model: m' } }],
    ['/v1beta/models/m:generateContent', { error: { code: 404, status: 'NOT_FOUND' } }],
    ['/model/m/converse', { message: 'The provided model identifier is invalid.' }],
    ['/v1/responses', { error: { code: 'model_not_found' } }],
  ])('an unknown model: %s', async (path, body) => {
    const response = await ask({ script: [], models: ['other'] }, { model: 'm' }, path);
    expect(response.status).toBe(path.startsWith('/model/') ? 400 : 404);
    expect(await response.json()).toMatchObject(body);
  });

  it.each([
    ['/v1/messages', 401],
    ['/v1beta/models/m:generateContent', 400],
    ['/model/m/converse', 403],
    ['/v1/responses', 401],
  ])('a wrong key: %s', async (path, status) => {
    expect((await ask({ script: [], apiKey: 'right' }, { model: 'm' }, path)).status).toBe(status);
  });

  it('an unknown path, and a body that is not JSON', async () => {
    expect((await ask({ script: [] }, {}, '/v1/embeddings')).status).toBe(404);
    const response = await fetch(`${double?.url ?? ''}/v1/messages`, { method: 'POST', body: '{' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: 'The request body is not valid JSON.' } });
    expect(double?.requests).toEqual([]);
  });
});

describe('the script', () => {
  it('a refused request takes no turn, ids are the same in every run', async () => {
    const run = async (): Promise<unknown> => {
      const bad = await ask({ script: [{ calls: [{ name: 'f' }, { name: 'g' }] }] }, { messages: [] });
      const good = await fetch(`${double?.url ?? ''}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(chat) });
      return [bad.status, good.status, await good.json()];
    };
    const first = await run();
    expect(first).toMatchObject([400, 200, { id: 'chatcmpl-1' }]);
    expect(await run()).toEqual(first);
  });

  it.each([
    ['mistral', 'AAAAAAAA1'],
    ['kimi', 'functions.f:0'],
    ['deepseek', 'call_000000000000000000000001'],
  ] as const)('ids of %s', async (profile, id) => {
    const response = await ask({ profile, script: [{ calls: [{ name: 'f' }] }] }, chat);
    expect(await response.json()).toMatchObject({ choices: [{ message: { tool_calls: [{ id }] } }] });
  });

  it('a turn can wait, and a function that throws is an error of the server', async () => {
    const begun = performance.now();
    const slow = await ask({ script: [{ text: 'late', delayMs: 40 }] }, chat);
    expect(slow.status).toBe(200);
    expect(performance.now() - begun).toBeGreaterThan(35);
    const thrown = await ask(
      {
        script: () => {
          throw new Error('no idea');
        },
      },
      chat,
    );
    expect(thrown.status).toBe(500);
    expect(await thrown.json()).toMatchObject({ error: { message: 'no idea' } });
  });

  it('arguments that are not an object: unchanged as a string, empty as an object, unchanged in a stream of Anthropic or Bedrock', async () => {
    const answer = async (path: string, body: object): Promise<string> =>
      (await ask({ script: [{ calls: [{ name: 'f', arguments: '<q>' }] }] }, { ...chat, max_tokens: 9, ...body }, path)).text();
    expect(JSON.parse(await answer('/v1/chat/completions', {}))).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { arguments: '<q>' } }] } }],
    });
    expect(JSON.parse(await answer('/v1/messages', {}))).toMatchObject({ content: [{ type: 'tool_use', input: {} }] });
    expect(await answer('/v1/messages', { stream: true })).toContain('"partial_json":"<q>"');
    const converse = { messages: [{ role: 'user', content: [{ text: 'go' }] }] };
    expect(await answer('/model/m/converse', converse)).toContain('"input":{}');
    expect(await answer('/model/m/converse-stream', converse)).toContain('"input":"<q>"');
    const gemini = { contents: [{ role: 'user', parts: [{ text: 'go' }] }] };
    expect(await answer('/v1beta/models/m:generateContent', gemini)).toContain('"args":{}');
    expect(await answer('/v1beta/models/m:streamGenerateContent', gemini)).toContain('"args":{}');
  });

  it('a custom body is sent unchanged', async () => {
    const response = await ask({ script: [{ error: { status: 503, body: '<html>busy</html>' } }] }, chat);
    expect([response.status, await response.text()]).toEqual([503, '<html>busy</html>']);
  });

  it('is a list or a function', async () => {
    await expect(startProviderDouble({ script: 'hello' as never })).rejects.toThrow(
      /script is string; it must be a list of turns or a function/,
    );
  });
});
