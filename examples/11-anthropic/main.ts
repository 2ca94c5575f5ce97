/** A loop of one's own over Messages, with tools that fail. The provider is a double on this machine. Run: npm start -w examples/11-anthropic */
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { reliableTools } from '@holdfast/anthropic';
import { startProviderDouble } from '@holdfast/provider-double';

const input_schema = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] } as const;
const search = { name: 'search', input_schema, run: () => new Promise(() => {}) };
const archive = { name: 'archive', input_schema, run: ({ query }: { query: string }) => `Two pages about ${query}.` };
const tools = reliableTools([search, archive], { tools: { search: { effect: 'read', timeoutMs: 50, alternatives: ['archive'] } } });

const calls = ['search', 'archive'].map((name) => ({ name, arguments: { [name === 'search' ? 'query' : 'qurey']: 'rain' } }));
const provider = await startProviderDouble({ script: [{ calls }, { text: 'It rains.' }] });
const client = new Anthropic({ apiKey: 'none', baseURL: provider.baseUrlFor('anthropic-messages') });

const run = tools.startRun();
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Does it rain?' }];
while (!run.stopped) {
  const request = { model: 'claude-opus-4-8', max_tokens: 1_024, messages: run.repair(messages), tools: run.definitions };
  const message = await client.messages.create(request);
  messages.push({ role: 'assistant', content: message.content });
  const results = await run.answer(message);
  if (!results) break;
  messages.push(results);
}
assert.match(JSON.stringify(messages[2]), /Two pages about rain\..*'query' missing \(you sent 'qurey'\).*"is_error":true/);
console.log(JSON.stringify(messages.slice(-2), null, 1));
await provider.close();
