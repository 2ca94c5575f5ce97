/** A client with a provider double, closed after each test. */
import Anthropic from '@anthropic-ai/sdk';
import type { ProviderDouble, ConversationScript } from '@holdfast/provider-double';
import { startProviderDouble } from '@holdfast/provider-double';
import { onTestFinished } from 'vitest';

export const base = { model: 'claude-opus-4-8', max_tokens: 1_024 };
export const question: Anthropic.MessageParam = { role: 'user', content: 'Go on.' };

export async function play(script: ConversationScript): Promise<{ readonly client: Anthropic; readonly double: ProviderDouble }> {
  const double = await startProviderDouble({ script });
  onTestFinished(() => double.close());
  return { double, client: new Anthropic({ apiKey: 'key', baseURL: double.baseUrlFor('anthropic-messages'), maxRetries: 0 }) };
}

/** An answer with calls, in the format of the API. */
export const answerWith = (blocks: readonly unknown[], stop_reason: Anthropic.StopReason = 'tool_use'): Anthropic.Message =>
  ({ id: 'msg_1', type: 'message', role: 'assistant', content: blocks, stop_reason }) as unknown as Anthropic.Message;

export const use = (name: string, input: unknown, id = `toolu_${name}`): unknown => ({ type: 'tool_use', id, name, input });
