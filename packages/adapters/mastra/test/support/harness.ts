/** Mastra as played by the contract: an `Agent` with the provider of the AI SDK, with `generate` and, for streaming, `stream`. */
import { createOpenAI } from '@ai-sdk/openai';
import type { AdapterHarness, Conversation, HistoryMessage, PlayResult } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/mastra';
import { Agent, type ToolsInput } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

// Otherwise every instance of Mastra reports itself to its maker.
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';

function messageOf(message: HistoryMessage): unknown {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'tool') {
    const { callId, toolName, text } = message;
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId: callId, toolName, output: { type: 'text', value: text } }] };
  }
  const calls = (message.calls ?? []).map(({ id, name, arguments: input }) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input,
  }));
  return { role: 'assistant', content: [...(message.text === '' ? [] : [{ type: 'text', text: message.text }]), ...calls] };
}

async function play(conversation: Conversation): Promise<PlayResult> {
  const { baseUrl, history, prompt, signal, maxAnswers, streaming, wrapped } = conversation;
  const tools: ToolsInput = Object.fromEntries(
    conversation.tools.map(({ name, description, schema, run }) => [
      name,
      createTool({
        id: name,
        description,
        inputSchema: z.fromJSONSchema(schema),
        execute: async (input, { abortSignal }) => run(input as never, abortSignal),
      }),
    ]),
  );
  const reliable = wrapped ? reliableTools(tools, conversation.options) : undefined;
  const run = reliable?.startRun();
  const agent = new Agent({
    id: 'agent',
    name: 'agent',
    instructions: 'Help.',
    model: createOpenAI({ apiKey: 'key', baseURL: baseUrl }).chat('gpt-5.2') as never,
    tools: reliable?.tools ?? tools,
    maxRetries: 0,
  });
  const given = [...history.map(messageOf), { role: 'user', content: prompt }];
  const messages = (run ? run.repair(given) : given) as Parameters<Agent['generate']>[0];
  const limit = { maxSteps: maxAnswers };
  // Mastra's own default is ten.
  const concurrency = { toolCallConcurrency: 100 };
  const options = {
    ...concurrency,
    ...(signal ? { abortSignal: signal } : {}),
    ...(run ? { ...run.settings, ...run.loop(limit) } : limit),
  };
  const output = streaming ? await (await agent.stream(messages, options)).getFullOutput() : await agent.generate(messages, options);
  if (output.error) throw output.error;
  // `output.text` joins the texts of all steps.
  return { text: output.steps.at(-1)?.text ?? '', stopped: run?.stopped };
}

export const harnesses: readonly AdapterHarness[] = [
  {
    id: 'mastra',
    framework: '@mastra/core 1.71.0, Agent',
    adapter: '@holdfast/mastra',
    format: 'openai-chat',
    client: 'ai-sdk',
    lacks: {
      raw_arguments: 'Mastra parses arguments itself.',
      invalid_arguments: 'Mastra validates arguments before it calls the tool.',
      unknown_tools: 'Mastra answers calls of unknown tools itself.',
      truncation: 'Mastra does not pass on why an answer ended.',
    },
    play,
  },
];
