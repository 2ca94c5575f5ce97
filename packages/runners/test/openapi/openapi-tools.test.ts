import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenapiOptions, type OpenapiProblem, type OpenapiTool, openapiTools } from '../../src/index.ts';
import { attempt, rejection } from '../support/attempt.ts';
import { type Echo, type EchoServer, startEcho } from './echo.ts';

const spec = (name: string): string => fileURLToPath(new URL(`specs/${name}`, import.meta.url));

let server: EchoServer;
const open: OpenapiTool[] = [];
let problems: OpenapiProblem[] = [];

beforeAll(async () => {
  server = await startEcho();
});
afterAll(() => server.close());
beforeEach(() => {
  problems = [];
  server.seen.length = 0;
  server.answer = () => ({});
});
afterEach(async () => {
  for (const tool of open.splice(0)) await tool.run.close?.();
});

async function toolsOf(name: string, options: Partial<OpenapiOptions> = {}): Promise<ReadonlyMap<string, OpenapiTool>> {
  const tools = await openapiTools({ spec: spec(name), baseUrl: server.url, onProblem: (problem) => problems.push(problem), ...options });
  open.push(...tools);
  return new Map(tools.map((tool) => [tool.name, tool]));
}

async function call(tools: ReadonlyMap<string, OpenapiTool>, name: string, args: unknown): Promise<Echo> {
  return (await tools.get(name)?.run(args, attempt().context)) as Echo;
}

describe('a pet shop (3.0, YAML)', () => {
  it('has a tool for each operation that can be one', async () => {
    const tools = await toolsOf('pets.yaml');
    expect([...tools.values()].map(({ name, operation, method, path, effect }) => [name, operation, method, path, effect])).toEqual([
      ['listPets', 'listPets', 'GET', '/pets', 'read'],
      ['createPet', 'createPet', 'POST', '/pets', 'unsafe'],
      ['getPet', 'getPet', 'GET', '/pets/{petId}', 'read'],
      ['hasPet', 'hasPet', 'HEAD', '/pets/{petId}', 'read'],
      ['replacePet', 'replacePet', 'PUT', '/pets/{petId}', 'idempotent'],
      ['delete_pets_petId', 'delete_pets_petId', 'DELETE', '/pets/{petId}', 'idempotent'],
    ]);
    expect(problems).toEqual([
      { operation: 'uploadPhoto', message: 'its body is multipart/form-data, but only JSON, forms and text can be sent' },
      { message: '5 operations need credentials that are not in headers: api_key (the header X-Api-Key)' },
    ]);
  });

  it('describes them', async () => {
    const tools = await toolsOf('pets.yaml');
    expect(tools.get('listPets')?.description).toBe('Lists pets.');
    expect(tools.get('createPet')?.description).toBe('Creates a pet, and its owner where there is none.');
    expect(tools.get('getPet')).not.toHaveProperty('description');
  });

  it('has one flat object of arguments, without fields that the server or the configuration sets', async () => {
    const tools = await toolsOf('pets.yaml', { headers: { 'x-api-key': 'k' } });
    expect(problems).toHaveLength(1);
    expect(tools.get('replacePet')?.input).toEqual({
      type: 'object',
      properties: {
        petId: { type: 'string' },
        name: { type: 'string' },
        kind: { type: ['string', 'null'], enum: ['cat', 'dog', null] },
        parent: { $ref: '#/$defs/Pet' },
        body_petId: { type: 'string', description: "'petId' of the body." },
        born: { type: ['string', 'null'], format: 'date' },
      },
      required: ['petId', 'name'],
      additionalProperties: false,
      $defs: {
        Pet: {
          allOf: [{ $ref: '#/$defs/NewPet' }, { type: 'object', properties: { born: { type: ['string', 'null'], format: 'date' } } }],
        },
        NewPet: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string' },
            kind: { type: ['string', 'null'], enum: ['cat', 'dog', null] },
            parent: { $ref: '#/$defs/Pet' },
            petId: { type: 'string', description: 'The id that the owner gave.' },
          },
        },
      },
    });
    expect(tools.get('listPets')?.input).toEqual({
      type: 'object',
      properties: {
        limit: { type: 'integer', exclusiveMinimum: 0, maximum: 100, description: 'How many.' },
        tags: { type: 'array', items: { type: 'string' } },
        ids: { type: 'array', items: { type: 'integer' } },
        near: { type: 'object', properties: { lat: { type: 'number' }, lon: { type: 'number' } } },
        'X-Tenant': { type: 'string', default: 'main' },
      },
      additionalProperties: false,
    });
  });

  it('puts every argument in its place', async () => {
    process.env['HOLDFAST_TEST_KEY'] = 's3cret';
    const tools = await toolsOf('pets.yaml', { headers: { 'X-Api-Key': { env: 'HOLDFAST_TEST_KEY' } } });
    const listed = await call(tools, 'listPets', {
      limit: 3,
      tags: ['a b', 'c&d'],
      ids: [1, 2],
      near: { lat: 1.5, lon: -2 },
      'X-Tenant': 't',
    });
    expect(listed).toMatchObject({
      method: 'GET',
      url: '/pets?limit=3&tags=a%20b&tags=c%26d&ids=1,2&near[lat]=1.5&near[lon]=-2',
      headers: { 'x-api-key': 's3cret', 'x-tenant': 't' },
      body: '',
    });
    expect(listed.headers['idempotency-key']).toBeUndefined();
    const replaced = await call(tools, 'replacePet', { petId: 'a/b', name: 'Rex', body_petId: '7', parent: { name: 'Max' } });
    expect(replaced).toMatchObject({
      method: 'PUT',
      url: '/pets/a%2Fb',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'key-1' },
    });
    expect(JSON.parse(replaced.body)).toEqual({ name: 'Rex', petId: '7', parent: { name: 'Max' } });
    const deleted = await call(tools, 'delete_pets_petId', { petId: '1' });
    expect(deleted).toMatchObject({ method: 'DELETE', url: '/pets/1', body: '' });
    expect(deleted.headers['content-type']).toBeUndefined();
    expect(await call(tools, 'hasPet', { petId: '1' })).toBeNull();
    expect(server.seen.at(-1)).toMatchObject({ method: 'HEAD', url: '/pets/1' });
  });

  it('calls the server of the document, with the defaults of its variables', async () => {
    const asked: string[] = [];
    const resolveHost: NonNullable<OpenapiOptions['resolveHost']> = (host) => {
      asked.push(host);
      return Promise.resolve([]);
    };
    const tools = new Map(
      (await openapiTools({ spec: spec('pets.yaml'), resolveHost })).map((tool) => {
        open.push(tool);
        return [tool.name, tool];
      }),
    );
    expect(await rejection(call(tools, 'getPet', { petId: '1' }))).toMatchObject({ code: 'ENOTFOUND' });
    expect(asked).toEqual(['eu.pets.example.com']);
  });
});

