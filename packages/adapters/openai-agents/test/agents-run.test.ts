/** What is special to the OpenAI Agents SDK: its schemas, approvals, guardrails, output schemas, finished tools. The promises that all adapters share are in the contract. */
import { startProviderDouble } from '@holdfast/provider-double';
import type { ProviderDouble, Script } from '@holdfast/provider-double';
import { reliableTools } from '@holdfast/openai-agents';
import type { AgentsRun } from '@holdfast/openai-agents';
import type { AgentInputItem, RunContext } from '@openai/agents';
import {
  Agent,
  defineToolInputGuardrail,
  MemorySession,
  OpenAIProvider,
  Runner,
  tool,
  ToolGuardrailFunctionOutputFactory,
} from '@openai/agents';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

let double: ProviderDouble | undefined;
afterEach(() => double?.close());

const quick = { policy: { retry: { initialDelayMs: 1, maxDelayMs: 2, maxAttempts: 3 } } } as const;
const city = z.object({ city: z.string() });
const calls = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name, arguments: { city: 'Oslo' } })) });
const done = { text: 'All done.' };

async function start(script: Script): Promise<OpenAIProvider> {
  double = await startProviderDouble({ script });
  const openAIClient = new OpenAI({ apiKey: 'key', baseURL: double.baseUrlFor('openai-responses'), maxRetries: 0 });
  return new OpenAIProvider({ openAIClient: openAIClient as never, useResponses: true });
}

const runnerOf = (run: AgentsRun, provider: OpenAIProvider): Runner =>
  new Runner({ modelProvider: run.modelProvider(provider), tracingDisabled: true });

const agentOf = (run: AgentsRun): Agent => new Agent({ name: 'Agent', model: 'gpt-5.2', tools: run.tools });

const toldTexts = (): readonly string[] =>
  double?.requests.at(-1)?.neutral.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [];

async function play(run: AgentsRun, script: Script, settings: object = {}): Promise<string | undefined> {
  const provider = await start(script);
  const result = await runnerOf(run, provider).run(agentOf(run), 'Go on.', { ...run.settings, ...settings });
  return result.finalOutput;
}

const hang = (): Promise<never> => new Promise(() => undefined);

describe('schemas', () => {
  it('runs a tool with what its schema makes of the arguments, once', async () => {
    const seen: unknown[] = [];
    const parameters = z.object({ city: z.string().toUpperCase(), day: z.string().optional() });
    const count = {
      name: 'count',
      description: 'Counts',
      parameters,
      execute: (input: z.infer<typeof parameters>) => void seen.push(input),
    };
    await play(reliableTools([count], quick).startRun(), [{ calls: [{ name: 'count', arguments: { city: 'Oslo', day: null } }] }, done]);
    expect(seen).toEqual([{ city: 'OSLO' }]);
  });

  it('says what does not fit, though the SDK hides it, and counts it', async () => {
    const events: string[] = [];
    const run = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }], {
      run: { onEvent: ({ event_type }) => void events.push(event_type) },
    }).startRun();
    const text = await play(run, () => ({ calls: [{ name: 'find', arguments: { town: 'Oslo' } }] }));
    expect(double?.requests).toHaveLength(3);
    expect(toldTexts()[0]).toMatch(/^Error .*city/);
    expect(run.stopped?.reason).toBe('validation_exhausted');
    expect(text).toBe(`Stopped: ${run.stopped?.message}`);
    expect(events).toContain('ValidationRetryExhausted');
  });

  it('mends by the schema before the SDK checks', async () => {
    const parameters = z.object({ days: z.number() });
    const run = reliableTools(
      [{ name: 'plan', description: 'Plans', parameters, execute: ({ days }) => `${days + 1} days` }],
      quick,
    ).startRun();
    await play(run, [{ calls: [{ name: 'plan', arguments: '{"days":"3"}' }] }, done]);
    expect(toldTexts()).toEqual(['4 days']);
    expect(JSON.stringify(double?.requests.at(-1)?.body)).toContain(JSON.stringify('{"days":3}').slice(1, -1));
  });

  it('knows each tool by its own parameters', () => {
    const parameters = { type: 'object' as const, properties: {}, required: [], additionalProperties: true as const };
    reliableTools([
      { name: 'one', description: 'One', parameters: z.object({ a: z.number() }), execute: ({ a }) => a.toFixed(1) },
      { name: 'two', description: 'Two', parameters: z.object({ b: z.string() }), execute: ({ b }) => b.trim() },
      { name: 'three', description: 'Three', parameters, strict: false, execute: (input: unknown) => input },
      tool({ name: 'four', description: 'Four', parameters: city, execute: ({ city: name }) => name }),
    ]);
  });

  it('refuses what is no tool', () => {
    expect(() => reliableTools([{ name: 'x', description: 'X', parameters: city } as never])).toThrow(/no function to run/);
  });
});

