/** An agent with a provider double and a scripted model, and the outcome of a conversation. */
import type { LangChainOptions, ReliableTools } from '@holdfast/langchain';
import { reliableTools } from '@holdfast/langchain';
import type { ProviderDouble, ConversationScript } from '@holdfast/provider-double';
import { startProviderDouble } from '@holdfast/provider-double';
import { ChatOpenAI } from '@langchain/openai';
import type { StructuredToolInterface } from '@langchain/core/tools';
import type { TraceEvent } from '@holdfast/core';
import { onTestFinished } from 'vitest';

export interface Stage {
  readonly double: ProviderDouble;
  readonly model: ChatOpenAI;
  readonly reliable: ReliableTools<StructuredToolInterface>;
  readonly events: readonly TraceEvent[];
  /** The types of the events, once each. */
  readonly traced: () => ReadonlySet<string>;
}

export interface StageOptions {
  readonly script: ConversationScript;
  readonly tools: readonly unknown[];
  readonly options?: LangChainOptions;
  readonly streaming?: boolean;
  readonly useResponsesApi?: boolean;
}

export async function stage({ script, tools, options = {}, streaming = false, useResponsesApi = false }: StageOptions): Promise<Stage> {
  const double = await startProviderDouble({ script });
  onTestFinished(() => double.close());
  const model = new ChatOpenAI({
    model: 'gpt-5.2',
    apiKey: 'key',
    configuration: { baseURL: double.baseUrlFor(useResponsesApi ? 'openai-responses' : 'openai-chat') },
    maxRetries: 0,
    streaming,
    useResponsesApi,
  });
  const events: TraceEvent[] = [];
  const reliable = reliableTools(tools as readonly StructuredToolInterface[], {
    seed: 'langchain',
    policy: { timeoutMs: 2_000, retry: { initialDelayMs: 1, maxDelayMs: 2 } },
    ...options,
    run: { ...options.run, onEvent: (event) => void events.push(event) },
  });
  return { double, model, reliable, events, traced: () => new Set(events.map(({ event_type }) => event_type)) };
}

export const call = (name: string, args: unknown = { city: 'Oslo' }): { readonly name: string; readonly arguments: never } => ({
  name,
  arguments: args as never,
});

export const done = { text: 'All done.' };
