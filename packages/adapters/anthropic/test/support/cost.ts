/** The Anthropic SDK, to measure what the adapter costs. */
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { type CostCase, scriptedCalls, scriptedTool } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/anthropic';

const { name, description, schema, run } = scriptedTool;

const message = (content: readonly unknown[], stop_reason: string): string =>
  JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-4-8', content, stop_reason, usage: {} });

/** The model's answer to a request. The runner sends only the latest results, so the last id tells how many there were. */
function answerTo(body: unknown): string {
  const [, last] = [...String(body).matchAll(/"tool_use_id":"call_(\d+)"/g)].at(-1) ?? [];
  const calls = scriptedCalls(last === undefined ? 0 : Number(last) + 1);
  if (calls.length === 0) return message([{ type: 'text', text: 'Done.' }], 'end_turn');
  return message(
    calls.map(({ id, city }) => ({ type: 'tool_use', id, name, input: { city } })),
    'tool_use',
  );
}

const client = new Anthropic({
  apiKey: 'key',
  maxRetries: 0,
  fetch: (_url, init) => Promise.resolve(new Response(answerTo(init?.body), { headers: { 'content-type': 'application/json' } })),
});

const weather = betaTool({
  name,
  description,
  inputSchema: schema as never,
  run: ({ city }: { readonly city: string }) => run(city),
} as never);

const body = { model: 'claude-opus-4-8', max_tokens: 4_096 };
const messages = (): Anthropic.Beta.BetaMessageParam[] => [{ role: 'user', content: 'Go on.' }];

export const costs: readonly CostCase[] = [
  {
    id: 'anthropic-tool-runner',
    prepare(wrapped) {
      if (!wrapped) return async () => await client.beta.messages.toolRunner({ ...body, messages: messages(), tools: [weather] as never });
      const reliable = reliableTools([weather] as never);
      return async () => {
        const started = reliable.startRun();
        return await client.beta.messages.toolRunner({
          ...body,
          messages: started.repair(messages() as never) as never,
          tools: started.tools as never,
        });
      };
    },
  },
];
