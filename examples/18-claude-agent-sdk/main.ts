/** The server of tools for Claude Code, called as Claude Code calls it. Run: npm start -w examples/18-claude-agent-sdk */
import assert from 'node:assert/strict';
import { reliableTools, tool } from '@holdfast/claude-agent-sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { z } from 'zod';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
let runs = 0;
const forecast = tool('forecast', 'Weather', { city: z.string() }, async ({ city }) => {
  if (++runs === 1) throw Object.assign(new Error('Service unavailable'), { status: 503 });
  return text(`Rain in ${city}.`);
});
const radar = tool('radar', 'Weather', { city: z.string() }, () => new Promise(() => {}));
const run = reliableTools([forecast, radar], {
  tools: { radar: { effect: 'read', timeoutMs: 50, alternatives: ['forecast'] } },
}).startRun();

const [near, far] = InMemoryTransport.createLinkedPair();
await run.server({ name: 'own' }).instance.connect(far);
const claude = new Client({ name: 'claude', version: '1.0.0' });
await claude.connect(near);
for (const name of ['forecast', 'radar'])
  assert.deepEqual((await claude.callTool({ name, arguments: { city: 'Oslo' } })).content, text('Rain in Oslo.').content);
const wrong = await claude.callTool({ name: 'forecast', arguments: { town: 'Oslo' } });
assert.match(JSON.stringify(wrong), /'city' missing.*"isError":true/);
console.log(wrong.content);
await claude.close();
