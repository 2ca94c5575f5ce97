/** A whole request has a model, and at Anthropic a limit of tokens. */
import { expect, it } from 'vitest';
import { startProviderDouble } from '@holdfast/provider-double';

const user = [{ role: 'user', content: 'go' }];

/** Messages as in https://github.com/danielmiessler/Fabric/issues/239 and https://github.com/tickernelz/opencode-mem/issues/50. */
const refused = [
  ['openai-chat', '/chat/completions', { messages: user }, 'you must provide a model parameter'],
  ['openai-chat', '/chat/completions', { model: '', messages: user }, 'you must provide a model parameter'],
  ['anthropic-messages', '/v1/messages', { max_tokens: 9, messages: user }, 'model: Field required'],
  ['anthropic-messages', '/v1/messages', { model: 'claude-opus-4-8', messages: user }, 'max_tokens: Field required'],
] as const;

const accepted = [
  ['openai-chat', '/chat/completions', { model: 'gpt-5.2', messages: user }],
  ['openai-responses', '/responses', { input: 'go' }],
  ['anthropic-messages', '/v1/messages', { model: 'claude-opus-4-8', max_tokens: 9, messages: user }],
] as const;

async function ask(format: (typeof accepted)[number][0], path: string, body: object) {
  await using stack = new AsyncDisposableStack();
  const double = await startProviderDouble({ script: [{ text: 'Hi' }] });
  stack.defer(() => double.close());
  const response = await fetch(`${double.baseUrlFor(format)}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as { error?: { message?: string } }, request: double.requests[0] };
}

it.each(refused)('%s %s %j is refused', async (format, path, body, message) => {
  const answer = await ask(format, path, body);
  expect(answer.status).toBe(400);
  expect(answer.body.error?.message).toBe(message);
  expect(answer.request?.refused?.problems[0]?.rule).toBe('required-field');
});

it.each(accepted)('%s %s %j is accepted', async (format, path, body) => {
  expect((await ask(format, path, body)).status).toBe(200);
});
