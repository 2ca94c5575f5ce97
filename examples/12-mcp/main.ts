/** An MCP client in front of a server whose tools hang and fail for a moment. Run: npm start -w examples/12-mcp */
import assert from 'node:assert/strict';
import { reliableClient } from '@holdfast/mcp';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const inputSchema = z.object({ city: z.string() });
const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
let runs = 0;
const server = new McpServer({ name: 'weather', version: '1.0.0' });
server.registerTool('forecast', { inputSchema, annotations: { readOnlyHint: true } }, ({ city }) => {
  if (++runs === 1) throw new Error('Service unavailable (503)');
  return text(`Rain in ${city}.`);
});
server.registerTool('radar', { inputSchema }, () => new Promise<never>(() => {}));

const [near, far] = InMemoryTransport.createLinkedPair();
await server.connect(far);
const mcp = new Client({ name: 'example', version: '1.0.0' });
await mcp.connect(near);
const client = reliableClient(mcp, { tools: { radar: { effect: 'read', timeoutMs: 50, alternatives: ['forecast'] } } });

for (const name of ['forecast', 'radar'])
  assert.deepEqual(await client.callTool({ name, arguments: { city: 'Oslo' } }), text('Rain in Oslo.'));
const wrong = await client.callTool({ name: 'forecast', arguments: { town: 'Oslo' } });
assert.equal(wrong.isError, true);
console.log(wrong.content);
await mcp.close();
