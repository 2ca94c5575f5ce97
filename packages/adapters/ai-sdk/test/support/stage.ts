/** One conversation with the real SDK and a scripted model. */
import type { TraceEvent } from '@holdfast/core';
import type { LoopSettings, ReliableOptions, ReliableTools } from '@holdfast/ai-sdk';
import { reliableTools } from '@holdfast/ai-sdk';
import type { ProviderDouble, ConversationScript } from '@holdfast/provider-double';
import { startProviderDouble } from '@holdfast/provider-double';
import type { LanguageModel, ToolSet } from 'ai';
import { onTestFinished } from 'vitest';
import type { Sdk } from './sdks.ts';

export interface Stage<Tools extends ToolSet> {
  readonly double: ProviderDouble;
  readonly events: readonly TraceEvent[];
  readonly reliable: ReliableTools<Tools>;
  readonly run: ReturnType<ReliableTools<Tools>['startRun']>;
  /** The options of every call. */
  readonly request: { readonly model: LanguageModel; readonly maxRetries: 0; readonly prompt: string } & LoopSettings<Tools>;
  /** The results that the model received in the request at this position. */
  readonly resultsIn: (request?: number) => readonly string[];
}

export async function stage<Tools extends ToolSet>(
  sdk: Sdk,
  tools: Tools,
  script: ConversationScript,
  options: ReliableOptions<keyof Tools & string> = {},
): Promise<Stage<Tools>> {
  const double = await startProviderDouble({ script });
  onTestFinished(() => double.close());
  const events: TraceEvent[] = [];
  const policy = { retry: { initialDelayMs: 1, maxDelayMs: 2 }, ...options.policy };
  const reliable = reliableTools(tools, { ...options, policy, run: { ...options.run, onEvent: (event) => void events.push(event) } });
  const provider = sdk.createOpenAI({ apiKey: 'key', baseURL: double.baseUrlFor('openai-chat', 'ai-sdk') });
  const run = reliable.startRun();
  const loop = run.loop({ stopWhen: sdk.stepCount(20) });
  return {
    double,
    events,
    reliable,
    run,
    request: { model: provider.chat('gpt-5.2'), maxRetries: 0, prompt: 'Go on.', ...loop },
    resultsIn: (request = -1) =>
      double.requests.at(request)?.neutral.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [],
  };
}

export const done = { text: 'All done.' };
export const never = (): Promise<never> => new Promise(() => undefined);
export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