describe('what is not ours stays the SDK’s', () => {
  it('hands over the context, the call and a signal', async () => {
    const seen: unknown[] = [];
    const execute = (_input: unknown, context?: RunContext, details?: { readonly toolCall?: object; readonly signal?: AbortSignal }) => {
      seen.push(context?.context, details?.toolCall, details?.signal?.aborted);
    };
    const run = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: execute as () => void }]).startRun();
    await play(run, [calls('find'), done], { context: { user: 7 } });
    expect(seen).toMatchObject([{ user: 7 }, { name: 'find', type: 'function_call' }, false]);
  });

  it('waits for an approval, however long, and then runs', async () => {
    const asked: unknown[] = [];
    const runs: string[] = [];
    const parameters = z.object({ city: z.string().toUpperCase() });
    const run = reliableTools(
      [
        { name: 'look', description: 'Looks', parameters: city, execute: () => void runs.push('look') },
        {
          name: 'pay',
          description: 'Pays',
          parameters,
          needsApproval: (_context: unknown, input: unknown) => Promise.resolve(asked.push(input) > 0),
          execute: () => void runs.push('pay'),
        },
      ],
      { turn: { timeoutMs: 200 } },
    ).startRun();
    const runner = runnerOf(run, await start([calls('look', 'pay'), done]));
    const agent = agentOf(run);
    const first = await runner.run(agent, 'Go on.', run.settings);
    expect(first.interruptions).toHaveLength(1);
    expect(runs).toEqual(['look']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    first.state.approve(first.interruptions[0] as never);
    const second = await runner.run(agent, first.state, run.settings);
    expect(second.finalOutput).toBe('All done.');
    expect(runs).toEqual(['look', 'pay']);
    expect(asked[0]).toEqual({ city: 'OSLO' });
  });

  it('says in the SDK’s words that an approval was refused', async () => {
    const run = reliableTools([
      { name: 'pay', description: 'Pays', parameters: city, needsApproval: true, execute: () => 'paid' },
    ]).startRun();
    const runner = runnerOf(run, await start([calls('pay'), done]));
    const agent = agentOf(run);
    const { state, interruptions } = await runner.run(agent, 'Go on.', run.settings);
    state.reject(interruptions[0] as never);
    await runner.run(agent, state, run.settings);
    expect(toldTexts()).toEqual(['Tool execution was not approved.']);
  });

  it('lets a guardrail end the run, though a sibling hangs', async () => {
    const tripwire = defineToolInputGuardrail({ name: 'never', run: async () => ToolGuardrailFunctionOutputFactory.throwException() });
    const run = reliableTools([
      { name: 'stuck', description: 'Hangs', parameters: city, execute: hang },
      { name: 'guarded', description: 'Guarded', parameters: city, inputGuardrails: [tripwire], execute: () => 'run' },
    ]).startRun();
    await expect(play(run, [calls('stuck', 'guarded'), done])).rejects.toMatchObject({
      error: { name: 'ToolInputGuardrailTripwireTriggered' },
    });
  });

  it('lets the tripwire of an agent inside of a tool out, and does not run that again', async () => {
    let runs = 0;
    const execute = (): never => {
      runs += 1;
      throw Object.assign(new Error('tripped'), { name: 'OutputGuardrailTripwireTriggered' });
    };
    const run = reliableTools([{ name: 'ask', description: 'Asks', parameters: city, execute }], quick).startRun();
    await expect(play(run, [calls('ask'), done])).rejects.toThrow('tripped');
    expect(runs).toBe(1);
  });

  it('counts turns as the SDK does', async () => {
    const run = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]).startRun();
    await expect(play(run, () => calls('find'), { maxTurns: 2 })).rejects.toMatchObject({ name: 'MaxTurnsExceededError', message: /2/ });
    expect(run.stopped).toBeUndefined();
  });

  it('hands on pictures as they are', async () => {
    const image = { type: 'image', image: { data: new Uint8Array([1, 2, 3]), mediaType: 'image/png' } };
    const run = reliableTools([{ name: 'draw', description: 'Draws', parameters: city, execute: () => image }]).startRun();
    await play(run, [calls('draw'), done]);
    expect(JSON.stringify(double?.requests.at(-1)?.body)).toContain('data:image/png;base64,AQID');
  });
});

