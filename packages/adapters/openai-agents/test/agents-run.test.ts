/** Specific to runs of the OpenAI Agents SDK: approvals, guardrails, sessions, ends. The behaviour common to all adapters is in the contract. */
import { reliableTools } from '@holdfast/openai-agents';
import type { AgentInputItem, FunctionTool, RunContext } from '@openai/agents';
import { Agent, defineToolInputGuardrail, MemorySession, Runner, RunState, ToolGuardrailFunctionOutputFactory } from '@openai/agents';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentOf, calls, city, done, hang, lastBody, play, quick, requests, runnerOf, start, resultTexts } from './support/play.ts';

describe('features of the SDK are unchanged', () => {
  it('passes the context and the call, and a signal of its own only where an attempt may have to end', async () => {
    const seen: unknown[] = [];
    const execute = (_input: unknown, context?: RunContext, details?: { readonly toolCall?: object; readonly signal?: AbortSignal }) => {
      seen.push(context?.context, details?.toolCall, details?.signal?.aborted);
    };
    const find = { name: 'find', description: 'Finds', parameters: city, execute: execute as () => void };
    await play(reliableTools([find]).startRun(), [calls('find'), done], { context: { user: 7 } });
    expect(seen).toMatchObject([{ user: 7 }, { name: 'find', type: 'function_call' }, undefined]);
    await play(reliableTools([find], { tools: { find: { timeoutMs: 5_000 } } }).startRun(), [calls('find'), done]);
    expect(seen.at(-1)).toBe(false);
  });

  it('waits for an approval for any time, and then runs', async () => {
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
      { turn: { timeoutMs: 1_000 } },
    ).startRun();
    const runner = runnerOf(run, await start([calls('look', 'pay'), done]));
    const agent = agentOf(run);
    const first = await runner.run(agent, 'Go on.', run.settings);
    expect(first.interruptions).toHaveLength(1);
    expect(runs).toEqual(['look']);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    first.state.approve(first.interruptions[0] as never);
    const second = await runner.run(agent, first.state, run.settings);
    expect(second.finalOutput).toBe('All done.');
    expect(runs).toEqual(['look', 'pay']);
    expect(asked[0]).toEqual({ city: 'OSLO' });
  });

  it('reports in the SDK’s words that an approval was refused', async () => {
    const run = reliableTools([
      { name: 'pay', description: 'Pays', parameters: city, needsApproval: true, execute: () => 'paid' },
    ]).startRun();
    const runner = runnerOf(run, await start([calls('pay'), done]));
    const agent = agentOf(run);
    const { state, interruptions } = await runner.run(agent, 'Go on.', run.settings);
    state.reject(interruptions[0] as never);
    await runner.run(agent, state, run.settings);
    expect(resultTexts()).toEqual(['Tool execution was not approved.']);
  });

  it('lets a guardrail end the run, even if a sibling hangs', async () => {
    const tripwire = defineToolInputGuardrail({ name: 'never', run: async () => ToolGuardrailFunctionOutputFactory.throwException() });
    const run = reliableTools([
      { name: 'stuck', description: 'Hangs', parameters: city, execute: hang },
      { name: 'guarded', description: 'Guarded', parameters: city, inputGuardrails: [tripwire], execute: () => 'run' },
    ]).startRun();
    await expect(play(run, [calls('stuck', 'guarded'), done])).rejects.toMatchObject({
      error: { name: 'ToolInputGuardrailTripwireTriggered' },
    });
  });

  it('passes on the tripwire of an agent within a tool, and does not run it again', async () => {
    let runs = 0;
    const execute = (): never => {
      runs += 1;
      throw Object.assign(new Error('tripped'), { name: 'OutputGuardrailTripwireTriggered' });
    };
    const run = reliableTools([{ name: 'ask', description: 'Asks', parameters: city, execute }], quick).startRun();
    await expect(play(run, [calls('ask'), done])).rejects.toThrow('tripped');
    expect(runs).toBe(1);
  });

  it('counts turns like the SDK', async () => {
    const run = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]).startRun();
    await expect(play(run, () => calls('find'), { maxTurns: 2 })).rejects.toMatchObject({ name: 'MaxTurnsExceededError', message: /2/ });
    expect(run.stopped).toBeUndefined();
  });

  it('passes images unchanged', async () => {
    const image = { type: 'image', image: { data: new Uint8Array([1, 2, 3]), mediaType: 'image/png' } };
    const run = reliableTools([{ name: 'draw', description: 'Draws', parameters: city, execute: () => image }]).startRun();
    await play(run, [calls('draw'), done]);
    expect(lastBody()).toContain('data:image/png;base64,AQID');
  });

  it('lets a program change the description of a tool, and offer a copy under another name', async () => {
    const run = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]).startRun();
    const [find] = run.tools as [FunctionTool];
    find.description = 'Finds more';
    const tools = [find, { ...find, name: 'search' }];
    const agent = new Agent({ name: 'Agent', model: 'gpt-5.2', tools });
    await runnerOf(run, await start([calls('find', 'search'), done])).run(agent, 'Go on.', run.settings);
    expect(resultTexts()).toEqual(['found', 'found']);
    expect(lastBody().match(/"description":"Finds more"/g)).toHaveLength(2);
  });

  it('writes functions, symbols and BigInts as the SDK does', async () => {
    const outputs = [() => 1, Symbol('rain'), 12n];
    const named = outputs.map((output, index) => ({ name: `tell${index}`, description: 'Tells', parameters: city, execute: () => output }));
    await play(reliableTools(named).startRun(), [calls(...named.map(({ name }) => name)), done]);
    expect(resultTexts()).toEqual(outputs.map(String));
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

  it('that are complete are the same list', () => {
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

  it('get what is missing, in the SDK’s format, and keep the other items', () => {
    const repaired = run.repair([question, called, question]);
    expect(repaired).toMatchObject([
      question,
      called,
      { type: 'function_call_result', name: 'find', callId: 'call_1', status: 'completed' },
      question,
    ]);
    expect(repaired[0]).toBe(question);
    expect(repaired[1]).toBe(called);
    expect(repaired[2]).toMatchObject({ output: { type: 'text', text: expect.any(String) } });
  });

  it('of a conversation held by the provider lose nothing', async () => {
    expect(run.repair([result])).toEqual([result]);
    const local = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]).startRun();
    const runner = runnerOf(local, await start([done, calls('find', 'fnid'), done]));
    const { lastResponseId } = await runner.run(agentOf(local), 'Hello.', local.settings);
    const settings = { ...local.settings, ...(lastResponseId === undefined ? {} : { previousResponseId: lastResponseId }) };
    expect((await runner.run(agentOf(local), 'Go on.', settings)).finalOutput).toBe('All done.');
    const input = [{ output: 'found' }, { output: expect.stringMatching(/^Error UNKNOWN_TOOL/) }];
    expect(requests().at(-1)?.body).toMatchObject({ input });
  });

  it('of a session continue where they ended', async () => {
    const session = new MemorySession();
    const own = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]);
    await play(own.startRun(), [calls('find'), done], { session });
    expect(await play(own.startRun(), [calls('find'), done], { session })).toBe('All done.');
    expect(resultTexts()).toEqual(['found', 'found']);
  });
});

