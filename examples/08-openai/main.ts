/** A loop of one's own over Chat Completions, with tools that fail. The provider is a double on this machine. Run: npm start -w examples/08-openai */
import assert from 'node:assert/strict';
import { reliableTools } from '@holdfast/openai';
import { startProviderDouble } from '@holdfast/provider-double';
import OpenAI from 'openai';

const parameters = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };
const search = { name: 'search', parameters, run: () => new Promise(() => {}) };
const archive = { name: 'archive', parameters, run: ({ query }: { query: string }) => `Two pages about ${query}.` };
const tools = reliableTools([search, archive], { tools: { search: { effect: 'read', timeoutMs: 50, alternatives: ['archive'] } } });

const calls = [{ name: 'search', arguments: "{'query': 'rain'}" }, { name: 'serach' }];
const provider = await startProviderDouble({ script: [{ calls }, { text: 'It rains.' }] });
const client = new OpenAI({ apiKey: 'none', baseURL: provider.baseUrlFor('openai-chat') });

const run = tools.startRun();
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Does it rain?' }];
while (!run.stopped) {
  const request = { model: 'gpt-5.2', messages: run.repairChat(messages), tools: run.chatTools };
  const completion = await client.chat.completions.create(request);
  messages.push(completion.choices[0]!.message);
  if (completion.choices[0]!.finish_reason !== 'tool_calls') break;
  messages.push(...(await run.answerChat(completion)));
}
assert.deepEqual([messages.at(-1)?.content, messages.at(-3)?.content], ['It rains.', 'Two pages about rain.']);
assert.match(JSON.stringify(messages.at(-2)), /Did you mean 'search'/);
console.log(messages.slice(-3).map(({ content }) => content));
await provider.close();
