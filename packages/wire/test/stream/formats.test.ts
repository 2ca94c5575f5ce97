/** Calls are assembled from any chunks, in every format; and no chunk makes an assembly throw. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AssembledAnswer } from '../../src/stream/assembled-calls.ts';
import { assembleStream, type StreamFormat } from '../../src/stream/assemble-stream.ts';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly value: unknown;
}

type Write = (calls: readonly Call[], cut: (text: string) => readonly string[], interleaved: boolean) => readonly unknown[];

/** Pieces of all calls, call by call or interleaved. */
function merge(pieces: readonly (readonly unknown[])[], interleaved: boolean): readonly unknown[] {
  if (!interleaved) return pieces.flat();
  const longest = Math.max(0, ...pieces.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => pieces.flatMap((own) => (turn < own.length ? [own[turn]] : []))).flat();
}

const writers: Readonly<Record<StreamFormat, Write>> = {
  'openai-chat': (calls, cut, interleaved) => {
    const piece = (index: number, fields: object): unknown => ({ choices: [{ index: 0, delta: { tool_calls: [{ index, ...fields }] } }] });
    const own = calls.map(({ id, name, value }, index) => [
      piece(index, { id, type: 'function', function: { name, arguments: '' } }),
      ...cut(JSON.stringify(value)).map((text) => piece(index, { function: { arguments: text } })),
    ]);
    return [...merge(own, interleaved), { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }];
  },
  'openai-responses': (calls, cut, interleaved) => {
    const item = (index: number, call: Call, given: string): object => ({
      type: 'function_call',
      id: `fc_${index}`,
      call_id: call.id,
      name: call.name,
      arguments: given,
    });
    const own = calls.map((call, index) => [
      { type: 'response.output_item.added', output_index: index, item: item(index, call, '') },
      ...cut(JSON.stringify(call.value)).map((text) => ({
        type: 'response.function_call_arguments.delta',
        output_index: index,
        item_id: `fc_${index}`,
        delta: text,
      })),
      { type: 'response.function_call_arguments.done', output_index: index, item_id: `fc_${index}`, arguments: JSON.stringify(call.value) },
      {
        type: 'response.output_item.done',
        output_index: index,
        item: { ...item(index, call, JSON.stringify(call.value)), status: 'completed' },
      },
    ]);
    return [...merge(own, interleaved), { type: 'response.completed', response: { status: 'completed', output: [] } }];
  },
  'anthropic-messages': (calls, cut, interleaved) => {
    const own = calls.map(({ id, name, value }, index) => [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
      ...cut(JSON.stringify(value)).map((text) => ({
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json: text },
      })),
      { type: 'content_block_stop', index },
    ]);
    return [
      { type: 'message_start' },
      ...merge(own, interleaved),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    ];
  },
  'bedrock-converse': (calls, cut, interleaved) => {
    const own = calls.map(({ id, name, value }, index) => [
      { contentBlockStart: { contentBlockIndex: index, start: { toolUse: { toolUseId: id, name } } } },
      ...cut(JSON.stringify(value)).map((input) => ({ contentBlockDelta: { contentBlockIndex: index, delta: { toolUse: { input } } } })),
      { contentBlockStop: { contentBlockIndex: index } },
    ]);
    return [{ messageStart: { role: 'assistant' } }, ...merge(own, interleaved), { messageStop: { stopReason: 'tool_use' } }];
  },
  gemini: (calls) => [
    ...calls.map(({ id, name, value }) => ({
      candidates: [{ content: { role: 'model', parts: [{ functionCall: { id, name, args: value } }] } }],
    })),
    { candidates: [{ finishReason: 'STOP' }] },
  ],
};

const formats = Object.keys(writers) as readonly StreamFormat[];
const name = fc.stringMatching(/^[a-z][a-z_]{0,12}$/);
const value = fc.dictionary(fc.string(), fc.jsonValue({ depthSize: 'small' })).map((each) => JSON.parse(JSON.stringify(each)) as unknown);
const someCalls = fc
  .array(fc.record({ name, value }), { maxLength: 4 })
  .map((all) => all.map((call, index): Call => ({ ...call, id: `call_${index}` })));
const cuts = fc.array(fc.nat({ max: 60 }), { maxLength: 12 });

function cutAt(text: string, places: readonly number[]): readonly string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].toSorted((one, other) => one - other);
  return [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
}