it('rejects with the reason if an agent cannot end with a string', async () => {
  const run = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]).startRun();
  const provider = await start(() => ({ calls: [{ name: 'find', arguments: {} }] }));
  const agent = new Agent({ name: 'Agent', model: 'gpt-5.2', tools: run.tools, outputType: city });
  const ended = runnerOf(run, provider).run(agent, 'Go on.', run.settings);
  await expect(ended).rejects.toMatchObject({ name: 'MaxTurnsExceededError', message: expect.stringMatching(/^Stopped: /) });
  expect(run.stopped?.reason).toBe('validation_exhausted');
});

it('describes invalid arguments also without a wrapped model', async () => {
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
  expect(resultTexts()[1]).toMatch(/find/);
  expect(resultTexts()[2]).toMatch(/^Error .*city/);
});

describe('an unreadable call', () => {
  const broken = { calls: [{ name: 'pay', arguments: '{"city":"Oslo"} {"city":"Rome"}' }] };

  it('is never run, even if it is approved in another process', async () => {
    const runs: unknown[] = [];
    const pay = {
      name: 'pay',
      description: 'Pays',
      parameters: z.object({}),
      needsApproval: true,
      execute: (input: unknown) => void runs.push(input),
    };
    const before = reliableTools([pay]).startRun();
    const first = await runnerOf(before, await start([broken])).run(agentOf(before), 'Go on.', before.settings);
    const after = reliableTools([pay]).startRun();
    const agent = agentOf(after);
    const state = await RunState.fromString(agent, first.state.toString());
    for (const interruption of state.getInterruptions()) state.approve(interruption);
    await runnerOf(after, await start([done])).run(agent, state, after.settings);
    expect(runs).toEqual([]);
    expect(resultTexts()).toEqual([expect.stringMatching(/^Error INVALID_ARGUMENTS/)]);
  });

  it('is not run while an agent within a tool uses the same provider', async () => {
    const runs: unknown[] = [];
    const pay = { name: 'pay', description: 'Pays', parameters: z.object({}), execute: (input: unknown) => void runs.push(input) };
    const inner = new Agent({ name: 'Inner', model: 'gpt-5.2' }).asTool({ toolName: 'helper', toolDescription: 'Helps' });
    const run = reliableTools([inner, pay]).startRun();
    const asked = { name: 'helper', arguments: { input: 'Hi' } };
    const settings = { toolExecution: { maxFunctionToolConcurrency: 1 } };
    await play(run, [{ calls: [asked, ...broken.calls] }, { text: 'From inside.' }, done], settings);
    expect(runs).toEqual([]);
    expect(resultTexts()).toEqual(['From inside.', expect.stringMatching(/^Error INVALID_ARGUMENTS/)]);
  });
});

