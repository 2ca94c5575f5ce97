import { afterAll, describe, expect, it } from 'vitest';
import type { OpenapiOptions } from '../../src/index.ts';
import { body, get, head, inputOf, makeTools, removeTestFolder } from './make-tools.ts';

afterAll(removeTestFolder);

describe('cycles', () => {
  it('of schemas stay references', async () => {
    const schemas = {
      A: { type: 'object', properties: { next: { $ref: '#/components/schemas/B' } } },
      B: { allOf: [{ $ref: '#/components/schemas/A' }] },
    };
    const input = inputOf(await makeTools({ ...get(body({ $ref: '#/components/schemas/A' })), components: { schemas } }));
    expect(input).toMatchObject({ properties: { next: { $ref: '#/$defs/B' } }, $defs: { A: {}, B: { allOf: [{ $ref: '#/$defs/A' }] } } });
  });
  it('of a schema that is only itself leave the argument open', async () => {
    const schemas = { A: { $ref: '#/components/schemas/A' }, B: { allOf: [{ $ref: '#/components/schemas/B' }] } };
    expect(inputOf(await makeTools({ ...get(body({ $ref: '#/components/schemas/A' })), components: { schemas } }))).toMatchObject({
      properties: { body: {} },
    });
    expect(inputOf(await makeTools({ ...get(body({ $ref: '#/components/schemas/B' })), components: { schemas } }))).toMatchObject({
      properties: { body: {} },
    });
  });
  it('of parameters, bodies and paths are reported', async () => {
    const parameters = { P: { $ref: '#/components/parameters/Q' }, Q: { $ref: '#/components/parameters/P' } };
    expect(
      (await makeTools({ ...get({ parameters: [{ $ref: '#/components/parameters/P' }] }), components: { parameters } })).problems,
    ).toHaveLength(2);
    expect((await makeTools({ ...head, paths: { '/x': { $ref: '#/paths/~1x' } } })).tools).toEqual([]);
  });
});

describe('schemas', () => {
  it('that are huge are truncated, not copied endlessly', async () => {
    const wide = (depth: number): object =>
      depth === 0
        ? { type: 'string' }
        : { type: 'object', properties: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`p${index}`, wide(depth - 1)])) };
    const text = JSON.stringify(inputOf(await makeTools(get(body(wide(5))))));
    expect(text.length).toBeLessThan(60_000);
  });
  it('that were truncated refuse no valid value', async () => {
    const leaf = (index: number): object => ({
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`p${index}_${at}`, { type: 'string' }])),
    });
    const schemas = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`S${index}`, leaf(index)]));
    const choices = Object.keys(schemas).map((name) => ({ $ref: `#/components/schemas/${name}` }));
    // oxlint-disable-next-line unicorn/no-thenable
    const choice = { oneOf: choices, not: { $ref: '#/components/schemas/S39' }, if: choices[38], then: choices[37] };
    const text = JSON.stringify(
      inputOf(await makeTools({ ...get(body({ type: 'object', properties: { choice } })), components: { schemas } })),
    );
    expect(text).toContain('"choice":{"anyOf":[{"$ref":"#/$defs/S0"}');
    expect(text).not.toMatch(/"oneOf"|"not"|"if"|"then"/);
    expect(text.length).toBeLessThan(60_000);
    const small = { oneOf: choices.slice(0, 2), not: choices[2] };
    expect(inputOf(await makeTools({ ...get(body({ type: 'object', properties: { small } })), components: { schemas } }))).toMatchObject({
      properties: { small: { oneOf: [{ $ref: '#/$defs/S0' }, { $ref: '#/$defs/S1' }], not: { $ref: '#/$defs/S2' } } },
    });
  });
  it('with one name in several places are kept apart', async () => {
    const document = {
      ...get(body({ type: 'object', properties: { a: { $ref: '#/components/schemas/X' }, b: { $ref: '#/components/x-other/X' } } })),
      components: { schemas: { X: { type: 'string' } }, 'x-other': { X: { type: 'integer' } } },
    };
    expect(inputOf(await makeTools(document))).toMatchObject({
      properties: { a: { $ref: '#/$defs/X' }, b: { $ref: '#/$defs/X_2' } },
      $defs: { X: { type: 'string' }, X_2: { type: 'integer' } },
    });
  });
  it('may have names of JavaScript properties', async () => {
    const document = JSON.parse(
      JSON.stringify(get(body({ type: 'object', properties: { constructor: { type: 'string' }, PROTO: { type: 'integer' } } }))).replace(
        'PROTO',
        '__proto__',
      ),
    ) as object;
    const { tools } = await makeTools(document);
    expect(Object.keys(tools[0]?.input['properties'] as object)).toEqual(['constructor', '__proto__']);
    expect(({} as Record<string, unknown>)['type']).toBeUndefined();
  });
  it('of 3.0 have their own keywords for null and limits', async () => {
    const properties = {
      a: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      b: { nullable: true, allOf: [{ $ref: '#/components/schemas/S' }] },
      c: { nullable: true },
      d: { $ref: '#/components/schemas/S', description: 'not heard' },
    };
    const document = { ...get(body({ type: 'object', properties })), openapi: '3.0.4', components: { schemas: { S: { type: 'string' } } } };
    expect(inputOf(await makeTools(document))['properties']).toEqual({
      a: { type: 'number', exclusiveMinimum: 1, maximum: 9 },
      b: { anyOf: [{ allOf: [{ $ref: '#/$defs/S' }] }, { type: 'null' }] },
      c: {},
      d: { $ref: '#/$defs/S' },
    });
  });
});

