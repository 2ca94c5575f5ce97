/** `agent.asTool()`: the SDK finds the agent of a tool by the tool object, also in a state that was saved as a string. */
import type { AgentsRun } from '@holdfast/openai-agents';
import { createReliability, reliableTools } from '@holdfast/openai-agents';
import type { ProviderDouble } from '@holdfast/provider-double';
import { startProviderDouble } from '@holdfast/provider-double';
import type { FunctionTool } from '@openai/agents';
import { Agent, OpenAIProvider, Runner, RunState, tool } from '@openai/agents';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { done } from './support/play.ts';

const doubles: ProviderDouble[] = [];
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
});

async function providerOf(script: Parameters<typeof startProviderDouble>[0]['script']): Promise<OpenAIProvider> {
  const double = await startProviderDouble({ script });
  doubles.push(double);
  const openAIClient = new OpenAI({ apiKey: 'key', baseURL: double.baseUrlFor('openai-responses'), maxRetries: 0 });
  return new OpenAIProvider({ openAIClient: openAIClient as never, useResponses: true });
}

interface Desk {
  readonly inner: Agent;
  readonly ask: FunctionTool;
  readonly paid: readonly number[];
}

/** An agent with a payment that needs approval, as a tool of another. Its model is scripted on its own. */
async function desk(): Promise<Desk> {
  const paid: number[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: ({ amount }) => {
      paid.push(amount);
      return `paid ${amount}`;
    },
  });
  const model = await (
    await providerOf([{ calls: [{ name: 'pay', arguments: { amount: 5 } }] }, { text: 'inner done' }])
  ).getModel('gpt-5.2');
  const inner = new Agent({ name: 'inner', model, tools: [pay] });
  return { inner, ask: inner.asTool({ toolName: 'ask_inner', toolDescription: 'Asks.' }) as unknown as FunctionTool, paid };
}

const script = [{ calls: [{ name: 'ask_inner', arguments: { input: 'pay 5' } }] }, { text: 'outer done' }];

