/** A loop of one's own over Converse, with tools that fail. The provider is a double on this machine. Run: npm start -w examples/16-bedrock */
import assert from 'node:assert/strict';
import { BedrockRuntimeClient, ConverseCommand, type Message } from '@aws-sdk/client-bedrock-runtime';
import { reliableTools, tool, type BedrockRun } from '@holdfast/bedrock';
import { startProviderDouble } from '@holdfast/provider-double';
import { NodeHttpHandler } from '@smithy/node-http-handler';

const inputSchema = { json: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] } } as const;
const search = tool({ toolSpec: { name: 'search', inputSchema }, run: () => new Promise(() => {}) });
const archive = tool({ toolSpec: { name: 'archive', inputSchema }, run: ({ query }) => `Two pages about ${query}.` });
const { startRun } = reliableTools([search, archive], { tools: { search: { effect: 'read', timeoutMs: 50, alternatives: ['archive'] } } });

const calls = ['search', 'archive'].map((name) => ({ name, arguments: { [name === 'search' ? 'query' : 'qurey']: 'rain' } }));
const provider = await startProviderDouble({ script: [{ calls }, { text: 'It rains.' }] });
const address = { endpoint: provider.baseUrlFor('bedrock-converse'), region: 'us-east-1', requestHandler: new NodeHttpHandler() };
const client = new BedrockRuntimeClient({ ...address, token: { token: 'none' }, authSchemePreference: ['httpBearerAuth'] });

const [run, messages]: [BedrockRun, Message[]] = [startRun(), [{ role: 'user', content: [{ text: 'Does it rain?' }] }]];
while (!run.stopped) {
  const request = { modelId: 'amazon.nova-pro-v1:0', messages, toolConfig: { tools: run.definitions } };
  const answer = await client.send(new ConverseCommand(run.repair(request)));
  messages.push(answer.output?.message ?? { role: 'assistant', content: [] });
  const results = await run.answer(answer);
  if (!results) break;
  messages.push(results);
}
assert.match(JSON.stringify(messages[2]), /Two pages about rain\..*'query' missing \(you sent 'qurey'\).*"status":"error"/);
await provider.close();
console.log(JSON.stringify(messages.slice(-2), null, 1));