it('names are unique for any document', async () => {
  const paths = Object.fromEntries(
    ['/a', '/b', '/c-d', '/c_d', '/{'].map((path) => [path, { get: path < '/c' ? { operationId: 'same!' } : {} }]),
  );
  const { tools } = await makeTools({ ...head, paths });
  expect(tools.map(({ name, operation }) => [name, operation])).toEqual([
    ['same', 'same!'],
    ['same_2', 'same_2'],
    ['get_c-d', 'get_c-d'],
    ['get_c_d', 'get_c_d'],
    ['get', 'get'],
  ]);
});

describe('credentials', () => {
  const secured = (security: unknown): object => ({
    ...get({ security }),
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'query', name: 'api_key' },
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: 'sid' },
      },
    },
  });
  it.each([
    [[{ token: [] }], {}, [/^1 operation needs credentials that are not in headers: token \(the header authorization\)$/]],
    [[{ token: [] }], { headers: { Authorization: { env: 'T' } } }, []],
    [
      [{ token: [], key: [] }, { session: [] }],
      {},
      [/token \(the header authorization\) and key \(the parameter api_key: give it in base_url\), or session \(the cookie sid\)$/],
    ],
    [[{ key: [] }], { baseUrl: 'http://127.0.0.1:1/?api_key=k' }, []],
    [[{ session: [] }], { headers: { cookie: 'sid=1' } }, []],
    [[{ token: [] }, {}], {}, []],
    [[{ other: [] }], {}, [/other \(not in the document\)$/]],
    ['nonsense', {}, []],
  ] as const)('%j with %j', async (security, options, expected) => {
    const { tools, problems } = await makeTools(secured(security), {}, options as Partial<OpenapiOptions>);
    expect(tools).toHaveLength(1);
    expect(problems.map(({ message }) => message)).toEqual(expected.map((each) => expect.stringMatching(each) as string));
  });
});

describe('operations of another host', () => {
  const other = [{ url: 'https://uploads.example.net' }];
  const document = { ...head, paths: { '/a': { get: {} }, '/b': { servers: other, get: {} }, '/c': { get: { servers: other } } } };
  it('are left out: the headers are not meant for it', async () => {
    const { tools, problems } = await makeTools(document, {}, { headers: { authorization: 'Bearer a' } });
    expect(tools.map(({ name }) => name)).toEqual(['get_a']);
    expect(problems.map(({ operation, message }) => [operation, message])).toEqual(
      ['get_b', 'get_c'].map((name) => [
        name,
        'its server is uploads.example.net: add it to allowed_hosts to send it the credentials of this API',
      ]),
    );
  });
  it.each([[{ allowedHosts: ['127.0.0.1:1', '*.example.net'] }], [{ baseUrl: 'https://api.example.org' }]])(
    'are tools with %j',
    async (options) => {
      const { tools, problems } = await makeTools(document, {}, options);
      expect([tools.length, problems]).toEqual([3, []]);
    },
  );
  it('are tools if the document has no server of its own', async () => {
    expect((await makeTools({ ...document, servers: undefined })).tools.map(({ name }) => name)).toEqual(['get_b', 'get_c']);
  });
});
