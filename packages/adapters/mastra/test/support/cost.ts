/** Mastra, to measure what the adapter costs. */
import { type CostCase, scriptedCalls, scriptedTool } from '@holdfast/adapter-kit/testing';
import { createOpenAI } from '@ai-sdk/openai';
import { reliableTools } from '@holdfast/mastra';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

// Otherwise every instance of Mastra reports itself to its maker.
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';

const { name, description, run } = scriptedTool;

const completion = (message: object, finish_reason: string): string =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-5.2',
    choices: [{ index: 0, message, finish_reason }],
  });

/** The model's answer to a request. */
function answerTo(body: unknown): string {
  const calls = scriptedCalls(String(body).split('"role":"tool"').length - 1);
  if (calls.length === 0) return completion({ role: 'assistant', content: 'Done.' }, 'stop');
  const tool_calls = calls.map(({ id, city }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify({ city }) } }));
  return completion({ role: 'assistant', content: null, tool_calls }, 'tool_calls');
}

const provider = createOpenAI({
  apiKey: 'key',
  fetch: (_url, init) => Promise.resolve(new Response(answerTo(init?.body), { headers: { 'content-type': 'application/json' } })),
});

export const costs: readonly CostCase[] = [
  {
    id: 'mastra',
    prepare(wrapped) {
      const tools = {
        [name]: createTool({ id: name, description, inputSchema: z.object({ city: z.string() }), execute: ({ city }) => run(city) }),
      };
      const reliable = reliableTools(tools);
      const agent = new Agent({
        id: 'agent',
        name: 'agent',
        instructions: 'Help.',
        model: provider.chat('gpt-5.2') as never,
        tools: wrapped ? reliable.tools : tools,
        maxRetries: 0,
      });
      if (!wrapped) return () => agent.generate('Go on.', { maxSteps: 5 });
      return () => {
        const started = reliable.startRun();
        return agent.generate('Go on.', { ...started.settings, ...started.loop({ maxSteps: 5 }) } as never);
      };
    },
  },
];
