/** The AI SDK, to measure what the adapter costs. */
import { type CostCase, scriptedCalls, scriptedTool } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/ai-sdk';
import { generateText, isStepCount, type LanguageModel, tool } from 'ai';
import { z } from 'zod';

const { name, description, run } = scriptedTool;

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const model = {
  specificationVersion: 'v4',
  provider: 'scripted',
  modelId: 'scripted',
  supportedUrls: {},
  doGenerate({ prompt }: { readonly prompt: readonly { readonly role: string; readonly content: unknown }[] }) {
    const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? (content as readonly unknown[]) : [])).length;
    const calls = scriptedCalls(results).map(({ id, city }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: JSON.stringify({ city }),
    }));
    return Promise.resolve(
      calls.length === 0
        ? { content: [{ type: 'text', text: 'Done.' }], finishReason: { unified: 'stop' }, usage, warnings: [] }
        : { content: calls, finishReason: { unified: 'tool-calls' }, usage, warnings: [] },
    );
  },
} as unknown as LanguageModel;

export const costs: readonly CostCase[] = [
  {
    id: 'ai-sdk',
    prepare(wrapped) {
      const tools = { [name]: tool({ description, inputSchema: z.object({ city: z.string() }), execute: ({ city }) => run(city) }) };
      const stopWhen = isStepCount(5);
      if (!wrapped) return () => generateText({ model, prompt: 'Go on.', tools, stopWhen });
      const reliable = reliableTools(tools);
      return () => {
        const started = reliable.startRun();
        return generateText({ model, prompt: 'Go on.', ...started.settings, ...started.loop({ stopWhen }) });
      };
    },
  },
];
