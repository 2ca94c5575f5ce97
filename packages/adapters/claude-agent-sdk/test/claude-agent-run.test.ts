import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { reliableTools } from '@holdfast/claude-agent-sdk';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { doubleOptions } from './support/harness.ts';
import { call, done, never, stage, text } from './support/stage.ts';

const shape = { city: z.string() };
const unavailable = (): Error => Object.assign(new Error('unavailable'), { status: 503 });
const toolOf = (name: string, run: (city: string) => unknown) => tool(name, name, shape, async ({ city }) => (await run(city)) as never);

test('a wrapped definition has everything of the given one but its handler', () => {
  const look = tool('look', 'Looks.', shape, async () => text('seen'), {
    annotations: { readOnlyHint: true },
    searchHint: 'see',
    alwaysLoad: true,
  });
  const { tools } = reliableTools([look]).startRun();
  const { handler: _own, ...rest } = look;
  const { handler: _wrapped, ...wrapped } = tools[0] as typeof look;
  expect(wrapped).toEqual(rest);
  expect(wrapped.inputSchema).toBe(look.inputSchema);
});

test('a handler gets its arguments as they were parsed, and everything the SDK passes; its result is passed on with all fields', async () => {
  const seen: unknown[] = [];
  const result = {
    ...text('seen'),
    content: [...text('seen').content, { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' }],
    structuredContent: { deg: 4 },
    _meta: { from: 'me' },
  };
  const look = tool('look', 'Looks.', { city: z.string().transform((city) => city.length) }, async (args, extra) => {
    const { signal, requestId, _meta, sendNotification } = extra as Record<string, unknown>;
    seen.push(args, signal instanceof AbortSignal, typeof requestId, _meta, typeof sendNotification);
    return result;
  });
  const { run } = await stage([look], [done]);
  const answered = await run.tools[0]?.handler(
    { city: 4 },
    { requestId: 'r-1', _meta: { 'claudecode/toolUseId': 'call_7' }, sendNotification: never },
  );
  expect(answered).toBe(result);
  expect(seen).toEqual([{ city: 4 }, true, 'string', { 'claudecode/toolUseId': 'call_7' }, 'function']);
  const played = await stage([look], [{ calls: [call('look')] }, done]);
  expect(await played.play()).toEqual(['success', 'All done.']);
  expect(seen[5]).toEqual({ city: 4 });
  expect(played.results()[0]).toMatchObject({ text: expect.stringContaining('seen') as string, isError: false });
});

test('a handler is called without its tool, as by the SDK', async () => {
  const seen: unknown[] = [];
  const look = tool('look', 'Looks.', shape, async function (this: unknown) {
    seen.push(this);
    return text('seen');
  });
  const { play } = await stage([look], [{ calls: [call('look')] }, done]);
  await play();
  expect(seen).toEqual([undefined]);
});

test('failures are results with isError, repeated only where it is safe', async () => {
  let looks = 0;
  const pays: string[] = [];
  const tools = [
    toolOf('look', () => {
      looks += 1;
      if (looks < 3) throw unavailable();
      return text('seen');
    }),
    toolOf('pay', (city) => {
      pays.push(city);
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    }),
    toolOf('told', () => ({ ...text('Seat 12A is taken'), isError: true, _meta: { seat: '12A' } })),
  ];
  const { play, results, run } = await stage(tools, [{ calls: [call('look'), call('pay'), call('told')] }, done]);
  expect(await play()).toEqual(['success', 'All done.']);
  expect(results()).toEqual([
    { text: 'seen', isError: false },
    { text: expect.stringContaining('may have') as string, isError: true },
    { text: expect.stringContaining('Seat 12A is taken') as string, isError: true },
  ]);
  expect([looks, pays]).toEqual([3, ['Oslo']]);
  expect(await run.tools[2]?.handler({ city: 'Rome' }, {})).toMatchObject({ isError: true, _meta: { seat: '12A' } });
});

test('annotations declare the effect, and settings override it', () => {
  const annotated = (name: string, annotations: object) => tool(name, name, shape, async () => text('x'), { annotations });
  const tools = [
    annotated('read', { readOnlyHint: true }),
    annotated('put', { idempotentHint: true }),
    annotated('remove', { destructiveHint: true }),
  ];
  const { service } = reliableTools(tools, { tools: { put: { effect: 'unsafe' } } });
  expect(['read', 'put', 'remove'].map((name) => service.getToolSettings(name)?.effect)).toEqual(['read', 'unsafe', 'unsafe']);
});

test('the loop ends when the run is stopped, after the hooks of the user', async () => {
  const find = toolOf('find', () => {
    throw Object.assign(new Error('No such city'), { status: 404 });
  });
  const { play, run, double } = await stage([find], () => ({ calls: [call('find')] }));
  let heard = 0;
  const own = { PostToolBatch: [{ hooks: [async () => ((heard += 1), {})] }], Stop: [{ hooks: [async () => ({})] }] };
  expect(Object.keys(run.hooks(own))).toEqual(['PostToolBatch', 'Stop']);
  await play({ hooks: run.hooks(own) });
  expect(run.stopped?.reason).toBe('repeated_failure');
  expect(double.requests.length).toBeLessThan(10);
  expect(heard).toBe(double.requests.length);
});

test('the server takes the options of the SDK', () => {
  const { run } = { run: reliableTools([toolOf('look', () => text('seen'))]).startRun() };
  expect(run.server({ name: 'own', version: '2.0.0', timeout: 5_000 })).toMatchObject({ type: 'sdk', name: 'own', timeout: 5_000 });
});

test('hostile tools: one result each, where the bare SDK leaves calls without any', async () => {
  const circle: Record<string, unknown> = { type: 'text', text: 'round' };
  circle['self'] = circle;
  const outputs: readonly unknown[] = [
    undefined,
    null,
    'words',
    12n,
    circle,
    { content: [circle] },
    { content: 5 },
    { content: [{ type: 'text', text: 12n }] },
    [],
    Symbol('odd'),
    { content: [undefined] },
  ];
  const thrown: readonly unknown[] = [undefined, null, 'words', 12n, circle, Symbol('odd'), Object.freeze(new Error('cold'))];
  const tools = [
    ...outputs.map((output, index) => toolOf(`give${index}`, () => output)),
    ...thrown.map((error, index) => toolOf(`throw${index}`, () => Promise.reject(error as Error))),
  ];
  const names = tools.map(({ name }) => name);
  const { play, results } = await stage(tools, [{ calls: names.map((name) => call(name)) }, done], {
    policy: { retry: { maxAttempts: 1 } },
  });
  expect(await play()).toEqual(['success', 'All done.']);
  expect(results()).toHaveLength(names.length);
  expect(
    results()
      .slice(outputs.length)
      .every(({ isError }) => isError),
  ).toBe(true);
});

test('a caller that aborts is not kept waiting by a tool that hangs, and the tool learns of it', async () => {
  const abortController = new AbortController();
  const hang = toolOf('hang', () => {
    setTimeout(() => abortController.abort(), 20);
    return never();
  });
  const { play } = await stage([hang], [{ calls: [call('hang')] }, done]);
  await expect(play({ abortController })).rejects.toThrow(/abort/i);
});

test('a program that dies in the middle of a call ends the query with an error, and leaves nothing waiting', async () => {
  let finished = 0;
  const slow = toolOf('slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    finished += 1;
    return text('slow');
  });
  const { play, run } = await stage([slow], [{ calls: [call('slow')] }, done]);
  await expect(play({}, { DOUBLE_DIES_AT: 'slow' })).rejects.toThrow(/code 7/);
  await expect.poll(() => finished).toBeLessThanOrEqual(1);
  expect(run.stopped).toBeUndefined();
});

test('a server of one run serves one query; another query gets another', async () => {
  const { run, double } = await stage([toolOf('look', () => text('seen'))], [{ calls: [call('look')] }, done]);
  const servers = [run.server({ name: 'own' }), run.server({ name: 'own' })];
  expect(servers[0]?.instance).not.toBe(servers[1]?.instance);
  const bare = createSdkMcpServer({ name: 'own', tools: run.tools });
  let ended = '';
  for await (const message of query({
    prompt: 'Go on.',
    options: { ...doubleOptions(double.baseUrlFor('anthropic-messages')), mcpServers: { own: bare } },
  }))
    if (message.type === 'result') ended = message.subtype;
  expect(ended).toBe('success');
});

test("an error with which the host has to act is the host's", async () => {
  const sign = toolOf('sign', () => {
    throw Object.assign(new Error('Sign in first'), { code: -32_042 });
  });
  const { run } = await stage([sign], [done], { tools: { sign: { effect: 'read' } } });
  await expect(run.tools[0]?.handler({ city: 'Oslo' }, {})).rejects.toMatchObject({ code: -32_042 });
});