function assemble(format: StreamFormat, chunks: readonly unknown[]): AssembledAnswer {
  const assembly = assembleStream(format);
  for (const chunk of chunks) assembly.push(chunk);
  return assembly.finish();
}

describe.each(formats)('%s', (format) => {
  test('calls are assembled from any chunks', () => {
    fc.assert(
      fc.property(someCalls, cuts, fc.boolean(), (calls, places, interleaved) => {
        const { calls: whole, ending } = assemble(
          format,
          writers[format](calls, (text) => cutAt(text, places), interleaved),
        );
        expect(ending).toBe('complete');
        expect(whole).toEqual(
          calls.map((call) => ({
            callId: call.id,
            toolName: call.name,
            arguments: format === 'gemini' ? call.value : JSON.stringify(call.value),
            truncated: false,
          })),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('a stream that ends early has no complete call', () => {
    fc.assert(
      fc.property(someCalls, cuts, fc.nat(), (calls, places, length) => {
        const chunks = writers[format](calls, (text) => cutAt(text, places), false);
        const ends = chunks.findIndex((chunk) =>
          /stop_reason|stopReason|finish_reason|finishReason|response\.completed/.test(JSON.stringify(chunk)),
        );
        const answer = assemble(format, chunks.slice(0, length % Math.max(1, ends)));
        expect(answer.ending).toBe('cut-off');
        for (const call of answer.calls) expect(call.truncated).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('no chunk makes it throw', () => {
    const field = fc.constantFrom(
      'choices',
      'delta',
      'tool_calls',
      'function',
      'type',
      'item',
      'index',
      'content_block',
      'candidates',
      'content',
      'parts',
      'functionCall',
      'args',
      'contentBlockStart',
      'start',
      'toolUse',
    );
    const word = fc.constantFrom('tool_use', 'content_block_start', 'response.output_item.done', 'function_call', 'input_json_delta');
    const { chunk } = fc.letrec<{ chunk: unknown }>((tie) => ({
      chunk: fc.oneof(
        { maxDepth: 6 },
        word,
        fc.constantFrom(null, 0, '', true),
        fc.array(tie('chunk'), { maxLength: 2 }),
        fc.dictionary(field, tie('chunk'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 6 }), (chunks) => {
        for (const call of assemble(format, chunks).calls) expect(call.toolName).not.toBe('');
      }),
      { numRuns: 500 },
    );
  });
});

test.each<readonly [StreamFormat, unknown, string]>([
  ['anthropic-messages', { type: 'message_delta', delta: { stop_reason: 'max_tokens' } }, 'cut-off'],
  ['anthropic-messages', { type: 'message_delta', delta: { stop_reason: 'refusal' } }, 'cut-off'],
  ['anthropic-messages', { type: 'error', error: { type: 'overloaded_error' } }, 'fault'],
  ['bedrock-converse', { messageStop: { stopReason: 'model_context_window_exceeded' } }, 'cut-off'],
  ['bedrock-converse', { messageStop: { stopReason: 'malformed_tool_use' } }, 'fault'],
  ['bedrock-converse', { throttlingException: { message: 'slow down' } }, 'fault'],
  ['gemini', { candidates: [{ finishReason: 'MAX_TOKENS' }] }, 'cut-off'],
  ['gemini', { candidates: [{ content: { role: 'model' }, finishReason: 'MALFORMED_FUNCTION_CALL' }] }, 'fault'],
  ['openai-responses', { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } }, 'cut-off'],
  ['openai-responses', { type: 'response.failed', response: { status: 'failed' } }, 'fault'],
])('%s: %o', (format, chunk, ending) => {
  expect(assemble(format, [chunk]).ending).toBe(ending);
});

test('of a response without events of its items uses the complete output', () => {
  const output = [{ type: 'message' }, { type: 'function_call', call_id: 'c1', name: 'a', arguments: '{}', status: 'completed' }];
  expect(assemble('openai-responses', [{ type: 'response.completed', response: { status: 'completed', output } }]).calls).toEqual([
    { callId: 'c1', toolName: 'a', arguments: '{}', truncated: false },
  ]);
});

const twoCalls: readonly Call[] = [
  { id: 'c1', name: 'a', value: { x: 1 } },
  { id: 'c2', name: 'b', value: { y: 'z' } },
];
const isEnd = (chunk: unknown): boolean =>
  /stop_reason|stopReason|finish_reason|finishReason|response\.completed/.test(JSON.stringify(chunk));

test.each(formats)('%s: without its end, a stream whose calls are whole has no complete call', (format) => {
  const chunks = writers[format](twoCalls, (text) => [text], false);
  expect(assemble(format, chunks).calls.map(({ truncated }) => truncated)).toEqual([false, false]);
  const { calls, ending } = assemble(
    format,
    chunks.filter((chunk) => !isEnd(chunk)),
  );
  expect([ending, calls.map(({ truncated }) => truncated)]).toEqual(['cut-off', [true, true]]);
});

test.each(['openai-chat', 'anthropic-messages', 'bedrock-converse'] as const)(
  '%s: open arguments are incomplete whatever the end says',
  (format) => {
    const chunks = writers[format]([{ id: 'c1', name: 'a', value: { x: '12345' } }], (text) => [text.slice(0, -3)], false);
    expect(assemble(format, chunks)).toMatchObject({ ending: 'complete', calls: [{ truncated: true }] });
  },
);

test.each(['incomplete', 'in_progress'])('an item of Responses with the status %s is incomplete in a completed response', (status) => {
  const item = { type: 'function_call', call_id: 'c1', name: 'a', arguments: '{}', status };
  const done = { type: 'response.output_item.done', output_index: 0, item };
  const { calls } = assemble('openai-responses', [done, { type: 'response.completed', response: { status: 'completed', output: [item] } }]);
  expect(calls).toMatchObject([{ truncated: true }]);
});

test('a response that is called complete and is not has no complete call', () => {
  const output = [{ type: 'function_call', call_id: 'c1', name: 'a', arguments: '{}', status: 'completed' }];
  const { ending } = assemble('openai-responses', [{ type: 'response.completed', response: { status: 'incomplete', output } }]);
  expect(ending).toBe('cut-off');
});

test('a later finish reason does not complete an answer that was cut off', () => {
  const end = (finish_reason: string): unknown => ({ choices: [{ index: 0, delta: {}, finish_reason }] });
  expect(assemble('openai-chat', [end('length'), end('stop')])).toMatchObject({ ending: 'cut-off', reason: 'length' });
  const ends = (stop_reason: string): unknown => ({ type: 'message_delta', delta: { stop_reason } });
  expect(assemble('anthropic-messages', [{ type: 'error' }, ends('tool_use')]).ending).toBe('fault');
  const gemini = (finishReason: string): unknown => ({ candidates: [{ finishReason }] });
  expect(assemble('gemini', [gemini('MAX_TOKENS'), gemini('STOP')])).toMatchObject({ ending: 'cut-off', reason: 'MAX_TOKENS' });
  expect(assemble('bedrock-converse', [{ modelStreamErrorException: {} }, { messageStop: { stopReason: 'tool_use' } }]).ending).toBe(
    'fault',
  );
});

test('an object sent as a whole, then text that was cut off, is not complete', () => {
  const chunks = [
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c1', name: 'a', input: { x: 1 } } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"x":' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  ];
  expect(assemble('anthropic-messages', chunks).calls).toMatchObject([{ arguments: '{"x":', truncated: true }]);
});

test.each([
  ['gemini', { candidates: [{ finishReason: 'OTHER' }] }],
  ['openai-chat', { choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] }],
] as const)('%s: %o is no end', (format, chunk) => {
  expect(assemble(format, [chunk]).ending).toBe('cut-off');
});

test('arguments of Gemini arrive field by field', () => {
  const part = (call: object): unknown => ({ candidates: [{ content: { parts: [{ functionCall: call }] } }] });
  const { calls } = assemble('gemini', [
    part({ name: 'book', partialArgs: [{ jsonPath: '$.city', stringValue: 'New ', willContinue: true }], willContinue: true }),
    part({ partialArgs: [{ jsonPath: '$.city', stringValue: 'York' }], willContinue: true }),
    part({
      partialArgs: [
        { jsonPath: '$.days[0].nights', numberValue: 2 },
        { jsonPath: '$.ok', boolValue: false },
        { jsonPath: '$.note', nullValue: 'NULL_VALUE' },
      ],
    }),
    part({ name: 'list', args: {} }),
    { candidates: [{ finishReason: 'STOP' }] },
  ]);
  expect(calls.map(({ toolName, arguments: given, truncated }) => [toolName, given, truncated])).toEqual([
    ['book', { city: 'New York', days: [{ nights: 2 }], ok: false, note: null }, false],
    ['list', {}, false],
  ]);
});

test('an unknown format is rejected', () => {
  expect(() => assembleStream('mcp' as StreamFormat)).toThrow(/openai-chat/);
});
