/** Operations of an HTTP API as tools of the command line. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Folder } from './program.ts';

vi.setConfig({ testTimeout: 60_000 });

let folder: Folder;
let server: Server;
let requests = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests++;
    response.writeHead(requests === 1 ? 503 : 200, { 'content-type': 'application/json' }).end(JSON.stringify({ at: request.url }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const operation = { operationId: 'cities/find', parameters: [{ name: 'name', in: 'query', required: true, schema: { type: 'string' } }] };
  folder = new Folder().write({
    'holdfast.yaml': `store: false
defaults: { retry_policy: { initial_delay_ms: 1 } }
openapi:
  atlas: { spec: atlas.json, base_url: 'http://127.0.0.1:${port}', tools: { cities/fnd: {} } }
`,
    'atlas.json': JSON.stringify({ openapi: '3.1.0', info: { title: 'Atlas', version: '1' }, paths: { '/cities': { get: operation } } }),
    'a.turn.yaml': 'calls: [{ call_id: c, tool_id: atlas__cities_find, arguments: { name: Ulm } }]\n',
    'b.turn.yaml': 'calls: [{ call_id: c, tool_id: atlas__cities_fnd }]\n',
  });
});
afterAll(async () => {
  folder.remove();
  await new Promise((resolve) => server.close(resolve));
});

test('tools lists them, check validates them, run calls them', async () => {
  const tools = await folder.run(['tools', '--output', 'json']);
  expect(JSON.parse(tools.stdout)).toMatchObject({ tool_id: 'atlas__cities_find', runs_as: 'openapi', effect: 'read' });
  const checked = await folder.run(['check']);
  expect(checked.code).toBe(2);
  expect(checked.stdout + checked.stderr).toMatch(/holdfast\.yaml:4:\d+: warning: there is no operation 'cities\/fnd'/);
  expect(checked.stdout + checked.stderr).toContain("b.turn.yaml:1:32: error: there is no tool 'atlas__cities_fnd'");
  expect(checked.stdout + checked.stderr).not.toContain('a.turn.yaml:1');
  const ran = await folder.run(['run', 'a.turn.yaml']);
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    results: [{ call_id: 'c', status: 'success', output: { at: '/cities?name=Ulm' }, attempts: 2 }],
  });
});
