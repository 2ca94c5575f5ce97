/** Own loops: `run.definitions`, `run.repair`, and answers of the real SDK. */
import { ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import type { ConverseCommandInput, Message, Tool } from '@aws-sdk/client-bedrock-runtime';
import { createReliability, reliableTools } from '@holdfast/bedrock';
import { startProviderDouble } from '@holdfast/provider-double';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { fn, messageOf, use } from './support/answers.ts';
import { clientFor } from './support/client.ts';
import { readStream } from './support/read-stream.ts';

const modelId = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const question: Message = { role: 'user', content: [{ text: 'Weather?' }] };
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

it('reads arguments that a stream sends as malformed JSON, and sends back those that were executed', async () => {
  const double = await startProviderDouble({
    script: [{ calls: [{ name: 'weather', arguments: "{'city': 'Oslo',}" }] }, { text: 'Done.' }],
  });
  onTestFinished(() => double.close());
  const client = clientFor(double.baseUrlFor('bedrock-converse'));
  const weather = fn('weather', (args: { readonly city: string }) => `Rain in ${args.city}.`, city);
  const run = reliableTools([weather], { tools: { weather: { effect: 'read' } } }).startRun();
  const request = (messages: Message[]): ConverseCommandInput => ({ modelId, messages, toolConfig: { tools: run.definitions } });
  const answer = await readStream(await client.send(new ConverseStreamCommand(request([question]))));
  const results = await run.answer(answer);
  const messages = [question, answer.output.message, results ?? question];
  const last = await client.send(new ConverseCommand(run.repair(request(messages))));
  expect(last.output?.message?.content).toEqual([{ text: 'Done.' }]);
  expect(double.requests[1]?.neutral.messages.slice(1)).toMatchObject([
    { calls: [{ name: 'weather', arguments: { city: 'Oslo' } }] },
    { results: [{ text: 'Rain in Oslo.' }] },
  ]);
});

it('a function runs on the object that has it, such as an instance of a class', async () => {
  class Weather {
    readonly toolSpec = { name: 'weather', inputSchema: { json: city } };
    readonly #sky = 'Rain';
    run(): string {
      return this.#sky;
    }
  }
  const results = await reliableTools([new Weather() as never])
    .startRun()
    .answer(messageOf(use('weather', { city: 'Oslo' })));
  expect(results?.content).toMatchObject([{ toolResult: { content: [{ text: 'Rain' }] } }]);
});

describe('definitions', () => {
  it('are sent as given, without the function; other entries are kept', () => {
    const given = fn('find', () => 1);
    const cache = { cachePoint: { type: 'default' } } as const;
    const { definitions } = reliableTools([given, cache]).startRun();
    expect(definitions).toEqual([{ toolSpec: given.toolSpec }, cache]);
    expect((definitions[0] as Tool.ToolSpecMember).toolSpec).toBe(given.toolSpec);
  });

  it('show the JSON Schema of a Standard Schema', async () => {
    const run = reliableTools([fn('forecast', (args) => args, z.object({ city: z.string(), days: z.number().default(3) }))]).startRun();
    expect(run.definitions[0]?.toolSpec?.inputSchema?.json).toMatchObject({ type: 'object', required: ['city'] });
    const results = await run.answer(messageOf(use('forecast', { city: 'Oslo' }, 'a'), use('forecast', { city: 5 }, 'b')));
    expect(results?.content.map(({ toolResult }) => toolResult.content)).toEqual([
      [{ json: { city: 'Oslo', days: 3 } }],
      [{ text: expect.stringContaining("Parameter 'city'") as string }],
    ]);
  });

  it('note an open circuit', async () => {
    const down = fn('down', () => Promise.reject(Object.assign(new Error('busy'), { status: 503 })));
    const run = reliableTools([down], {
      policy: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 }, waitForRecovery: false },
    }).startRun();
    await run.answer(messageOf(use('down')));
    expect(run.definitions[0]?.toolSpec?.description).toMatch(/^The tool down\.\n\nCurrently unavailable/);
  });
});

