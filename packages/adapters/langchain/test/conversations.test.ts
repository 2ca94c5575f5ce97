/** One middleware serves all conversations concurrently: the state of one does not affect another. */
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { MemorySaver } from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { expect, test } from 'vitest';
import { call, done, stage } from './support/stage.ts';
import { asked, cityTool, said } from './support/tools.ts';

const notFound = () =>
  cityTool('find', () => {
    throw Object.assign(new Error('No such city'), { status: 404 });
  });

/** Calls endlessly if asked for Atlantis, otherwise once. */
const script = ((request: { readonly messages: readonly { readonly text: string; readonly results: readonly unknown[] }[] }) => {
  const last = request.messages.findLast(({ text }) => text.endsWith('?'))?.text ?? '';
  return last.startsWith('Atlantis') || request.messages.at(-1)?.results.length === 0 ? { calls: [call('find', { city: last })] } : done;
}) as never;

const ended = (messages: Parameters<typeof said>[0]): string => said(messages).at(-1) ?? '';

test('one conversation is stopped, concurrent ones are not', async () => {
  const tools = [notFound()];
  const { model, reliable } = await stage({ tools, script });
  const agent = createAgent({ model, tools, middleware: [reliable.middleware] });
  const asks = ['Atlantis?', 'Oslo?', 'Atlantis?', 'Rome?'];
  const states = await Promise.all(asks.map((question) => agent.invoke(asked(question), { recursionLimit: 40 })));
  expect(states.map(({ messages }) => ended(messages).slice(0, 12))).toEqual(
    ['ai Stopped: t', 'ai All done.', 'ai Stopped: t', 'ai All done.'].map((text) => text.slice(0, 12)),
  );
});

test('the same failing call is counted over the steps of one conversation, not over several', async () => {
  const tools = [notFound()];
  const { model, reliable } = await stage({ tools, script });
  const agent = createAgent({ model, tools, middleware: [reliable.middleware] });
  for (let conversation = 0; conversation < 5; conversation++) {
    const { messages } = await agent.invoke(asked('Oslo?'));
    expect(said(messages)[2]).not.toMatch(/has failed/);
  }
  expect(reliable.service.getToolMetrics('find')).toMatchObject({ totalExecutions: 5 });
});

test('in a stopped thread, the next message of the user resets the counts', async () => {
  const tools = [notFound()];
  const { model, reliable } = await stage({ tools, script });
  const agent = createAgent({ model, tools, middleware: [reliable.middleware], checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: 'one' }, recursionLimit: 40 };
  expect(ended((await agent.invoke(asked('Atlantis?'), config)).messages)).toMatch(/^ai Stopped/);
  expect(ended((await agent.invoke(asked('Oslo?'), config)).messages)).toBe('ai All done.');
});

test('a run is found by the answers it has seen, until the user writes or nothing is called', async () => {
  const { reliable } = await stage({ tools: [notFound()], script });
  const answer = (id: string) => new AIMessage({ content: '', tool_calls: [{ name: 'find', args: {}, id }] });
  const [first, second, third] = [answer('a'), answer('b'), answer('c')];
  const start = new HumanMessage('Oslo?');
  const run = reliable.runOf([start, first]);
  expect(reliable.runOf([start, first, second])).toBe(run);
  // The first is gone, for example replaced by a summary.
  expect(reliable.runOf([second, third])).toBe(run);
  expect(reliable.runOf([start, first, second, new HumanMessage('And Rome?')])).not.toBe(run);
  expect(reliable.runOf([start, first, second, new AIMessage('It is sunny.')])).not.toBe(run);
  expect(reliable.runOf([start, answer('a')])).not.toBe(run);
  expect(reliable.runOf([])).not.toBe(reliable.runOf([]));
});

test('an explicit run is the same for any messages', async () => {
  const tools = [notFound()];
  const { model, reliable } = await stage({ tools, script });
  const run = reliable.startRun();
  expect(run.runOf([])).toBe(run.agentRun);
  const agent = createAgent({ model, tools, middleware: [run.middleware] });
  for (let turn = 0; turn < 3; turn++) await agent.invoke(asked('Oslo?'));
  const { messages } = await agent.invoke(asked('Oslo?'));
  expect(said(messages)[2]).toMatch(/^tool! Error REPEATED_FAILURE/);
  expect(run.stopped).toBeUndefined();
});