describe('an agent as a tool', () => {
  it('is the object that was given, and its agent is found after the state was a string', async () => {
    const { ask, paid } = await desk();
    const reliable = reliableTools([ask]);
    const runner = new Runner({ modelProvider: await providerOf(script), tracingDisabled: true });
    let run = reliable.startRun();
    expect(run.tools[0]).toBe(ask);
    let outer = new Agent({ name: 'outer', model: 'gpt-5.2', tools: run.tools });
    let result = await runner.run(outer, 'Go on.', run.settings);
    const asked: string[] = [];
    for (let round = 0; round < 3 && result.interruptions.length > 0; round++) {
      const text = result.state.toString();
      run = reliable.startRun();
      outer = new Agent({ name: 'outer', model: 'gpt-5.2', tools: run.tools });
      const state = (await RunState.fromString(outer, text)) as typeof result.state;
      for (const interruption of state.getInterruptions()) {
        asked.push(`${interruption.agent.name}/${interruption.name}`);
        state.approve(interruption);
      }
      result = await runner.run(outer, state, run.settings);
    }
    expect(asked).toEqual(['inner/pay']);
    expect(paid).toEqual([5]);
    expect(result.finalOutput).toBe('outer done');
    expect(reliable.service.getToolMetrics('ask_inner')).toMatchObject({ errorCount: 0 });
  });

  it('belongs to the conversation that called it', async () => {
    const model = await (await providerOf(() => ({ text: 'inner done' }))).getModel('gpt-5.2');
    const ask = new Agent({ name: 'inner', model }).asTool({ toolName: 'ask_inner', toolDescription: 'Asks.' }) as unknown as FunctionTool;
    const reliable = reliableTools([ask]);
    const play = async (input: string): Promise<readonly string[]> => {
      const run = reliable.startRun();
      const provider = await providerOf([{ calls: [{ name: 'ask_inner', arguments: { input } }] }, done]);
      const outer = new Agent({ name: 'outer', model: 'gpt-5.2', tools: run.tools });
      await new Runner({ modelProvider: provider, tracingDisabled: true }).run(outer, 'Go on.', run.settings);
      return (
        (run.agentRun.session as { readonly events?: readonly { readonly event_type: string }[] }).events?.map(
          ({ event_type }) => event_type,
        ) ?? []
      );
    };
    const both = await Promise.all([play('a'), play('b')]);
    for (const events of both) expect(events.filter((type) => type === 'ToolInvoked')).toHaveLength(1);
  });

  it('reports to the conversation that called it while several overlap, whatever they share', async () => {
    const model = await (await providerOf(() => ({ text: 'inner done' }))).getModel('gpt-5.2');
    const ask = new Agent({ name: 'inner', model }).asTool({ toolName: 'ask_inner', toolDescription: 'Asks.' }) as unknown as FunctionTool;
    const context = { user: 'shared' };
    const reliability = createReliability();
    const lists = [
      reliableTools([ask]),
      reliableTools([ask]),
      reliableTools([ask], { reliability }),
      reliableTools([ask], { reliability }),
    ];
    const runs = lists.flatMap((list) => [list.startRun(), list.startRun()]);
    const invoked = async (run: AgentsRun, input: string): Promise<readonly unknown[]> => {
      const provider = await providerOf([{ calls: [{ name: 'ask_inner', arguments: { input } }] }, done]);
      const outer = new Agent({ name: 'outer', model: 'gpt-5.2', tools: run.tools });
      const runner = new Runner({ modelProvider: run.modelProvider(provider), tracingDisabled: true });
      await runner.run(outer, 'Go on.', { ...run.settings, context });
      const { events = [] } = run.agentRun.session as { readonly events?: readonly { readonly event_type: string }[] };
      return events.filter(({ event_type }) => event_type === 'ToolInvoked');
    };
    const all = await Promise.all(runs.map((run, index) => invoked(run, `question ${index}`)));
    expect(all.map((events) => events.length)).toEqual(runs.map(() => 1));
    expect(new Set(all.map((events) => JSON.stringify(events))).size).toBe(runs.length);
  });

  it('keeps the conversations of an earlier list of tools when it is wrapped again', async () => {
    const model = await (await providerOf(() => ({ text: 'inner done' }))).getModel('gpt-5.2');
    const ask = new Agent({ name: 'inner', model }).asTool({ toolName: 'ask_inner', toolDescription: 'Asks.' }) as unknown as FunctionTool;
    const first = reliableTools([ask]);
    const run = first.startRun();
    const second = reliableTools([ask]);
    const outer = new Agent({ name: 'outer', model: 'gpt-5.2', tools: run.tools });
    await new Runner({ modelProvider: await providerOf(script), tracingDisabled: true }).run(outer, 'Go on.', run.settings);
    expect(first.service.getToolMetrics('ask_inner')).toMatchObject({ totalExecutions: 1 });
    expect(second.service.getToolMetrics('ask_inner')?.totalExecutions ?? 0).toBe(0);
  });

  it('is wrapped once, by the last reliableTools that took it', async () => {
    const model = await (await providerOf(() => ({ text: 'inner done' }))).getModel('gpt-5.2');
    const ask = new Agent({ name: 'inner', model }).asTool({ toolName: 'ask_inner', toolDescription: 'Asks.' }) as unknown as FunctionTool;
    const first = reliableTools([ask]);
    const second = reliableTools([ask]);
    const run = second.startRun();
    const outer = new Agent({ name: 'outer', model: 'gpt-5.2', tools: run.tools });
    await new Runner({ modelProvider: await providerOf(script), tracingDisabled: true }).run(outer, 'Go on.', run.settings);
    expect(first.service.getToolMetrics('ask_inner')?.totalExecutions ?? 0).toBe(0);
    expect(second.service.getToolMetrics('ask_inner')).toMatchObject({ totalExecutions: 1 });
  });
});
