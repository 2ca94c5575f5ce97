import { createReliability, ToolCallError, reliableTools } from '@holdfast/mastra';
import type { ToolsInput } from '@mastra/core/agent';
import { createTool, isVercelTool, Tool } from '@mastra/core/tools';
import { tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, done, never, scene, stage } from './support/stage.ts';

const inputSchema = z.object({ city: z.string() });
const toolOf = (id: string, execute: (input: { city: string }) => unknown, more: object = {}) =>
  createTool({ id, description: id, inputSchema, execute: async (input) => execute(input) as never, ...more });
const unavailable = (): Error => Object.assign(new Error('unavailable'), { status: 503 });

test('a wrapped tool is of the same class, with all properties of the tool', () => {
  const look = createTool({
    id: 'look-tool',
    title: 'Look',
    description: 'Looks.',
    inputSchema,
    outputSchema: z.object({ seen: z.string() }),
    suspendSchema: z.object({ why: z.string() }),
    resumeSchema: z.object({ yes: z.boolean() }),
    requestContextSchema: z.object({ user: z.string() }),
    requireApproval: true,
    strict: true,
    providerOptions: { openai: { some: 'option' } },
    transform: { display: {} },
    mcp: { annotations: { readOnlyHint: true }, _meta: { by: 'me' } },
    inputExamples: [{ input: { city: 'Rome' } }],
    background: { enabled: false },
    execute: async () => ({ seen: 'it' }),
  });
  const { tools } = reliableTools({ look });
  expect(tools.look).toBeInstanceOf(Tool);
  expect(isVercelTool(tools.look as never)).toBe(false);
  expect(Reflect.ownKeys(tools.look)).toEqual(Reflect.ownKeys(look));
  const { execute: _own, ...rest } = look;
  const { execute: _wrapped, ...wrapped } = tools.look;
  expect(wrapped).toEqual(rest);
  expect(tools.look.inputSchema).toBe(look.inputSchema);
  tools.look.description = 'Looks twice.';
  expect([tools.look.description, look.description]).toEqual(['Looks twice.', 'Looks.']);
  const bare = tool({ inputSchema, execute: () => 'seen' }) as unknown as typeof look;
  const keysOf = (run: object): unknown => Reflect.ownKeys(reliableTools({ bare }, { reliability: createReliability({ run }) }).tools.bare);
  expect(keysOf({})).toEqual(Reflect.ownKeys(bare));
  expect(keysOf({ openCircuits: 'annotate' })).toEqual([...Reflect.ownKeys(bare), 'description']);
});

test('tools that others run stay the same objects', () => {
  const ask = createTool({ id: 'ask', description: 'Asks the user.', inputSchema });
  const search = { type: 'provider-defined', id: 'openai.web_search', args: {} } as unknown as ToolsInput[string];
  const { tools, service } = reliableTools({ ask, search });
  expect(tools.ask).toBe(ask);
  expect(tools.search).toBe(search);
  expect(service.tools.map(({ name }) => name)).toEqual(['ask', 'search']);
});

test('a tool of the AI SDK runs with its own options, and gets a signal where an attempt may have to end', async () => {
  const seen: unknown[] = [];
  const look = tool({
    description: 'Looks.',
    inputSchema,
    execute: ({ city }, { toolCallId, abortSignal }) => {
      seen.push([city, toolCallId, abortSignal instanceof AbortSignal]);
      if (seen.length === 1) throw unavailable();
      return 'seen';
    },
  });
  const tools = { look: look as never as ToolsInput[string] };
  for (const settings of [{}, { tools: { look: { timeoutMs: 5_000 } } }]) {
    seen.length = 0;
    const { agent, results } = await stage(tools, [{ calls: [{ ...call('look'), id: 'call_7' }] }, done], settings);
    await agent.generate('Go on.');
    const attempt = ['Oslo', 'call_7', 'tools' in settings];
    expect(seen).toEqual([attempt, attempt]);
    expect(results()).toEqual(['seen']);
  }
});

