/** What LangGraph throws for control flow, and the caller's abort: never swallowed, never repeated, never a failure of the tool. */
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { Command, END, interrupt, MemorySaver, MessagesAnnotation, ParentCommand, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { createAgent, humanInTheLoopMiddleware } from 'langchain';
import { expect, test } from 'vitest';
import type { ReliabilityMiddleware } from '@holdfast/langchain';
import { call, done, stage } from './support/stage.ts';
import { asked, callId, cityTool, said, weather } from './support/tools.ts';

const thread = (): { readonly configurable: { readonly thread_id: string } } => ({ configurable: { thread_id: 'one' } });

test('a tool that interrupts: the question is passed on, the answer is received, the other result is kept', async () => {
  let runs = 0;
  const ask = cityTool('ask', (args) => {
    runs += 1;
    return `${args.city}: ${String(interrupt({ question: args.city }))}`;
  });
  const tools = [ask, weather()];
  const { model, reliable, events } = await stage({ tools, script: [{ calls: [call('ask'), call('get_weather')] }, done] });
  const agent = createAgent({ model, tools, middleware: [reliable.middleware], checkpointer: new MemorySaver() });
  const first = await agent.invoke(asked(), thread());
  expect(first).toMatchObject({ __interrupt__: [{ value: { question: 'Oslo' } }] });
  expect(runs).toBe(1);
  expect(reliable.service.getToolMetrics('ask')).toMatchObject({ errorCount: 0, attempts: { retryCount: 0 } });
  expect(events.map(({ event_type }) => event_type)).not.toContain('ToolError');
  const second = await agent.invoke(new Command({ resume: 'yes' }), thread());
  expect(said(second.messages).slice(2)).toEqual(['tool Oslo: yes', 'tool Rain in Oslo.', 'ai All done.']);
});

test('approval by a human: an edited call runs as edited', async () => {
  const tools = [weather()];
  const { model, reliable } = await stage({ tools, script: [{ calls: [call('get_weather')] }, done] });
  const approval = (humanInTheLoopMiddleware as (options: object) => unknown)({
    interruptOn: { get_weather: true },
  }) as ReliabilityMiddleware;
  const agent = createAgent({ model, tools, middleware: [reliable.middleware, approval], checkpointer: new MemorySaver() });
  await agent.invoke(asked(), thread());
  const edited = { type: 'edit' as const, editedAction: { name: 'get_weather', args: { city: 'Rome' } } };
  const { messages } = await agent.invoke(new Command({ resume: { decisions: [edited] } }), thread());
  expect(said(messages).slice(2)).toEqual(['tool Rain in Rome.', 'ai All done.']);
});

test('a Command is passed on unchanged', async () => {
  const note = cityTool(
    'note',
    (_args, config) => new Command({ update: { messages: [new ToolMessage({ content: 'noted', tool_call_id: callId(config) })] } }),
  );
  const { model, reliable, traced } = await stage({ tools: [note], script: [{ calls: [call('note')] }, done] });
  const agent = createAgent({ model, tools: [note], middleware: [reliable.middleware] });
  const { messages } = await agent.invoke(asked());
  expect(said(messages).slice(2)).toEqual(['tool noted', 'ai All done.']);
  expect(traced()).toContain('ToolSucceeded');
});

test.each(['returned', 'thrown'])('a Command to the parent graph, %s, is executed', async (how) => {
  let runs = 0;
  const leave = cityTool('leave', (_args, config) => {
    runs += 1;
    const messages = [new ToolMessage({ content: 'left', tool_call_id: callId(config) })];
    const command = new Command({ graph: Command.PARENT, goto: 'elsewhere', update: { messages } });
    if (how === 'returned') return command;
    throw new ParentCommand(command);
  });
  const { model, reliable } = await stage({ tools: [leave], script: [{ calls: [call('leave')] }, done] });
  const agent = createAgent({ model, tools: [leave], middleware: [reliable.middleware] });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('agent', agent.graph as never, { ends: ['elsewhere'] })
    .addNode('elsewhere', () => ({ messages: [new AIMessage('Elsewhere.')] }))
    .addEdge(START, 'agent')
    .addEdge('elsewhere', END)
    .compile();
  const { messages } = await graph.invoke(asked());
  expect(said(messages).at(-1)).toBe('ai Elsewhere.');
  expect(runs).toBe(1);
  expect(reliable.service.getToolMetrics('leave')).toMatchObject({ errorCount: 0 });
});

test('also in a custom graph: an interrupt is passed on and its answer received', async () => {
  const ask = cityTool('ask', (args) => `${args.city}: ${String(interrupt('sure?'))}`);
  const { reliable } = await stage({ tools: [ask], script: [] });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('tools', new ToolNode(reliable.tools))
    .addEdge(START, 'tools')
    .compile({ checkpointer: new MemorySaver() });
  const answer = new AIMessage({ content: '', tool_calls: [{ name: 'ask', id: 'call_1', args: { city: 'Oslo' } }] });
  const first = await graph.invoke({ messages: [answer] }, thread());
  expect(first).toMatchObject({ __interrupt__: [{ value: 'sure?' }] });
  const { messages } = await graph.invoke(new Command({ resume: 'yes' }), thread());
  expect(said(messages).at(-1)).toBe('tool Oslo: yes');
});

test('an abort by the caller rejects at once, and the model is not called again', async () => {
  const stuck = cityTool('stuck', () => new Promise(() => undefined));
  const { model, reliable, double } = await stage({ tools: [stuck], script: [{ calls: [call('stuck')] }, done] });
  const agent = createAgent({ model, tools: [stuck], middleware: [reliable.middleware] });
  const controller = new AbortController();
  reliable.service.subscribe(({ event_type }) => {
    if (event_type === 'AttemptStarted') controller.abort(new Error('No longer needed'));
  });
  await expect(agent.invoke(asked(), { signal: controller.signal })).rejects.toThrow(/No longer needed|Abort/i);
  expect(double.requests).toHaveLength(1);
  expect(reliable.service.getToolMetrics('stuck')).toMatchObject({ cancelledCount: 1, errorCount: 0 });
});

test('a reason that is no error becomes one, as LangChain throws it', async () => {
  const stuck = cityTool('stuck', () => new Promise(() => undefined));
  for (const [reason, message] of [
    ['no longer needed', /^no longer needed$/],
    [{ why: 'later' }, /^Aborted$/],
  ] as const) {
    const { model, reliable } = await stage({ tools: [stuck], script: [{ calls: [call('stuck')] }, done] });
    const agent = createAgent({ model, tools: [stuck], middleware: [reliable.middleware] });
    const controller = new AbortController();
    reliable.service.subscribe(({ event_type }) => {
      if (event_type === 'AttemptStarted') controller.abort(reason);
    });
    await expect(agent.invoke(asked(), { signal: controller.signal })).rejects.toThrow(message);
  }
});
