/** Custom loops: `run.answer`, `run.definitions`, `run.repair`. */
import type Anthropic from '@anthropic-ai/sdk';
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import type { ToolFunction } from '@holdfast/anthropic';
import { reliableTools } from '@holdfast/anthropic';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answerWith, use } from './support/scripted-client.ts';

const quick = { seed: 'test', policy: { retry: { initialDelayMs: 1, maxDelayMs: 1 } } };

const tool = (name: string, run: ToolFunction['run'], properties: object = {}): ToolFunction => ({
  name,
  description: `The ${name} tool.`,
  input_schema: { type: 'object', properties, additionalProperties: false },
  run,
});

it('refuses a message that is not awaited', async () => {
  const run = reliableTools([tool('good', () => 'fine')], quick).startRun();
  await expect(run.answer(Promise.resolve(answerWith([])) as never)).rejects.toThrow(
    'answer: message must be a message: await the API first, got a promise.',
  );
});

describe('results', () => {
  it('are one per call, in call order, with `is_error` for failures', async () => {
    const tools = [tool('good', () => 'fine'), tool('bad', () => Promise.reject(new Error('nope')))];
    const run = reliableTools(tools, { ...quick, policy: { retry: { maxAttempts: 1 } } }).startRun();
    const answer = answerWith([
      { type: 'text', text: 'Looking.' },
      use('bad', {}),
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
      use('good', {}),
      use('gone', {}),
    ]);
    expect(await run.answer(answer)).toMatchObject({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_bad', is_error: true, content: expect.stringContaining('nope') as string },
        { type: 'tool_result', tool_use_id: 'toolu_good', content: 'fine' },
        { type: 'tool_result', tool_use_id: 'toolu_gone', is_error: true, content: expect.stringContaining('good') as string },
      ],
    });
  });

  it('are empty if nothing was called', async () => {
    const run = reliableTools([]).startRun();
    expect(await run.answer(answerWith([{ type: 'text', text: 'Done.' }], 'end_turn'))).toBeUndefined();
  });

  it.each(['max_tokens', 'model_context_window_exceeded', 'refusal'] as const)(
    'of an answer that ended by %s: nothing is run',
    async (stop) => {
      let runs = 0;
      const run = reliableTools([tool('count', () => ++runs)]).startRun();
      const results = await run.answer(answerWith([use('count', {}, 'toolu_1'), use('count', {}, 'toolu_2')], stop));
      expect(runs).toBe(0);
      expect(results?.content).toHaveLength(2);
      expect(results?.content[1]).toMatchObject({ is_error: true, content: expect.stringContaining('cut off') as string });
    },
  );

  it.each([undefined, null, 7, 'text', {}, { content: 'text' }, { content: [null, 3, { type: 'text' }] }])(
    'do not exist for %o, and nothing is thrown',
    async (given) => {
      expect(
        await reliableTools([])
          .startRun()
          .answer(given as never),
      ).toBeUndefined();
    },
  );

  it('answer an unreadable call', async () => {
    const results = await reliableTools([])
      .startRun()
      .answer(answerWith([{ type: 'tool_use' }, { type: 'tool_use', id: 5, name: {}, input: 'x' }]));
    expect(results?.content.map(({ is_error }) => is_error)).toEqual([true, true]);
  });

  it('contain blocks as returned by the tool', async () => {
    const blocks = [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }];
    const run = reliableTools([tool('show', () => blocks), tool('list', () => [{ type: 'other' }])]).startRun();
    const results = await run.answer(answerWith([use('show', {}), use('list', {})]));
    expect(results?.content[0]?.content).toBe(blocks);
    expect(results?.content[1]?.content).toBe('[{"type":"other"}]');
  });

  it('contain invalid blocks as JSON, since the API would refuse them', async () => {
    const run = reliableTools([tool('rows', () => [{ type: 'text' }, { type: 'image' }])]).startRun();
    const results = await run.answer(answerWith([use('rows', {})]));
    expect(results?.content[0]?.content).toBe('[{"type":"text"},{"type":"image"}]');
  });

  it('distinguish calls with the same id, as some backends send them', async () => {
    const input_schema = { type: 'object', properties: { n: { type: 'number' } } };
    const run = reliableTools([{ name: 'count', input_schema, run: ({ n }: { n: number }) => n }]).startRun();
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Count.' }];
    for (const n of ['5', 7, '9']) {
      const message = answerWith([use('count', { n }, 'call_0')]);
      messages.push({ role: 'assistant', content: message.content });
      messages.push((await run.answer(message)) as Anthropic.MessageParam);
    }
    const replayed = run.repair(messages).filter(({ role }) => role === 'assistant');
    expect(replayed.map(({ content }) => content)).toMatchObject([5, 7, 9].map((n) => [{ type: 'tool_use', input: { n } }]));
  });

  it('contain the images of a ToolError, which is reported at once and not retried', async () => {
    let runs = 0;
    const picture = { type: 'image' as const, source: { type: 'url' as const, url: 'https://example.com/a.png' } };
    const failing = tool('look', () => {
      runs += 1;
      throw new ToolError([{ type: 'text', text: 'The page shows this.' }, picture]);
    });
    const results = await reliableTools([failing], { ...quick, tools: { look: { effect: 'read' } } })
      .startRun()
      .answer(answerWith([use('look', {})]));
    expect(runs).toBe(1);
    expect(results?.content[0]).toMatchObject({
      is_error: true,
      content: [{ type: 'text', text: expect.stringContaining('The page shows this.') as string }, picture],
    });
  });
});

