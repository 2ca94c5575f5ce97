/** A Mastra agent with tools that fail. The provider is a double on this machine. Run: npm start -w examples/17-mastra */
import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import { reliableTools } from '@holdfast/mastra';
import { startProviderDouble } from '@holdfast/provider-double';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

const shared = { description: 'Weather', inputSchema: z.object({ city: z.string() }) };
const failure = (status: number) => Object.assign(new Error('Service unavailable'), { status });
let runs = 0;
const execute = async ({ city }: { city: string }) => (++runs === 1 ? Promise.reject(failure(503)) : `Rain in ${city}.`);
const forecast = createTool({ id: 'forecast', ...shared, execute });
const radar = createTool({ id: 'radar', ...shared, execute: () => new Promise<string>(() => {}) });
const settings = { radar: { effect: 'read', timeoutMs: 50, alternatives: ['forecast'] } } as const;
const { tools } = reliableTools({ forecast, radar }, { tools: settings });

const calls = ['forecast', 'radar'].map((name) => ({ name, arguments: { city: 'Oslo' } }));
const provider = await startProviderDouble({ script: [{ calls }, { text: 'It rains.' }] });
const model = createOpenAI({ apiKey: 'none', baseURL: provider.baseUrlFor('openai-chat') }).chat('gpt-5.2') as never;
const agent = new Agent({ id: 'guide', name: 'Guide', instructions: 'Help.', model, tools });
const { text } = await agent.generate('Does it rain?');
const results = provider.requests.at(-1)?.neutral.messages.flatMap((message) => message.results.map((result) => result.text));
assert.deepEqual([text, results], ['It rains.', ['Rain in Oslo.', 'Rain in Oslo.']]);
await provider.close();
console.log(text, results);
