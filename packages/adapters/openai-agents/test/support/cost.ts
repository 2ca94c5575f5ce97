/** The OpenAI Agents SDK, to measure what the adapter costs. */
import { type CostCase, type WeatherCall, scriptedCalls, scriptedTool } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/openai-agents';
import { Agent, type Model, type ModelProvider, type ModelResponse, Runner, tool, Usage } from '@openai/agents';
import { z } from 'zod';

const { name, description, run } = scriptedTool;

const answer = (calls: readonly WeatherCall[]): ModelResponse => ({
  usage: new Usage(),
  output: calls.map(({ id, city }) => ({
    type: 'function_call',
    id: `fc_${id}`,
    callId: id,
    name,
    status: 'completed',
    arguments: JSON.stringify({ city }),
  })),
});

const end = (): ModelResponse => ({
  usage: new Usage(),
  output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Done.' }] }],
});

const model: Model = {
  getResponse({ input }) {
    const results = Array.isArray(input) ? input.filter(({ type }) => type === 'function_call_result').length : 0;
    const calls = scriptedCalls(results);
    return Promise.resolve(calls.length === 0 ? end() : answer(calls));
  },
  getStreamedResponse: () => {
    throw new Error('not streamed');
  },
};

const options = {
  name,
  description,
  parameters: z.object({ city: z.string() }),
  execute: ({ city }: { readonly city: string }) => run(city),
};

export const costs: readonly CostCase[] = [
  {
    id: 'openai-agents',
    prepare(wrapped) {
      const provider: ModelProvider = { getModel: () => Promise.resolve(model) };
      if (!wrapped) {
        const runner = new Runner({ modelProvider: provider, tracingDisabled: true });
        const agent = new Agent({ name: 'Agent', tools: [tool(options)] });
        return () => runner.run(agent, 'Go on.');
      }
      const reliable = reliableTools([options]);
      return () => {
        const started = reliable.startRun();
        const runner = new Runner({ modelProvider: started.modelProvider(provider), tracingDisabled: true });
        return runner.run(new Agent({ name: 'Agent', tools: started.tools }), 'Go on.', started.settings);
      };
    },
  },
];
