/** Tools of every kind behind one gateway: operations of an API, a program, a worker, a module, a server's tool under another name. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GatewayInProcess, startGateway, writeWords } from '../fixtures/gateway.ts';

let api: Server;
let scene: GatewayInProcess;
const asked: string[] = [];

const everything = join(import.meta.dirname, '../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');

beforeAll(async () => {
  api = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 7, name: 'Rex' }));
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const { port } = api.address() as AddressInfo;
  const words = {
    version: 1,
    openapi: { pets: { spec: 'pets.yaml', base_url: `http://127.0.0.1:${port}`, prefix: 'pets' } },
    mcp_servers: { demo: { command: process.execPath, args: [everything], include: ['echo', 'get-sum'], prefix: '' } },
    tools: [
      { id: 'shout', run: { command: { command: 'echo', args: ['loud'], output: 'text', stdin: 'none' } } },
      { id: 'think', run: { worker: { module: 'think.mjs' } } },
      { id: 'add_two', run: { mcp: { server: 'demo', tool: 'get-sum' } } },
    ],
  };
  const path = await writeWords(words);
  const folder = dirname(path);
  await writeFile(
    join(folder, 'pets.yaml'),
    `openapi: 3.1.0
info: { title: Pets, version: '1' }
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { description: A pet } }
`,
  );
  await writeFile(join(folder, 'think.mjs'), 'export default ({ about }) => ({ thought: about });');
  scene = await startGateway(words, { manifestPath: path });
  await scene.gateway.ready();
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await new Promise((resolve) => api.close(resolve));
});

const post = async (path: string, body: unknown): Promise<unknown> => {
  const response = await fetch(new URL(path, scene.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
};

test("all of them are offered, the server's tool once", async () => {
  const { tools } = (await (await fetch(new URL('/v1/tools', scene.url))).json()) as {
    readonly tools: readonly { readonly name: string }[];
  };
  expect(tools.map(({ name }) => name).toSorted()).toEqual(['add_two', 'echo', 'pets__getPet', 'shout', 'think']);
});

test.each([
  ['pets__getPet', { id: 7 }, { id: 7, name: 'Rex' }],
  ['shout', {}, 'loud\n'],
  ['think', { about: 'rain' }, { thought: 'rain' }],
  ['echo', { message: 'hi' }, 'Echo: hi'],
  ['add_two', { a: 2, b: 3 }, 'The sum of 2 and 3 is 5.'],
])('%s is called over HTTP', async (tool, args, output) => {
  expect(await post('/v1/calls', { tool_id: tool, arguments: args })).toMatchObject({ status: 'success', output });
});

test('a turn with several kinds, one with the output of another', async () => {
  const report = await post('/v1/turns', {
    calls: [
      { call_id: 'pet', tool_id: 'pets__getPet', arguments: { id: 7 } },
      { call_id: 'note', tool_id: 'think', arguments: { about: { $from: 'pet', path: 'name' } } },
    ],
  });
  expect(report).toMatchObject({ outcome: 'success', results: [{ output: { name: 'Rex' } }, { output: { thought: 'Rex' } }] });
  expect(asked).toContain('GET /pets/7');
});

test('arguments are checked before any request', async () => {
  const before = asked.length;
  expect(await post('/v1/calls', { tool_id: 'pets__getPet', arguments: { id: 'seven' } })).toMatchObject({
    error: { code: 'INVALID_ARGUMENTS' },
  });
  expect(asked).toHaveLength(before);
});
