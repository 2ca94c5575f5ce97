/** LangChain and LangGraph, to measure what the adapter costs. */
import { type CostCase, scriptedCalls, scriptedTool } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/langchain';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { createAgent } from 'langchain';
import { z } from 'zod';

const { name, description, run } = scriptedTool;

class ScriptedModel extends BaseChatModel {
  constructor() {
    super({});
  }

  _llmType(): string {
    return 'scripted';
  }

  override bindTools(): never {
    return this as never;
  }

  _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const calls = scriptedCalls(messages.filter(({ type }) => type === 'tool').length);
    const tool_calls = calls.map(({ id, city }) => ({ type: 'tool_call' as const, id, name, args: { city } }));
    const message = calls.length === 0 ? new AIMessage('Done.') : new AIMessage({ content: '', tool_calls });
    return Promise.resolve({ generations: [{ text: '', message }] });
  }
}

const weather = (): StructuredToolInterface =>
  tool(({ city }: { readonly city: string }) => run(city), {
    name,
    description,
    schema: z.object({ city: z.string() }),
  }) as unknown as StructuredToolInterface;

const question = (): { messages: BaseMessage[] } => ({ messages: [new HumanMessage('Go on.')] });

export const costs: readonly CostCase[] = [
  {
    id: 'langchain-create-agent',
    prepare(wrapped) {
      const tools = [weather()];
      const agent = createAgent({ model: new ScriptedModel(), tools, middleware: wrapped ? [reliableTools(tools).middleware] : [] });
      return () => agent.invoke(question());
    },
  },
  {
    id: 'langgraph-tool-node',
    prepare(wrapped) {
      const given = [weather()];
      const reliable = reliableTools(given);
      const tools = wrapped ? reliable.tools : given;
      const model = new ScriptedModel();
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('model', async ({ messages }) => {
          const sent = wrapped ? reliable.repair(messages) : messages;
          const answer = (await model.invoke(sent)) as AIMessage;
          return { messages: [wrapped ? reliable.readCalls(answer) : answer] };
        })
        .addNode('tools', new ToolNode(tools))
        .addEdge(START, 'model')
        .addConditionalEdges('model', toolsCondition)
        .addConditionalEdges('tools', ({ messages }) => (wrapped && reliable.runOf(messages).stopped ? END : 'model'))
        .compile();
      return () => graph.invoke(question());
    },
  },
];