test('in an agent, a failure is thrown with the text for the model; elsewhere as the own error of the tool', async () => {
  const cause = Object.assign(new Error('No such city'), { status: 404, secret: 'inside' });
  const look = toolOf('look', () => {
    throw cause;
  });
  const { agent, results, reliable } = await stage({ look }, [{ calls: [call('look')] }, done]);
  const parts: unknown[] = [];
  for await (const chunk of (await agent.stream('Go on.')).fullStream) if (chunk.type === 'tool-error') parts.push(chunk.payload);
  const { error } = parts[0] as { readonly error: Error };
  expect(error.message).toMatch(/^Error NOT_FOUND: .*No such city/);
  expect(results()[0]).toBe(JSON.stringify({ error: error.message }));
  expect(JSON.stringify(parts)).not.toContain('inside');
  expect(Object.keys(cause)).toEqual(['status', 'secret']);
  expect('toJSON' in cause).toBe(false);
  await expect(reliable.tools.look.execute?.({ city: 'Oslo' }, {} as never)).rejects.toBe(cause);
});

test('what has no error of its own is a ToolCallError everywhere', async () => {
  const { tools } = reliableTools({ look: toolOf('look', never) }, { tools: { look: { timeoutMs: 20, retry: { maxAttempts: 1 } } } });
  const failed: unknown = await tools.look.execute?.({ city: 'Oslo' }, {} as never)?.catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(ToolCallError);
  const { name, code, result } = failed as ToolCallError;
  expect([name, code, result.toolName]).toEqual(['ToolCallError', 'TOOL_TIMEOUT', 'look']);
  expect(JSON.parse(JSON.stringify(failed))).toEqual({ name: 'ToolCallError', message: (failed as Error).message, code });
});

test('annotations declare the effect, and settings override it', () => {
  const annotated = (annotations: object) => toolOf('look', () => 'seen', { mcp: { annotations } });
  const { service } = reliableTools(
    {
      read: annotated({ readOnlyHint: true }),
      remove: annotated({ destructiveHint: true }),
      put: annotated({ idempotentHint: true }),
      plain: annotated({}),
    },
    { tools: { put: { effect: 'unsafe' } } },
  );
  expect(['read', 'remove', 'put', 'plain'].map((name) => service.getToolSettings(name)?.effect)).toEqual([
    'read',
    'unsafe',
    'unsafe',
    service.getToolSettings('plain')?.effect,
  ]);
});

test('a call that is repeated is told once, and one that may have taken effect is not repeated', async () => {
  let runs = 0;
  const look = toolOf('look', () => {
    runs += 1;
    if (runs < 3) throw unavailable();
    return 'seen';
  });
  const pays: unknown[] = [];
  const pay = toolOf('pay', ({ city }) => {
    pays.push(city);
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
  });
  const { agent, results } = await stage({ look, pay }, [{ calls: [call('look'), call('pay')] }, done]);
  await agent.generate('Go on.');
  expect(results()).toEqual(['seen', expect.stringContaining('may have')]);
  expect([runs, pays]).toEqual([3, ['Oslo']]);
});

test('an output that breaks its schema is not repeated, and its call counts as failed', async () => {
  let runs = 0;
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema,
    outputSchema: z.object({ deg: z.number() }),
    execute: async () => {
      runs += 1;
      return { deg: 'warm' } as never;
    },
  });
  const { agent, results, events } = await stage({ look }, [{ calls: [call('look')] }, done], { tools: { look: { effect: 'read' } } });
  await agent.generate('Go on.');
  expect(runs).toBe(1);
  expect(results()[0]).toContain('Tool output validation failed');
  expect(events.map(({ event_type }) => event_type)).toContain('ToolError');
});

test('an alternative is read by its own toModelOutput, and a partial output by none', async () => {
  const toModelOutput = (words: string) => (output: { readonly deg: number }) => ({
    type: 'text',
    value: `${words} ${output.deg.toFixed()}`,
  });
  const look = toolOf(
    'look',
    () => {
      throw Object.assign(new Error('gone'), { status: 410 });
    },
    { toModelOutput: toModelOutput('look') },
  );
  const backup = toolOf('backup', () => ({ deg: 4 }), { toModelOutput: toModelOutput('backup') });
  const plain = toolOf('plain', () => 'rain');
  const other = toolOf(
    'other',
    () => {
      throw Object.assign(new Error('gone'), { status: 410 });
    },
    { toModelOutput: toModelOutput('other') },
  );
  const { agent, results } = await stage({ look, backup, plain, other }, [{ calls: [call('look'), call('other'), call('backup')] }, done], {
    tools: { look: { alternatives: ['backup'] }, other: { alternatives: ['plain'] } },
  });
  await agent.generate('Go on.');
  expect(results()).toEqual(['backup 4', 'rain', 'backup 4']);
});

