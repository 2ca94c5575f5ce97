/** Reading calls from answers, and writing their results. */
import { reliableTools } from '@holdfast/bedrock';
import { describe, expect, it } from 'vitest';
import { fn, messageOf, resultsTo, use } from './support/answers.ts';

const number = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const echo = fn('echo', (args) => args, number);

describe('calls', () => {
  it('are read from the output of the client, and from a message', async () => {
    const message = messageOf(use('echo', { n: 1 }));
    const expected = { role: 'user', content: [{ toolResult: { toolUseId: 'tooluse_echo', content: [{ json: { n: 1 } }] } }] };
    const run = reliableTools([echo]).startRun();
    expect(await run.answer(message)).toEqual(expected);
    expect(await run.answer({ output: { message }, stopReason: 'tool_use' })).toEqual(expected);
  });

  it.each([
    undefined,
    null,
    7,
    'text',
    {},
    [],
    { output: null },
    { output: { message: 5 } },
    { content: [null, 3, { toolUse: null }, { toolUse: 5 }, { text: 'Hm.' }] },
    { content: [{ toolUse: { ...use('nova_grounding'), type: 'server_tool_use' } }] },
  ])('do not exist in %o, and nothing is thrown', async (given) => {
    expect(
      await reliableTools([echo])
        .startRun()
        .answer(given as never),
    ).toBeUndefined();
  });

  it.each([
    'max_tokens',
    'model_context_window_exceeded',
    'content_filtered',
    'guardrail_intervened',
    'malformed_model_output',
    'malformed_tool_use',
  ])('of an answer that ended by %s are not run', async (stopReason) => {
    let runs = 0;
    const run = reliableTools([fn('count', () => ++runs)]).startRun();
    const results = await run.answer({ output: { message: messageOf(use('count', {}, 'a'), use('count', {}, 'b')) }, stopReason });
    expect(runs).toBe(0);
    expect(results?.content).toHaveLength(2);
    expect(results?.content[1]).toMatchObject({
      toolResult: { toolUseId: 'b', status: 'error', content: [{ text: expect.stringContaining('cut off') as string }] },
    });
  });

  it('that are unreadable, unknown or have equal ids are answered one by one, in order, and the transcript is accepted', async () => {
    const message = messageOf(
      use('echo', { n: 1 }, 'a'),
      use('echo', { n: 2 }, 'a'),
      { input: {} },
      use('gone', null),
      use('echo', [1], 'd/e'),
    );
    const results = await resultsTo([echo], message);
    expect(results.map(({ toolUseId }) => toolUseId)).toEqual(['a', 'a', undefined, 'tooluse_gone', 'd/e']);
    expect(results.map(({ status }) => status)).toEqual([undefined, undefined, 'error', 'error', 'error']);
    expect(results.slice(0, 2).map(({ content }) => content)).toEqual([[{ json: { n: 1 } }], [{ json: { n: 2 } }]]);
  });

  it('with text as it was streamed: the text is read, repaired where that is safe, and replaced in the message', async () => {
    const message = messageOf(
      use('echo', "{'n': 5}", 'a'),
      use('now', '', 'b'),
      use('echo', '{"n":', 'c'),
      use('echo', '{"n":1} {"n":2}', 'd'),
    );
    const results = await resultsTo([echo, fn('now', () => 'noon')], message, { tools: { echo: { effect: 'read' } } });
    expect(results.slice(0, 2).map(({ content }) => content)).toEqual([[{ json: { n: 5 } }], [{ text: 'noon' }]]);
    expect(results.slice(2).map(({ status }) => status)).toEqual(['error', 'error']);
    expect(message.content?.map(({ toolUse }) => toolUse?.input)).toEqual([{ n: 5 }, {}, '{"n":', '{"n":1} {"n":2}']);
  });
});

describe('results', () => {
  const circular: Record<string, unknown> = { city: 'Oslo' };
  circular['self'] = circular;
  it.each([
    ['a string', 'wet', [{ text: 'wet' }]],
    ['an object', { error: 'none', at: new Date(0), left: undefined }, [{ json: { error: 'none', at: '1970-01-01T00:00:00.000Z' } }]],
    ['a list', [1, 'a'], [{ text: '[1,"a"]' }]],
    ['null', null, [{ text: 'null' }]],
    ['an empty string', '', [{ text: '(The tool returned an empty string.)' }]],
    ['nothing', undefined, [{ text: '(Done. The tool returned no output.)' }]],
    ['a Date', new Date(0), [{ text: '"1970-01-01T00:00:00.000Z"' }]],
    ['a BigInt', { n: 10n }, [{ text: '{"n":"10"}' }]],
    ['a circle', circular, [{ text: '{"city":"Oslo","self":"[circular]"}' }]],
    ['malformed blocks', [{ text: 5 }], [{ text: '[{"text":5}]' }]],
  ])('contain %s', async (_, output, content) => {
    expect(await resultsTo([fn('get', () => output)], messageOf(use('get')))).toEqual([{ toolUseId: 'tooluse_get', content }]);
  });

  it('contain blocks as returned by the tool', async () => {
    const blocks = [{ text: 'A chart' }, { image: { format: 'png', source: { bytes: new Uint8Array([1]) } } }];
    const [result] = await resultsTo([fn('draw', () => blocks)], messageOf(use('draw')));
    expect(result?.content).toBe(blocks);
  });

  it.each([new Error('boom'), 'boom', Object.freeze(new Error('boom')), { message: 'boom' }])(
    'contain %o with a status',
    async (thrown) => {
      const failing = fn('fail', () => {
        throw thrown;
      });
      expect(await resultsTo([failing], messageOf(use('fail')))).toEqual([
        { toolUseId: 'tooluse_fail', status: 'error', content: [{ text: expect.stringContaining('boom') as string }] },
      ]);
    },
  );
});

it('repaired arguments are written back into the answer, unless it is frozen', async () => {
  const message = messageOf(use('echo', { n: '5' }, 'a'), Object.freeze(use('echo', { n: '6' }, 'b')), use('echo', { n: 7 }, 'c'));
  const results = await resultsTo([echo], message);
  expect(results.map(({ content }) => content)).toEqual([5, 6, 7].map((n) => [{ json: { n } }]));
  expect(message.content?.map(({ toolUse }) => toolUse?.input)).toEqual([{ n: 5 }, { n: '6' }, { n: 7 }]);
});