it('is answered across handoffs, also streamed', async () => {
  const run = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]).startRun();
  const second = new Agent({ name: 'Second', model: 'gpt-5.2', tools: run.tools });
  const first = new Agent({ name: 'First', model: 'gpt-5.2', handoffs: [second] });
  const provider = await start([{ calls: [{ name: 'transfer_to_Second', arguments: {} }] }, calls('find', 'fnid'), done]);
  const result = await runnerOf(run, provider).run(first, 'Go on.', { ...run.settings, stream: true });
  await result.completed;
  expect(result.finalOutput).toBe('All done.');
  expect(resultTexts().slice(1)).toEqual(['found', expect.stringMatching(/^Error UNKNOWN_TOOL/)]);
});

it('runs an alternative with its own schema', async () => {
  const seen: unknown[] = [];
  const fail = (): never => {
    throw Object.assign(new Error('Service unavailable'), { status: 503 });
  };
  const options = { ...quick, tools: { first: { alternatives: ['second' as const] } } };
  const run = reliableTools(
    [
      { name: 'first', description: 'First', parameters: city, execute: fail },
      {
        name: 'second',
        description: 'Second',
        parameters: z.object({ city: z.string().toUpperCase() }),
        execute: (input) => seen.push(input) && 'second',
      },
    ],
    options,
  ).startRun();
  await play(run, [calls('first'), done]);
  expect([resultTexts(), seen]).toEqual([['second'], [{ city: 'OSLO' }]]);
});

it('ends a stopped run, also streamed', async () => {
  const run = reliableTools([{ name: 'find', description: 'Finds', parameters: city, execute: () => 'found' }]).startRun();
  const provider = await start(() => ({ calls: [{ name: 'find', arguments: {} }] }));
  const result = await runnerOf(run, provider).run(agentOf(run), 'Go on.', { ...run.settings, stream: true });
  await result.completed;
  expect(result.finalOutput).toMatch(/^Stopped: /);
  expect(requests()).toHaveLength(3);
});