describe('arguments', () => {
  const order = betaZodTool({
    name: 'order',
    description: 'Orders.',
    inputSchema: z.object({ item: z.string(), amount: z.number().int().default(1) }),
    run: (args) => JSON.stringify(args),
  });

  it('of a zod tool: defaults are filled in, as without Holdfast', async () => {
    const results = await reliableTools([order])
      .startRun()
      .answer(answerWith([use('order', { item: 'pen' })]));
    expect(results?.content[0]).toEqual({ type: 'tool_result', tool_use_id: 'toolu_order', content: '{"item":"pen","amount":1}' });
  });

  it('are parsed once', async () => {
    const parse = (raw: unknown): unknown => ({ ...(raw as object), item: `${(raw as { readonly item: string }).item}!` });
    const results = await reliableTools([{ ...order, parse } as never])
      .startRun()
      .answer(answerWith([use('order', { item: 'pen' })]));
    expect(results?.content[0]?.content).toBe('{"item":"pen!"}');
  });

  it.each([
    ['a missing one', {}, /Required parameter 'item' missing/],
    ['a wrong one', { item: 'pen', amount: 'many' }, /Parameter 'amount'.*a whole number/],
    ['an unknown name', { item: 'pen', amuont: 2 }, /'amuont'.*did you mean 'amount'/],
  ])('of a zod tool: %s is described in a sentence, and the tool is not run', async (_, input, words) => {
    const results = await reliableTools([order])
      .startRun()
      .answer(answerWith([use('order', input)]));
    expect(results?.content[0]?.is_error).toBe(true);
    expect(results?.content[0]?.content).toMatch(words);
  });

  it('a problem that only the parser knows is reported in its words', async () => {
    const even = betaZodTool({
      name: 'even',
      description: '',
      inputSchema: z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') }),
      run: () => 'ok',
    });
    const results = await reliableTools([even])
      .startRun()
      .answer(answerWith([use('even', { n: 3 })]));
    expect(results?.content[0]?.content).toMatch(/Parameter 'n': must be even/);
  });

  it('that were repaired are replayed as they were executed', async () => {
    const run = reliableTools([tool('set', ({ level }: { level: number }) => typeof level, { level: { type: 'integer' } })]).startRun();
    const answer = answerWith([use('set', { level: '5' })]);
    const results = await run.answer(answer);
    expect(results?.content[0]?.content).toBe('number');
    const messages = [
      { role: 'user' as const, content: 'Go on.' },
      { role: 'assistant' as const, content: answer.content },
      results ?? { role: 'user' as const, content: '' },
    ];
    const repaired = run.repair(messages as Anthropic.MessageParam[]);
    expect(repaired[1]?.content).toMatchObject([{ type: 'tool_use', input: { level: 5 } }]);
    expect(repaired[0]).toBe(messages[0]);
    expect(run.repair(repaired)).toBe(repaired);
  });
});

describe('definitions', () => {
  const search = { type: 'web_search_20250305', name: 'web_search' } as const;
  const cached = { ...tool('find', () => 1), cache_control: { type: 'ephemeral' as const }, strict: true };

  it('is sent as given, without fields that are not for the API; tools that Anthropic runs are kept', () => {
    const memory = betaMemoryTool({} as never);
    const { definitions } = reliableTools([cached, search, memory]).startRun();
    const { run: _run, ...definition } = cached;
    expect(definitions).toEqual([definition, search, { type: 'memory_20250818', name: 'memory' }]);
    expect(JSON.stringify(definitions[0])).toBe(JSON.stringify(definition));
  });

  it('of a toolset that the SDK runs are kept, and its functions are not wrapped', () => {
    const toolset = { type: 'browser_toolset_20260801', run: () => 'seen', close: () => undefined };
    const run = reliableTools([cached, toolset as never]).startRun();
    expect(run.tools[1]).toBe(toolset);
    expect(run.definitions[1]).toEqual({ type: 'browser_toolset_20260801' });
  });

  it('note an open circuit', async () => {
    const down = tool('down', () => Promise.reject(Object.assign(new Error('busy'), { status: 503 })));
    const run = reliableTools([down, search], {
      ...quick,
      tools: { down: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 }, waitForRecovery: false } },
    }).startRun();
    await run.answer(answerWith([use('down', {})]));
    expect((run.definitions[0] as Anthropic.Tool).description).toMatch(/^The down tool\.\n\nCurrently unavailable/);
    expect(run.tools[0]).toHaveProperty('description', (run.definitions[0] as Anthropic.Tool).description);
    expect(run.definitions[1]).toEqual(search);
  });

  it('must have names', () => {
    expect(() => reliableTools([{ ...cached, name: '' }])).toThrow(/must have a name/);
    expect(() => reliableTools([cached], { tools: { fnid: {} } })).toThrow(/'fnid'.*no such tool/);
  });
});

describe('repair', () => {
  const run = reliableTools([]).startRun();
  const result: Anthropic.MessageParam = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'old' }] };

  it('of valid messages returns the same array', () => {
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hello' }];
    expect(run.repair(messages)).toBe(messages);
  });

  it('of a request that continues a thread keeps results of calls in the thread', () => {
    const request = { thread: { type: 'continue', previous_message_id: 'msg_1' }, messages: [result] };
    expect(run.repair(request)).toBe(request);
    expect(run.repair([result])).not.toEqual([result]);
  });
});