describe('time limits of the SDK', () => {
  it('are kept for it, and told like all failures', async () => {
    const run = reliableTools([{ name: 'stuck', description: 'Hangs', parameters: city, timeoutMs: 40, execute: hang }], {
      policy: { retry: { maxAttempts: 1 } },
    }).startRun();
    expect(await play(run, [calls('stuck'), done])).toBe('All done.');
    expect(toldTexts()[0]).toMatch(/^Error /);
  });

  it('end the run where they are meant to', async () => {
    const stuck = {
      name: 'stuck',
      description: 'Hangs',
      parameters: city,
      timeoutMs: 40,
      timeoutBehavior: 'raise_exception',
      execute: hang,
    } as const;
    await expect(play(reliableTools([stuck]).startRun(), [calls('stuck'), done])).rejects.toMatchObject({ name: 'ToolTimeoutError' });
  });
});

describe('output schemas', () => {
  const outputSchema = z.object({ sky: z.string() });
  const base = { name: 'look', description: 'Looks', parameters: city, outputSchema };
  const fail = (): never => {
    throw Object.assign(new Error('No such city'), { status: 404 });
  };

  it('are kept by tools that work', async () => {
    await play(reliableTools([{ ...base, execute: () => ({ sky: 'grey' }) }]).startRun(), [calls('look'), done]);
    expect(toldTexts()).toEqual(['{"sky":"grey"}']);
  });

  it('are no reason to end the run when a tool fails', async () => {
    await play(reliableTools([{ ...base, execute: fail }], quick).startRun(), [calls('look'), done]);
    expect(toldTexts()[0]).toMatch(/Error .*No such city/);
  });

  it('find an output that does not fit', async () => {
    await play(reliableTools([{ ...base, execute: () => ({ sea: 'calm' }) as never }], quick).startRun(), [calls('look'), done]);
    expect(toldTexts()[0]).toMatch(/Error /);
  });

  it('are kept by the stand-in of a tool that has one', async () => {
    const errorFunction = (_context: unknown, error: unknown) => ({ sky: (error as Error).message });
    await play(reliableTools([{ ...base, execute: fail, errorFunction }], quick).startRun(), [calls('look'), done]);
    expect(JSON.parse(toldTexts()[0] ?? '')).toEqual({ sky: expect.stringMatching(/^Error .*No such city/) });
  });
});

describe('finished tools', () => {
  const broken = {
    name: 'broken',
    description: 'Breaks',
    parameters: city,
    execute: (): never => {
      throw Object.assign(new Error('No such city'), { status: 404 });
    },
  };

  it('run as they are; the SDK’s text for failures is known as one', async () => {
    const fine = tool({ name: 'fine', description: 'Works', parameters: city, execute: ({ city: name }) => `Rain in ${name}.` });
    await play(reliableTools([fine, tool(broken)], quick).startRun(), [calls('fine', 'broken'), done]);
    expect(toldTexts()).toEqual(['Rain in Oslo.', expect.stringMatching(/^Error .*hides why/)]);
  });

  it('without an errorFunction tell what went wrong', async () => {
    await play(reliableTools([tool({ ...broken, errorFunction: null })], quick).startRun(), [calls('broken'), done]);
    expect(toldTexts()).toEqual([expect.stringMatching(/^Error .*No such city/)]);
  });

  it('may be agents', async () => {
    const inner = new Agent({ name: 'Inner', model: 'gpt-5.2' });
    const helper = inner.asTool({ toolName: 'helper', toolDescription: 'Helps' });
    const run = reliableTools([helper]).startRun();
    const provider = await start([{ calls: [{ name: 'helper', arguments: { input: 'Hi' } }] }, { text: 'From inside.' }, done]);
    const { finalOutput } = await runnerOf(run, provider).run(agentOf(run), 'Go on.', run.settings);
    expect(finalOutput).toBe('All done.');
    expect(toldTexts()).toEqual(['From inside.']);
  });
});

describe('tools that are not offered', () => {
  it('are not run when they are called', async () => {
    const runs: string[] = [];
    const run = reliableTools([
      { name: 'off', description: 'Off', parameters: city, isEnabled: false, execute: () => void runs.push('off') },
    ]).startRun();
    expect(await play(run, [calls('off', 'other'), done])).toBe('All done.');
    expect(runs).toEqual([]);
    expect(toldTexts()).toHaveLength(2);
    expect(double?.requests[0]?.neutral.tools).toEqual([]);
  });

  it('are left out while their circuit is open', async () => {
    const down = {
      name: 'down',
      description: 'Down',
      parameters: city,
      execute: (): never => {
        throw Object.assign(new Error('Service unavailable'), { status: 503 });
      },
    };
    const options = { ...quick, tools: { down: { breaker: { failureThreshold: 3 } } }, run: { openCircuits: 'remove' } } as const;
    const run = reliableTools([down], options).startRun();
    await play(run, [calls('down'), calls('down'), done]);
    expect(double?.requests.map(({ neutral }) => neutral.tools.length)).toEqual([1, 0, 0]);
    expect(toldTexts()[1]).toMatch(/unavailable/i);
  });
});

