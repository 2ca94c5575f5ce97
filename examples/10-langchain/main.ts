/** An agent of LangChain with tools that fail. The provider is a double on this machine. Run: npm start -w examples/10-langchain */
import assert from 'node:assert/strict';
import { reliableTools } from '@holdfast/langchain';
import { startProviderDouble } from '@holdfast/provider-double';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';

const schema = z.object({ query: z.string() });
const search = tool(() => new Promise<string>(() => {}), { name: 'search', description: 'Searches the web.', schema });
const archive = tool(({ query }) => `Two pages about ${query}.`, { name: 'archive', description: 'Searches old pages.', schema });
const tools = [search, archive];
const reliable = reliableTools(tools, { tools: { search: { effect: 'read', timeoutMs: 50, alternatives: ['archive'] } } });

const calls = [{ name: 'search', arguments: { query: 'rain' } }, { name: 'serach' }];
const provider = await startProviderDouble({ script: [{ calls }, { text: 'It rains.' }] });
const configuration = { baseURL: provider.baseUrlFor('openai-chat') };
const model = new ChatOpenAI({ model: 'gpt-5.2', apiKey: 'none', configuration });

const agent = createAgent({ model, tools, middleware: [reliable.middleware] });
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Does it rain?' }] });

assert.deepEqual([messages.at(-1)?.text, messages.at(-3)?.text], ['It rains.', 'Two pages about rain.']);
assert.match(messages.at(-2)?.text ?? '', /Did you mean 'search'/);
console.log(messages.slice(-3).map(({ text }) => text));
await provider.close();
