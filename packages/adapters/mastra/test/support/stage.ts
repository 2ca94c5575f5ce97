/** One conversation with a real agent and a scripted model. */
import { createOpenAI } from '@ai-sdk/openai';
import type { TraceEvent } from '@holdfast/core';
import { type MastraRun, type ReliableOptions, type ReliableTools, reliableTools } from '@holdfast/mastra';
import type { ConversationScript } from '@holdfast/provider-double';
import { startProviderDouble } from '@holdfast/provider-double';
import { Agent, type ToolsInput } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { onTestFinished } from 'vitest';

// Otherwise every instance reports itself to its maker.
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';

export interface Scene {
  readonly agent: Agent;
  readonly mastra: Mastra;
  /** The results that the model received in its last request. */
  readonly results: () => readonly string[];
  readonly requests: () => number;
}

/** An agent with these tools as they are. */
export async function scene(tools: ToolsInput, script: ConversationScript, settings: object = {}): Promise<Scene> {
  const double = await startProviderDouble({ script });
  onTestFinished(() => double.close());
  const model = createOpenAI({ apiKey: 'key', baseURL: double.baseUrlFor('openai-chat', 'ai-sdk') }).chat('gpt-5.2') as never;
  const agent = new Agent({ id: 'agent', name: 'agent', instructions: 'Help.', model, tools, maxRetries: 0, ...settings });
  const mastra = new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  return {
    agent: mastra.getAgent('agent') as Agent,
    mastra,
    results: () => double.requests.at(-1)?.neutral.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [],
    requests: () => double.requests.length,
  };
}

export interface Stage<Tools extends ToolsInput> extends Scene {
  readonly events: readonly TraceEvent[];
  readonly reliable: ReliableTools<Tools>;
  readonly run: MastraRun;
}

/** An agent with these tools, wrapped. */
export async function stage<Tools extends ToolsInput>(
  tools: Tools,
  script: ConversationScript,
  options: ReliableOptions<keyof Tools & string> = {},
  settings: object = {},
): Promise<Stage<Tools>> {
  const events: TraceEvent[] = [];
  const policy = { retry: { initialDelayMs: 1, maxDelayMs: 2 }, ...options.policy };
  const reliable = reliableTools(tools, { ...options, policy, run: { ...options.run, onEvent: (event) => void events.push(event) } });
  return { ...(await scene(reliable.tools, script, settings)), events, reliable, run: reliable.startRun() };
}

export const done = { text: 'All done.' };
export const never = (): Promise<never> => new Promise(() => undefined);
export const call = (name: string, city = 'Oslo'): { readonly name: string; readonly arguments: { readonly city: string } } => ({
  name,
  arguments: { city },
});
