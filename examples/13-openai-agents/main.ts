/** An agent of the OpenAI Agents SDK, with tools that fail. The provider is a double on this machine. Run: npm start -w examples/13-openai-agents */
import assert from 'node:assert/strict';
import { reliableTools } from '@holdfast/openai-agents';
import { startProviderDouble } from '@holdfast/provider-double';
import { Agent, OpenAIProvider, Runner } from '@openai/agents';
import { z } from 'zod';

const shape = { description: 'Finds pages.', parameters: z.object({ query: z.string() }) };
const search = { ...shape, name: 'search', execute: () => new Promise(() => {}) };
const archive = { ...shape, name: 'archive', execute: ({ query }: { query: string }) => `Two pages about ${query}.` };
const tools = reliableTools([search, archive], { tools: { search: { effect: 'read', timeoutMs: 50, alternatives: ['archive'] } } });

const calls = [{ name: 'search', arguments: "{'query': 'rain'}" }, { name: 'serach' }, { name: 'archive', arguments: { qurey: 'rain' } }];
const double = await startProviderDouble({ script: [{ calls }, { text: 'It rains.' }] });
const provider = new OpenAIProvider({ apiKey: 'none', baseURL: double.baseUrlFor('openai-responses') });

const run = tools.startRun();
const agent = new Agent({ name: 'Guide', model: 'gpt-5.2', tools: run.tools });
const runner = new Runner({ modelProvider: run.modelProvider(provider), tracingDisabled: true });
const { finalOutput, history } = await runner.run(agent, 'Does it rain?', run.settings);

const [searched, found, unknown] = history.flatMap((item) => (item.type === 'function_call_result' ? [JSON.stringify(item.output)] : []));
assert.equal(finalOutput, 'It rains.');
assert.match(searched ?? '', /Two pages about rain/);
assert.match(`${found}${unknown}`, /query.*Did you mean 'search'/);
console.log(finalOutput, searched, found, unknown);
await double.close();
