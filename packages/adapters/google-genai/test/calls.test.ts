/** Reading calls from every form of an answer, and writing their responses. */
import type { Content, FunctionCall, Part } from '@google/genai';
import type { ToolFunction } from '@holdfast/google-genai';
import { reliableTools } from '@holdfast/google-genai';
import { describe, expect, it } from 'vitest';
import { answerOf, contentOf, fn, responsesTo } from './support/answers.ts';

const number = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const echo = fn('echo', (args) => args, number);

describe('calls', () => {
  const call: FunctionCall = { name: 'echo', args: { n: 1 } };
  const part: Part = { functionCall: call };
  it.each([
    ['a response', answerOf([part])],
    ['the chunks of a stream', [answerOf([{ text: 'Looking.' }], undefined), answerOf([part])]],
    ['a content', contentOf([call])],
    ['parts', [{ text: 'Looking.' }, part]],
    ['calls', [call]],
  ])('are read from %s', async (_, answer) => {
    expect(await reliableTools([echo]).startRun().answer(answer)).toEqual({
      role: 'user',
      parts: [{ functionResponse: { name: 'echo', response: { output: { n: 1 } } } }],
    });
  });

  it.each([
    undefined,
    null,
    7,
    'text',
    {},
    [],
    { candidates: null },
    { candidates: [null] },
    { parts: 'text' },
    { parts: [null, 3, { functionCall: null }, { functionCall: 5 }, { text: 'Hm.' }] },
  ])('do not exist in %o, and nothing is thrown', async (given) => {
    expect(
      await reliableTools([echo])
        .startRun()
        .answer(given as never),
    ).toBeUndefined();
  });

  it.each(['MAX_TOKENS', 'SAFETY', 'MALFORMED_FUNCTION_CALL'])('of an answer that ended by %s are not run', async (finishReason) => {
    let runs = 0;
    const run = reliableTools([fn('count', () => ++runs)]).startRun();
    const results = await run.answer([answerOf([{ functionCall: { name: 'count' } }], undefined), answerOf([], finishReason)]);
    expect(runs).toBe(0);
    expect(results?.parts).toMatchObject([{ functionResponse: { response: { error: expect.stringContaining('cut off') as string } } }]);
  });

  it('that are streamed in pieces are not run, and answered once', async () => {
    const pieces: FunctionCall[] = [
      { id: 'c1', name: 'say', willContinue: true },
      { partialArgs: [{ jsonPath: '$.text', stringValue: 'Hello' }], willContinue: true },
      {},
    ];
    const chunks = [...pieces, { id: 'c2', name: 'say' }].map((functionCall) => answerOf([{ functionCall }], undefined));
    let runs = 0;
    const results = await reliableTools([fn('say', () => ++runs)])
      .startRun()
      .answer([...chunks, answerOf([])]);
    expect(results?.parts.map(({ functionResponse }) => functionResponse)).toMatchObject([
      { id: 'c1', response: { error: expect.stringContaining('cut off') as string } },
      { id: 'c2', response: { output: 1 } },
    ]);
  });

  it('that are unreadable, unknown or have equal ids are answered one by one, in order', async () => {
    const calls = [
      { id: 'a', name: 'echo', args: { n: 1 } },
      { id: 'a', name: 'echo', args: { n: 2 } },
      { name: 5 },
      { name: 'gone', args: null },
      { name: 'echo', args: 'x' },
    ];
    const responses = await responsesTo([echo], calls as never);
    expect(responses.map(({ id }) => id)).toEqual(['a', 'a', undefined, undefined, undefined]);
    expect(responses.map(({ name }) => name)).toEqual(['echo', 'echo', '', 'gone', 'echo']);
    expect(responses.slice(0, 2).map(({ response }) => response)).toEqual([{ output: { n: 1 } }, { output: { n: 2 } }]);
    for (const { response } of responses.slice(2)) expect(response?.['error']).toEqual(expect.stringMatching(/^Error [A-Z_]+: /));
  });

  it.each(['STOP', 'FINISH_REASON_UNSPECIFIED'])('of an answer that ended by %s are run', async (finishReason) => {
    const answer = answerOf([{ functionCall: { name: 'echo', args: { n: 1 } } }], finishReason);
    const results = await reliableTools([echo]).startRun().answer(answer);
    expect(results?.parts[0]?.functionResponse?.response).toEqual({ output: { n: 1 } });
  });

  it('without ids get ids that are unique in the run', async () => {
    const ids: string[] = [];
    const dependsOn = (_call: unknown, siblings: readonly { readonly callId: string }[]): readonly string[] => {
      ids.push(...siblings.map(({ callId }) => callId));
      return [];
    };
    const run = reliableTools([echo], { dependsOn }).startRun();
    for (const n of [1, 2, 3]) await run.answer([{ name: 'echo', args: { n } }]);
    expect(new Set(ids).size).toBe(3);
  });

  it('without ids may depend on each other', async () => {
    const order: string[] = [];
    const step = (name: string): ToolFunction => fn(name, () => void order.push(name));
    const run = reliableTools([step('first'), step('second')], {
      dependsOn: ({ toolName }, siblings) =>
        toolName === 'second' ? siblings.filter((each) => each.toolName === 'first').map(({ callId }) => callId) : [],
    }).startRun();
    await run.answer([{ name: 'second' }, { name: 'first' }]);
    expect(order).toEqual(['first', 'second']);
  });
});

