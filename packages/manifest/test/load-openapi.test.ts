import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ToolExecutionService } from '@holdfast/core';
import { formatProblem, loadManifest, loadOpenapi, loadTools, type Manifest, serviceOptions } from '../src/index.ts';

let folder: string;
let server: Server;
let url: string;
let calls: string[] = [];

const document = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/items': {
      get: {
        operationId: 'items/list',
        summary: 'Lists items.',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 5 } }],
      },
      post: {
        operationId: 'items/create',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } } },
        },
      },
    },
    '/items/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      delete: { operationId: 'items/delete' },
      put: { operationId: 'items/photo', requestBody: { content: { 'image/png': {} } } },
    },
    '/admin': { get: { operationId: 'admin/all' } },
  },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-manifest-'));
  await writeFile(join(folder, 'shop.json'), JSON.stringify(document));
  server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    const failing = request.method === 'POST' || (request.method === 'GET' && calls.length === 1);
    response.writeHead(failing ? 500 : 200, { 'content-type': 'application/json' }).end(JSON.stringify({ at: request.url }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

async function manifestOf(text: string, purpose: 'check' | 'run' = 'run'): Promise<Awaited<ReturnType<typeof loadManifest>>> {
  const path = join(folder, 'holdfast.yaml');
  await writeFile(path, text);
  return loadManifest(path, { purpose });
}
const sound = async (text: string): Promise<Manifest> => {
  const { manifest, problems } = await manifestOf(text);
  expect(problems).toEqual([]);
  return manifest as Manifest;
};

test('operations are offered as in the manifest', async () => {
  const manifest = await sound(`
defaults: { timeout_ms: 1000 }
openapi:
  shop:
    spec: shop.json
    base_url: ${url}
    exclude: [admin/*]
    defaults: { retry_policy: { max_attempts: 2 } }
    tools:
      items/list: { name: find_items, description: Finds., retry_policy: { initial_delay_ms: 1 }, effect: idempotent }
      items/delete: { enabled: false, classification: [{ status: 500, as: permanent }] }
`);
  const loaded = await loadOpenapi(manifest);
  expect(
    loaded.tools.map(({ api, operation, tool, definition }) => [api, operation, tool.name, tool.enabled, tool.policy, definition]),
  ).toEqual([
    [
      'shop',
      'items/list',
      'find_items',
      true,
      { retry: { maxAttempts: 2, initialDelayMs: 1 }, effect: 'idempotent' },
      {
        name: 'find_items',
        description: 'Finds.',
        inputSchema: { type: 'object', properties: { limit: { type: 'integer', maximum: 5 } }, additionalProperties: false },
        annotations: { readOnlyHint: false, idempotentHint: true, openWorldHint: true },
      },
    ],
    [
      'shop',
      'items/create',
      'shop__items_create',
      true,
      { retry: { maxAttempts: 2 }, effect: 'unsafe' },
      expect.objectContaining({ name: 'shop__items_create' }),
    ],
    ['shop', 'items/delete', 'shop__items_delete', false, { retry: { maxAttempts: 2 }, effect: 'idempotent' }, expect.anything()],
  ]);
  expect(loaded.problems.map(({ message }) => message)).toEqual([
    "'items/photo' is left out: its body is image/png, but only JSON, forms and text can be sent",
  ]);
  await loaded.close();
});

test('a general effect applies if the method implies none', async () => {
  const effects = async (defaults: string): Promise<readonly unknown[]> => {
    const manifest = await sound(
      `openapi: { shop: { spec: shop.json, base_url: '${url}', include: [items/*], exclude: [items/photo], ${defaults} } }`,
    );
    return (await loadOpenapi(manifest)).tools.map(({ tool }) => tool.policy.effect);
  };
  expect(await effects('')).toEqual(['read', 'unsafe', 'idempotent']);
  expect(await effects('defaults: { effect: idempotent }')).toEqual(['read', 'idempotent', 'idempotent']);
  expect(await effects('tools: { items/create: { effect: read }, items/list: { effect: unsafe } }')).toEqual([
    'unsafe',
    'read',
    'idempotent',
  ]);
});

test('they run like other tools: validated, retried if safe, together with the tools of the file', async () => {
  const manifest = await sound(`
openapi: { shop: { spec: shop.json, base_url: '${url}', prefix: '', include: [items/list, items/create] } }
defaults: { retry_policy: { initial_delay_ms: 1, max_delay_ms: 1 } }
tools: [{ id: items_create, run: { http: { url: '${url}/own' } } }]
`);
  const built = await loadTools(manifest);
  expect(built.tools.map(({ name }) => name)).toEqual(['items_create', 'items_list']);
  const service = new ToolExecutionService({ tools: built.tools, ...serviceOptions(manifest) });
  await built.load();
  calls = [];
  const listed = await service.executeTool({ toolName: 'items_list', arguments: { limit: 3 } });
  expect(listed).toMatchObject({ status: 'success', output: { at: '/items?limit=3' } });
  expect(calls).toEqual(['GET /items?limit=3', 'GET /items?limit=3']);
  calls = [];
  const wrong = await service.executeTool({ toolName: 'items_list', arguments: { limit: 9 } });
  expect(wrong).toMatchObject({ status: 'error', error: { category: 'invalid_input' } });
  expect(calls).toEqual([]);
  expect(await service.executeTool({ toolName: 'items_create' })).toMatchObject({ status: 'success', output: { at: '/own' } });
  await service.close();
  await built.close();
});

test('a failed POST that may have happened is not sent again', async () => {
  const manifest = await sound(`openapi: { shop: { spec: shop.json, base_url: '${url}' , include: [items/create] } }`);
  const built = await loadTools(manifest);
  const service = new ToolExecutionService({ tools: built.tools, ...serviceOptions(manifest) });
  calls = [];
  const created = await service.executeTool({ toolName: 'shop__items_create', arguments: { name: 'x' } });
  expect(created).toMatchObject({ status: 'error', error: { ambiguous: true } });
  expect(calls).toEqual(['POST /items']);
  await service.close();
  await built.close();
});

test('problems have a position', async () => {
  const text = `openapi:
  shop:
    spec: shop.json
    include: ['items/*', user/*]
    tools:
      items/creat: { name: make }
  gone: { spec: gone.json }
  old: { spec: old.json, base_url: 'http://h/' }
  twice: { spec: shop.json, base_url: 'http://h/', prefix: shop2, include: [admin/all], tools: { admin/all: { name: shop3__x } } }
`;
  await writeFile(join(folder, 'old.json'), '{"swagger":"2.0"}');
  const { problems, source, manifest } = await manifestOf(text, 'check');
  expect(manifest).toBeUndefined();
  expect(
    problems.map(({ severity, line, column, code, path, message, suggestion }) => [
      severity,
      line,
      column,
      code,
      path,
      message.replaceAll(folder, '.'),
      suggestion,
    ]),
  ).toEqual([
    [
      'warning',
      3,
      5,
      'bad_openapi',
      'openapi.shop.spec',
      "'items/list' is left out: its server '/' is not a complete address: give base_url",
      undefined,
    ],
    [
      'warning',
      3,
      5,
      'bad_openapi',
      'openapi.shop.spec',
      "'items/create' is left out: its server '/' is not a complete address: give base_url",
      undefined,
    ],
    [
      'warning',
      3,
      5,
      'bad_openapi',
      'openapi.shop.spec',
      "'items/photo' is left out: its server '/' is not a complete address: give base_url",
      undefined,
    ],
    [
      'warning',
      3,
      5,
      'bad_openapi',
      'openapi.shop.spec',
      "'items/delete' is left out: its server '/' is not a complete address: give base_url",
      undefined,
    ],
    ['warning', 3, 5, 'bad_openapi', 'openapi.shop.spec', 'it has no operation that can become a tool', undefined],
    ['warning', 4, 26, 'bad_openapi', 'openapi.shop.include[1]', "no operation matches 'user/*'", undefined],
    ['warning', 6, 7, 'bad_openapi', 'openapi.shop.tools."items/creat"', "there is no operation 'items/creat'", 'items/create'],
    [
      'error',
      7,
      11,
      'bad_openapi',
      'openapi.gone.spec',
      './gone.json is not a usable OpenAPI document: there is no file ./gone.json',
      undefined,
    ],
    [
      'error',
      8,
      10,
      'bad_openapi',
      'openapi.old.spec',
      './old.json is not a usable OpenAPI document: it is Swagger "2.0": convert it to OpenAPI 3',
      undefined,
    ],
  ]);
  for (const problem of problems) expect(formatProblem(problem, { source })).toContain(problem.message);
  const running = await manifestOf(text);
  expect(running.manifest).toBeDefined();
  expect(running.problems.map(({ severity, code, path }) => [severity, code, path])).toEqual([
    ['warning', 'missing_file', 'openapi.gone.spec'],
  ]);
});

test('unknown operations are reported with a suggestion', async () => {
  const manifest = await sound(
    `openapi: { shop: { spec: shop.json, base_url: '${url}', include: [items/list, item/creat], exclude: ['x*'], tools: { items/delet: {} } } }`,
  );
  const { problems } = await loadOpenapi(manifest);
  expect(problems).toEqual([
    {
      api: 'shop',
      severity: 'warning',
      path: ['openapi', 'shop', 'tools', 'items/delet'],
      message: "there is no operation 'items/delet'",
      suggestion: 'items/delete',
    },
    {
      api: 'shop',
      severity: 'warning',
      path: ['openapi', 'shop', 'include', 1],
      message: "no operation matches 'item/creat'",
      suggestion: 'items/create',
    },
    { api: 'shop', severity: 'warning', path: ['openapi', 'shop', 'exclude', 0], message: "no operation matches 'x*'" },
  ]);
});