test('an abort by the caller ends the call at once, although the tool ignores it', async () => {
  const controller = new AbortController();
  const hang = toolOf('hang', () => {
    setTimeout(() => controller.abort(new Error('enough')), 0);
    return never();
  });
  const { agent, reliable } = await stage({ hang }, [{ calls: [call('hang')] }, done]);
  const aborted: unknown = await reliable.tools.hang
    .execute?.({ city: 'Oslo' }, { abortSignal: controller.signal } as never)
    ?.catch((error: unknown) => error);
  expect(aborted).toEqual(new Error('enough'));
  const second = new AbortController();
  setTimeout(() => second.abort(), 100);
  const output = await agent.stream('Go on.', { abortSignal: second.signal });
  await output.consumeStream();
  expect(await output.toolResults).toEqual([]);
});

test('a guardrail of a nested agent and a denied permission end the call as without Holdfast', async () => {
  class TripWire extends Error {
    readonly processorId = 'guard';
  }
  let runs = 0;
  const guarded = toolOf('guarded', ({ city }) => {
    runs += 1;
    throw city === 'Oslo' ? new TripWire('blocked') : Object.assign(new Error('denied'), { name: 'FGADeniedError' });
  });
  const { tools } = reliableTools({ guarded }, { tools: { guarded: { effect: 'read' } } });
  const run = (city: string) => tools.guarded.execute?.({ city }, { agent: { toolCallId: 'c', suspend: never } } as never);
  await expect(run('Oslo')).rejects.toBeInstanceOf(TripWire);
  await expect(run('Rome')).rejects.toMatchObject({ name: 'FGADeniedError' });
  expect(runs).toBe(2);
});

test('hostile tools: one result each, and the agent goes on', async () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('trap');
      },
      has: () => {
        throw new Error('trap');
      },
      ownKeys: () => {
        throw new Error('trap');
      },
      getPrototypeOf: () => {
        throw new Error('trap');
      },
    },
  );
  const values: readonly unknown[] = [
    hostile,
    circle,
    1n,
    undefined,
    Symbol('odd'),
    () => 'odd',
    new Proxy({}, {}),
    Object.freeze({ error: true }),
  ];
  const tools: ToolsInput = Object.fromEntries(
    values.flatMap((value, index) => [
      [`throw${index}`, toolOf(`throw${index}`, () => Promise.reject(value as Error))],
      ...(value === hostile ? [] : [[`give${index}`, toolOf(`give${index}`, () => value)]]),
    ]),
  );
  const names = Object.keys(tools);
  const { agent, results } = await stage(tools, [{ calls: names.map((name) => call(name)) }, done], {
    policy: { retry: { maxAttempts: 1 } },
  });
  const output = await agent.generate('Go on.');
  expect(output.text).toBe('All done.');
  const byName = new Map(names.map((name, index) => [name, results()[index]]));
  for (const name of names.filter((each) => each.startsWith('throw'))) expect(byName.get(name)).toMatch(/error/i);
  for (const name of names.filter((each) => each.startsWith('give'))) expect(byName.get(name)).toEqual(expect.any(String));
});

test('a tool that returns nothing gets an answer: a bare agent would end without one', async () => {
  const tools = { send: toolOf('send', () => undefined) };
  const script = [{ calls: [call('send')] }, done];
  const bare = await scene(tools, script);
  expect((await bare.agent.generate('Go on.')).text).toBe('');
  const { agent, results } = await stage(tools, script);
  expect((await agent.generate('Go on.')).text).toBe('All done.');
  expect(results()).toEqual(['null']);
});