describe('repair', () => {
  const run = reliableTools([fn('find', () => 1)]).startRun();
  const result: Message = { role: 'user', content: [{ toolResult: { toolUseId: 'tooluse_find', content: [{ text: '1' }] } }] };

  it('of valid messages returns the same array or request', () => {
    const messages = [question, messageOf(use('find')), result];
    const request = { modelId, messages, toolConfig: { tools: run.definitions } };
    expect(run.repair(messages)).toBe(messages);
    expect(run.repair(request)).toBe(request);
    for (const odd of [undefined, null, {}, { messages: 'text' }]) expect(run.repair(odd as never)).toBe(odd);
  });

  it('adds lost results', () => {
    expect(run.repair([question, messageOf(use('find')), question])).toMatchObject([
      question,
      messageOf(use('find')),
      { role: 'user', content: [{ toolResult: { toolUseId: 'tooluse_find', status: 'error' } }, { text: 'Weather?' }] },
    ]);
  });

  it('of a request follows the rules of its model, adds missing tools, and keeps its other fields and bytes', () => {
    const image = { image: { format: 'png' as const, source: { bytes: new Uint8Array([1, 2]) } } };
    const failed: Message = { role: 'user', content: [{ toolResult: { toolUseId: 'tooluse_find', content: [image], status: 'error' } }] };
    const request = {
      modelId: 'writer.palmyra-x5-v1:0',
      messages: [question, messageOf(use('find')), failed],
      inferenceConfig: { maxTokens: 9 },
    };
    const repaired = run.repair<ConverseCommandInput>(request);
    expect(repaired).toMatchObject({ inferenceConfig: { maxTokens: 9 }, toolConfig: { tools: [{ toolSpec: { name: 'find' } }] } });
    const { toolResult } = repaired.messages?.[2]?.content?.[0] ?? {};
    expect(toolResult).not.toHaveProperty('status');
    expect(toolResult?.content?.[0]?.image?.source?.bytes).toBe(image.image.source.bytes);
  });

  it('gives calls without usable ids new ones, and their results the same', async () => {
    const message = messageOf(use('find', {}, 'a'), use('find', {}, 'a'), { name: 'find', input: {} }, use('find', {}, 'b/c'));
    const messages: Message[] = [question, message, (await run.answer(message)) ?? question];
    const repaired = run.repair(messages);
    const called = repaired[1]?.content?.map(({ toolUse }) => toolUse?.toolUseId) ?? [];
    expect(new Set(called).size).toBe(4);
    for (const id of called) expect(id).toMatch(/^[a-zA-Z0-9_.:-]{1,64}$/);
    expect(repaired[2]?.content?.map(({ toolResult }) => toolResult?.toolUseId)).toEqual(called);
  });
});

it('stops a loop without progress, and tells why', async () => {
  const run = reliableTools([fn('find', () => Promise.reject(Object.assign(new Error('none'), { status: 404 })))]).startRun();
  for (let answers = 0; answers < 20 && !run.stopped; answers++) await run.answer(messageOf(use('find')));
  expect(run.stopped?.reason).toBe('repeated_failure');
});

it('answers calls that the caller has cancelled, while a tool hangs', async () => {
  const controller = new AbortController();
  let signal: unknown;
  const wait = fn('wait', (_args, context) => {
    ({ signal } = context);
    setTimeout(() => controller.abort(), 0);
    return new Promise(() => undefined);
  });
  const results = await reliableTools([wait])
    .startRun()
    .answer(messageOf(use('wait')), { signal: controller.signal });
  expect(results?.content[0]).toMatchObject({
    toolResult: { status: 'error', content: [{ text: expect.stringContaining('CANCELLED') as string }] },
  });
  expect((signal as AbortSignal).aborted).toBe(true);
});

it('with tools made per request, each runs its own functions', async () => {
  const reliability = createReliability();
  const said = await Promise.all(
    ['Ada', 'Bob'].map((user) =>
      reliableTools([fn('who', () => user)], { reliability })
        .startRun()
        .answer(messageOf(use('who'))),
    ),
  );
  expect(said.map((results) => results?.content[0]?.toolResult.content)).toEqual([[{ text: 'Ada' }], [{ text: 'Bob' }]]);
});