describe('a code host (3.1, JSON)', () => {
  it('has clean names, and keeps the ids', async () => {
    const tools = await toolsOf('code.json');
    expect([...tools.values()].map(({ name, operation }) => [name, operation])).toEqual([
      ['issues_list-for-repo', 'issues/list-for-repo'],
      ['issues_create', 'issues/create'],
      ['issues_set-labels', 'issues/set-labels'],
      ['markdown_render-raw', 'markdown/render-raw'],
      ['post_charges', 'post_charges'],
      ['tree', 'tree'],
    ]);
    expect(problems).toEqual([]);
    expect(tools.get('issues_list-for-repo')?.description).toBe('List repository issues, newest first.');
  });

  it('writes every style of parameter', async () => {
    const tools = await toolsOf('code.json', { headers: { cookie: 'a=b' }, baseUrl: `${server.url}/api/?key=k%26` });
    const listed = await call(tools, 'issues_list-for-repo', {
      owner: 'o',
      repo: 'r.s',
      labels: ['a', 'b|c'],
      words: ['x', 'y z'],
      filter: { a: [1] },
      ref: 'heads/main?x&y#z',
      session: 's 1',
    });
    expect(listed.url).toBe(
      '/api/repos/o/r.s/issues?key=k%26&labels=a|b%7Cc&words=x%20y%20z&filter=%7B%22a%22%3A%5B1%5D%7D&ref=heads/main?x%26y%23z',
    );
    expect(listed.headers.cookie).toBe('a=b; session=s%201');
    expect((await call(tools, 'tree', { ';depth': 2, '.format': 'json', ids: ['a', 'b/c'] })).url).toBe(
      '/api/tree;%3Bdepth=2/.json/a,b%2Fc?key=k%26',
    );
  });

  it('distinguishes path and body, and keeps a body that is not an object as one argument', async () => {
    const tools = await toolsOf('code.json');
    expect(tools.get('issues_create')?.input).toMatchObject({
      properties: { owner: { type: 'string' }, body_owner: { type: ['string', 'null'] } },
      required: ['owner', 'repo', 'title'],
    });
    const created = await call(tools, 'issues_create', { owner: 'o', repo: 'r', title: 7, body_owner: null });
    expect(JSON.parse(created.body)).toEqual({ title: 7, owner: null });
    expect(tools.get('issues_set-labels')?.input).toMatchObject({
      properties: { body: { oneOf: [{ type: 'array' }, { type: 'object' }] } },
    });
    expect((await call(tools, 'issues_set-labels', { owner: 'o', repo: 'r', body: ['a'] })).body).toBe('["a"]');
    expect(await call(tools, 'issues_set-labels', { owner: 'o', repo: 'r' })).toMatchObject({ body: '' });
  });

  it('sends texts and forms', async () => {
    const tools = await toolsOf('code.json');
    const raw = await call(tools, 'markdown_render-raw', { body: '# hi' });
    expect(raw).toMatchObject({ body: '# hi', headers: { 'content-type': 'text/plain' } });
    const args = { amount: 5, expand: ['a', 'b'], metadata: { k: 'v&', n: { m: 1 } }, address: { city: 'Ulm' }, other: 'x y' };
    const charged = await call(tools, 'post_charges', args);
    expect(charged.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect([...new URLSearchParams(charged.body)]).toEqual([
      ['amount', '5'],
      ['expand[0]', 'a'],
      ['expand[1]', 'b'],
      ['metadata[k]', 'v&'],
      ['metadata[n][m]', '1'],
      ['address', '{"city":"Ulm"}'],
      ['other', 'x y'],
    ]);
  });

  it('has schemas of responses if requested', async () => {
    expect((await toolsOf('code.json')).get('issues_list-for-repo')).not.toHaveProperty('output');
    const tools = await toolsOf('code.json', { outputSchemas: true });
    expect(tools.get('issues_list-for-repo')?.output).toEqual({
      type: 'array',
      items: { $ref: '#/$defs/issue' },
      $defs: { issue: { type: 'object', properties: { title: { type: 'string' }, parent: { $ref: '#/$defs/issue' } } } },
    });
    expect(tools.get('issues_create')).not.toHaveProperty('output');
  });
});

describe('an answer', () => {
  it.each([
    ['JSON', { 'content-type': 'application/problem+json; charset=utf-8' }, '{"a":1}', { a: 1 }],
    ['a string', { 'content-type': 'text/html' }, '<p>', '<p>'],
    ['bytes', { 'content-type': 'image/png' }, Buffer.from([137, 80]), { contentType: 'image/png', base64: 'iVA=' }],
    ['nothing', { 'content-type': 'application/json' }, '', null],
    ['JSON without a content type', {}, '[1]', [1]],
    ['a string without a content type', {}, 'hello', 'hello'],
  ])('may be %s', async (_, headers, body, expected) => {
    server.answer = () => ({ headers, body });
    expect(await call(await toolsOf('pets.yaml'), 'getPet', { petId: '1' })).toEqual(expected);
  });

  it('of failure has its status, headers and body', async () => {
    server.answer = () => ({
      status: 429,
      headers: { 'content-type': 'application/json', 'retry-after': '7' },
      body: '{"message":"slow down"}',
    });
    const error = await rejection(call(await toolsOf('pets.yaml'), 'getPet', { petId: '1' }));
    expect(error).toMatchObject({ code: 'HTTP_STATUS', status: 429, headers: { 'retry-after': '7' }, body: { message: 'slow down' } });
  });

  it('with a redirect to another host is not followed, and gets no credentials if it is allowed', async () => {
    const other = await startEcho();
    try {
      server.answer = () => ({ status: 307, headers: { location: `${other.url}/else` }, body: '' });
      const headers = { 'x-api-key': 'k', authorization: 'Bearer a' };
      expect(await rejection(call(await toolsOf('pets.yaml', { headers }), 'getPet', { petId: '1' }))).toMatchObject({
        code: 'REDIRECT_FORBIDDEN',
      });
      const allowedHosts = [new URL(server.url).host, new URL(other.url).host];
      const echo = await call(await toolsOf('pets.yaml', { headers, allowedHosts }), 'getPet', { petId: '1' });
      expect(echo.url).toBe('/else');
      expect(echo.headers['x-api-key'] ?? echo.headers.authorization).toBeUndefined();
    } finally {
      await other.close();
    }
  });
});

describe('arguments that would leave their place', () => {
  it.each([
    ['..', /would change the path/],
    ['.', /would change the path/],
    ['', /Required parameter 'petId' missing/],
    [undefined, /Required parameter 'petId' missing/],
    ['\ud800', /a lone surrogate/],
  ])('%j is refused in a path', async (petId, message) => {
    const error = await rejection(call(await toolsOf('pets.yaml'), 'getPet', { petId }));
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) as string });
    expect(server.seen).toEqual([]);
  });

  it.each(['%2e%2e', '../x', 'a?b=c', 'a#b', '//evil.example', '\\\\evil', 'a;b=c', 'ä'])('%j stays in its segment', async (petId) => {
    const { url } = await call(await toolsOf('pets.yaml'), 'getPet', { petId });
    expect(url.split('/')).toHaveLength(3);
    expect(decodeURIComponent(url.slice('/pets/'.length))).toBe(petId);
  });

  it('unknown names and line breaks in headers are refused', async () => {
    const tools = await toolsOf('pets.yaml');
    expect(await rejection(call(tools, 'getPet', { petId: '1', id: 2 }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: "There is no parameter 'id'. The parameters are: petId",
    });
    expect(await rejection(call(tools, 'listPets', { 'X-Tenant': 'a\r\nx-evil: 1' }))).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await rejection(call(tools, 'getPet', { petId: '1', ['__proto__']: 1 }))).toBeDefined();
  });
});

it('tools share their connections until the last is closed', async () => {
  const tools = await toolsOf('pets.yaml');
  await call(tools, 'getPet', { petId: '1' });
  await call(tools, 'listPets', {});
  await tools.get('getPet')?.run.close?.();
  expect(await rejection(call(tools, 'getPet', { petId: '1' }))).toMatchObject({ code: 'RUNNER_CLOSED' });
  expect(await call(tools, 'listPets', {})).toMatchObject({ url: '/pets' });
});
