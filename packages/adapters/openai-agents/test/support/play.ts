/** Plays conversations with the real SDK over Responses, with a provider double. */
import { startProviderDouble } from '@holdfast/provider-double';
import type { ProviderDouble, RecordedRequest, ConversationScript, ScriptedTurn } from '@holdfast/provider-double';
import type { AgentsRun } from '@holdfast/openai-agents';
import { Agent, OpenAIProvider, Runner } from '@openai/agents';
import OpenAI from 'openai';
import { afterEach } from 'vitest';
import { z } from 'zod';

let double: ProviderDouble | undefined;
afterEach(() => double?.close());

export const quick = { policy: { retry: { initialDelayMs: 1, maxDelayMs: 2, maxAttempts: 3 } } } as const;
export const city: z.ZodObject<{ city: z.ZodString }> = z.object({ city: z.string() });
export const calls = (...names: readonly string[]): ScriptedTurn => ({
  calls: names.map((name) => ({ name, arguments: { city: 'Oslo' } })),
});
export const done: ScriptedTurn = { text: 'All done.' };

export async function start(script: ConversationScript): Promise<OpenAIProvider> {
  await double?.close();
  double = await startProviderDouble({ script });
  const openAIClient = new OpenAI({ apiKey: 'key', baseURL: double.baseUrlFor('openai-responses'), maxRetries: 0 });
  return new OpenAIProvider({ openAIClient: openAIClient as never, useResponses: true });
}

export const runnerOf = (run: AgentsRun, provider: OpenAIProvider): Runner =>
  new Runner({ modelProvider: run.modelProvider(provider), tracingDisabled: true });

export const agentOf = (run: AgentsRun): Agent => new Agent({ name: 'Agent', model: 'gpt-5.2', tools: run.tools });

/** The requests to the provider. */
export const requests = (): readonly RecordedRequest[] => double?.requests ?? [];

export const lastBody = (): string => JSON.stringify(requests().at(-1)?.body);

export const resultTexts = (): readonly string[] =>
  requests()
    .at(-1)
    ?.neutral.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [];

export async function play(run: AgentsRun, script: ConversationScript, settings: object = {}): Promise<string | undefined> {
  const provider = await start(script);
  const result = await runnerOf(run, provider).run(agentOf(run), 'Go on.', { ...run.settings, ...settings });
  return result.finalOutput;
}

export const hang = (): Promise<never> => new Promise(() => undefined);