describe('responses', () => {
  const circular: Record<string, unknown> = { city: 'Oslo' };
  circular['self'] = circular;
  it.each([
    ['an object', { error: 'none found' }, { error: 'none found' }],
    ['a list', [1, 'a'], [1, 'a']],
    ['null', null, null],
    ['nothing', undefined, '(Done. The tool returned no output.)'],
    ['a BigInt', { n: 10n }, '{"n":"10"}'],
    ['a circle', circular, '{"city":"Oslo","self":"[circular]"}'],
  ])('contain %s as `output`', async (_, output, shown) => {
    const [response] = await responsesTo([fn('get', () => output)], [{ name: 'get' }]);
    expect(response).toEqual({ name: 'get', response: { output: shown } });
  });

  it.each([new Error('boom'), 'boom', Object.freeze(new Error('boom')), { message: 'boom' }])('contain %o as `error`', async (thrown) => {
    const failing = fn('fail', () => {
      throw thrown;
    });
    const [response] = await responsesTo([failing], [{ id: 'c1', name: 'fail' }]);
    expect(response).toEqual({ id: 'c1', name: 'fail', response: { error: expect.stringContaining('boom') as string } });
  });

  it('contain media as the tool returned it', async () => {
    const media = { response: { output: 'A chart' }, parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] };
    const tools = [fn('draw', () => media), fn('rows', () => ({ parts: [1, 2] })), fn('more', () => ({ ...media, total: 1 }))];
    const responses = await responsesTo(tools, [{ name: 'draw' }, { name: 'rows' }, { name: 'more' }]);
    expect(responses).toEqual([
      { name: 'draw', ...media },
      { name: 'rows', response: { output: { parts: [1, 2] } } },
      { name: 'more', response: { output: { ...media, total: 1 } } },
    ]);
  });
});

it('repaired arguments are written back into the answer, unless it is frozen', async () => {
  const content: Content = contentOf([
    { name: 'echo', args: { n: '5' } },
    Object.freeze({ name: 'echo', args: { n: '6' } }),
    { name: 'echo', args: { n: 7 } },
  ]);
  const results = await reliableTools([echo]).startRun().answer(content);
  expect(results?.parts.map(({ functionResponse }) => functionResponse?.response)).toEqual([5, 6, 7].map((n) => ({ output: { n } })));
  expect(content.parts?.map(({ functionCall }) => functionCall?.args)).toEqual([{ n: 5 }, { n: '6' }, { n: 7 }]);
});