describe('transcripts', () => {
  const question: AgentInputItem = { role: 'user', content: 'Weather?' };
  const called: AgentInputItem = { type: 'function_call', callId: 'call_1', name: 'find', arguments: '{}', status: 'completed' };
  const result: AgentInputItem = {
    type: 'function_call_result',
    callId: 'call_1',
    name: 'find',
    status: 'completed',
    output: { type: 'text', text: 'x' },
  };
  const run = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]).startRun();

  it('that are whole are the same list', () => {
    const thought: AgentInputItem = { type: 'reasoning', id: 'rs_1', content: [] };
    const said: AgentInputItem = { role: 'assistant', status: 'completed', id: 'FAKE', content: [{ type: 'output_text', text: 'So.' }] };
    const hosted = { type: 'hosted_tool_call', id: 'ws_1', name: 'web_search_call', status: 'completed' } as AgentInputItem;
    const computer = {
      type: 'computer_call',
      callId: 'cc_1',
      id: 'cc',
      status: 'completed',
      action: { type: 'screenshot' },
    } as AgentInputItem;
    const picture = { ...result, output: [{ type: 'input_image', image: 'data:,' }] } as AgentInputItem;
    for (const items of [
      [question],
      [question, thought, called, result, said],
      [question, hosted, computer, said, question],
      [called, picture],
    ]) {
      expect(run.repair(items)).toBe(items);
    }
  });

  it('get what is missing, in the SDK’s form, and keep the other items', () => {
    const mended = run.repair([question, called, question]);
    expect(mended).toMatchObject([
      question,
      called,
      { type: 'function_call_result', name: 'find', callId: 'call_1', status: 'completed' },
      question,
    ]);
    expect(mended[0]).toBe(question);
    expect(mended[1]).toBe(called);
    expect(mended[2]).toMatchObject({ output: { type: 'text', text: expect.any(String) } });
  });

  it('that the provider holds lose nothing', async () => {
    expect(run.repair([result])).toEqual([result]);
    const local = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]).startRun();
    const runner = runnerOf(local, await start([done, calls('find', 'fnid'), done]));
    const { lastResponseId } = await runner.run(agentOf(local), 'Hello.', local.settings);
    const settings = { ...local.settings, ...(lastResponseId === undefined ? {} : { previousResponseId: lastResponseId }) };
    expect((await runner.run(agentOf(local), 'Go on.', settings)).finalOutput).toBe('All done.');
    const { input } = double?.requests.at(-1)?.body as { readonly input: readonly unknown[] };
    expect(input).toMatchObject([{ output: 'found' }, { output: expect.stringMatching(/^Error UNKNOWN_TOOL/) }]);
  });

  it('of a session go on where they were', async () => {
    const session = new MemorySession();
    const own = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]);
    await play(own.startRun(), [calls('find'), done], { session });
    await double?.close();
    expect(await play(own.startRun(), [calls('find'), done], { session })).toBe('All done.');
    expect(toldTexts()).toEqual(['found', 'found']);
  });
});

it('rejects with the reason where an agent cannot end with a text', async () => {
  const run = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]).startRun();
  const provider = await start(() => ({ calls: [{ name: 'find', arguments: {} }] }));
  const agent = new Agent({ name: 'Agent', model: 'gpt-5.2', tools: run.tools, outputType: city });
  const ended = runnerOf(run, provider).run(agent, 'Go on.', run.settings);
  await expect(ended)
    .rejects.toMatchObject({ name: 'MaxTurnsExceededError', message: `Stopped: ${run.stopped?.message ?? ''}` })
    .catch(() => undefined);
  await expect(ended).rejects.toThrow(/^Stopped: /);
  expect(run.stopped?.reason).toBe('validation_exhausted');
});

it('tells the model what is wrong without a model that is listened to, too', async () => {
  const run = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]).startRun();
  const provider = await start([
    {
      calls: [
        { name: 'find', arguments: '{"city":' },
        { name: 'fnid', arguments: {} },
        { name: 'find', arguments: { town: 1 } },
      ],
    },
    done,
  ]);
  const runner = new Runner({ modelProvider: provider, tracingDisabled: true });
  expect((await runner.run(agentOf(run), 'Go on.', run.settings)).finalOutput).toBe('All done.');
  expect(toldTexts()[1]).toMatch(/find/);
  expect(toldTexts()[2]).toMatch(/^Error .*city/);
});
