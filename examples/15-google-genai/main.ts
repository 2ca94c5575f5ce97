/** A loop of one's own over generateContent, with tools that fail. The provider is a double on this machine. Run: npm start -w examples/15-google-genai */
import assert from 'node:assert/strict';
import { GoogleGenAI, type Content } from '@google/genai';
import { reliableTools, tool } from '@holdfast/google-genai';
import { startProviderDouble } from '@holdfast/provider-double';

const parametersJsonSchema = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] } as const;
const search = tool({ name: 'search', parametersJsonSchema, run: () => new Promise(() => {}) });
const archive = tool({ name: 'archive', parametersJsonSchema, run: ({ query }) => `Two pages about ${query}.` });
const tools = reliableTools([search, archive], { tools: { search: { effect: 'read', timeoutMs: 50, alternatives: ['archive'] } } });

const calls = ['search', 'archive'].map((name) => ({ name, arguments: { [name === 'search' ? 'query' : 'qurey']: 'rain' } }));
const provider = await startProviderDouble({ script: [{ calls }, { text: 'It rains.' }] });
const ai = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: provider.baseUrlFor('gemini') } });

const run = tools.startRun();
const contents: Content[] = [{ role: 'user', parts: [{ text: 'Does it rain?' }] }];
while (!run.stopped) {
  const request = { model: 'gemini-3-pro', contents, config: { tools: run.definitions } };
  const response = await ai.models.generateContent(run.repair(request));
  contents.push(response.candidates?.[0]?.content ?? {});
  const results = await run.answer(response);
  if (!results) break;
  contents.push(results);
}
assert.match(JSON.stringify(contents[2]), /"output":"Two pages about rain\.".*"error":.*'query' missing \(you sent 'qurey'\)/);
console.log(JSON.stringify(contents.slice(-2), null, 1));
await provider.close();
