/** `generateText` with tools that fail. The provider is a double on this machine. Run: npm start -w examples/09-ai-sdk */
import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import { reliableTools } from '@holdfast/ai-sdk';
import { startProviderDouble } from '@holdfast/provider-double';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';

const inputSchema = z.object({ query: z.string() });
const search = tool({ inputSchema, execute: () => new Promise<string>(() => {}) });
const archive = tool({ inputSchema, execute: ({ query }) => `Two pages about ${query}.` });
const tools = reliableTools({ search, archive }, { tools: { search: { effect: 'read', timeoutMs: 50, alternatives: ['archive'] } } });

const calls = [{ name: 'search', arguments: "{'query': 'rain'}" }, { name: 'serach' }];
const provider = await startProviderDouble({ script: [{ calls }, { text: 'It rains.' }] });
const openai = createOpenAI({ apiKey: 'none', baseURL: provider.baseUrlFor('openai-chat', 'ai-sdk') });

const run = tools.startRun();
const loop = run.loop({ stopWhen: isStepCount(20) });
const { text, steps } = await generateText({ model: openai.chat('gpt-5.2'), prompt: 'Does it rain?', ...run.settings, ...loop });

assert.equal(text, 'It rains.');
assert.equal(steps[0]?.toolResults.find(({ toolName }) => toolName === 'search')?.output, 'Two pages about rain.');
const told = provider.requests.at(-1)?.neutral.messages.flatMap(({ results }) => results.map((result) => result.text));
assert.match(String(told?.[1]), /Did you mean 'search'/);
console.log(told);
await provider.close();
