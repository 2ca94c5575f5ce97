/** An MCP client in front of a server that hangs, fails for a moment, and changes its tools. Run: npm start -w examples/12-mcp */
import assert from 'node:assert/strict';
import { reliableClient } from '@holdfast/mcp';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
const inputSchema = z.object({ city: z.string() });
let runs = 0;
const server = new McpServer({ name: 'weather', version: '1.0.0' });
server.registerTool('forecast', { inputSchema, annotations: { readOnlyHint: true } }, ({ city }) => {
  runs += 1;
  if (runs === 1) throw new Error('Service unavailable (503)');
  return text(`Rain in ${city}.`);
});
server.registerTool('radar', { inputSchema }, () => new Promise<never>(() => {}));

const mcp = new Client({ name: 'example', version: '1.0.0' });
const [near, far] = InMemoryTransport.createLinkedPair();
await server.connect(far);
await mcp.connect(near);

const client = reliableClient(mcp, { tools: { radar: { timeoutMs: 50, alternatives: ['forecast'] } } });
const city = { city: 'Oslo' };
assert.deepEqual(await client.callTool({ name: 'forecast', arguments: city }), text('Rain in Oslo.'));
assert.deepEqual(await client.callTool({ name: 'radar', arguments: city }), text('Rain in Oslo.'));
server.registerTool('tides', { inputSchema }, () => text('High at noon.'));
assert.deepEqual(await client.callTool({ name: 'tides', arguments: city }), text('High at noon.'));
const wrong = await client.callTool({ name: 'forecast', arguments: { town: 'Oslo' } });
assert.equal(wrong.isError, true);
console.log(wrong.content);
await mcp.close();
