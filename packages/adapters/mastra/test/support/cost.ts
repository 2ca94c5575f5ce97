/** Mastra, to measure what the adapter costs. */
import { type CostCase, scriptedFetch, scriptedTool } from '@holdfast/adapter-kit/testing';
import { createOpenAI } from '@ai-sdk/openai';
import { reliableTools } from '@holdfast/mastra';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

// Otherwise every instance of Mastra reports itself to its maker.
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';

const { name, description, run } = scriptedTool;

const provider = createOpenAI({
  apiKey: 'key',
  fetch: scriptedFetch,
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
