import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenapiOptions, type OpenapiTool, openapiTools } from '../../src/index.ts';
import { codeOf } from '../../src/runner-error.ts';
import { attempt, rejection } from '../support/attempt.ts';
import { startEcho } from './echo.ts';
import { body, type Files, get, head, inputOf, makeTools, removeTestFolder, responses, testFolder } from './make-tools.ts';

let folder: string;
beforeAll(async () => {
  folder = await testFolder();
});
afterAll(removeTestFolder);

const refusal = async (document: unknown, files: Files = {}, options: Partial<OpenapiOptions> = {}): Promise<string> => {
  const error = await rejection(makeTools(document, files, options));
  expect(error).toMatchObject({ code: 'OPENAPI_DOCUMENT', retryable: false });
  return error.message.replace(/^.* is not a usable OpenAPI document: /, '');
};

describe('an unusable document', () => {
  it.each([
    ['', /^it is not an object$/],
    ['a: [', /unexpected end|end of the stream/],
    ['[]', /it is not an object/],
    [{}, /it has no 'openapi'/],
    [{ swagger: '2.0', paths: {} }, /^it is Swagger "2.0": convert it to OpenAPI 3$/],
    [{ openapi: '4.0.0', paths: {} }, /its version is "4.0.0", but only 3.0 and 3.1 are supported/],
    [{ openapi: 3.1 }, /its version is 3.1/],
    [{ ...head, deep: JSON.parse('['.repeat(300) + ']'.repeat(300)) as unknown }, /more than 200 levels deep|exceeded maxDepth/],
    [
      get({ parameters: [{ $ref: 'http://169.254.169.254/latest' }] }),
      /it refers to http:.*references may only point to files in its folder/,
    ],
    [get({ parameters: [{ $ref: 'https://example.com/a.yaml#/b' }] }), /it refers to https:/],
    [get({ parameters: [{ $ref: 'file:///etc/passwd' }] }), /is not in the document's folder/],
    [get({ parameters: [{ $ref: '../../../../../../../etc/passwd' }] }), /is not in the document's folder/],
    [get({ parameters: [{ $ref: '/etc/passwd' }] }), /is not in the document's folder/],
    [get({ parameters: [{ $ref: '%2e%2e/%2e%2e/secret.yaml' }] }), /is not in the document's folder/],
    [get({ parameters: [{ $ref: 'absent.yaml' }] }), /^there is no file .*absent.yaml$/],
    [get({ parameters: [{ $ref: 'other.yaml' }] }), /references lead|Unable to resolve|resolver/i],
  ])('%j', async (document, message) => {
    expect(await refusal(document, { 'other.yaml': { $ref: 'http://example.com/b.yaml' } })).toMatch(message);
  });

  it('does not exist', async () => {
    expect(await rejection(openapiTools({ spec: join(folder, 'absent.yaml') }))).toMatchObject({
      code: 'OPENAPI_DOCUMENT',
      message: expect.stringMatching(/absent\.yaml is not a usable OpenAPI document: there is no file .*absent\.yaml$/) as string,
    });
  });

  it('is too large, with its references', async () => {
    const document = get({ parameters: [{ $ref: 'more.yaml#/p' }] });
    const more = { p: { name: 'p', in: 'query' }, text: 'x'.repeat(5000) };
    expect(await refusal(document, { 'more.yaml': more }, { maxSpecBytes: 2000 })).toMatch(/more than 2000 bytes/);
    expect((await makeTools(document, { 'more.yaml': more }, { maxSpecBytes: 20_000 })).tools).toHaveLength(1);
  });

  it('refers to a link that leads outside', async () => {
    const own = join(folder, 'linked');
    await mkdir(own);
    await writeFile(join(folder, 'outside.yaml'), JSON.stringify({ name: 'secret', in: 'query' }));
    await symlink(join(folder, 'outside.yaml'), join(own, 'inside.yaml'));
    await writeFile(join(own, 'api.yaml'), JSON.stringify(get({ parameters: [{ $ref: 'inside.yaml' }] })));
    expect(await rejection(openapiTools({ spec: join(own, 'api.yaml') }))).toMatchObject({
      message: expect.stringMatching(/not in the document's folder/) as string,
    });
  });

  it('has cycles of anchors', async () => {
    const text = `openapi: 3.1.0\nservers: [{ url: 'http://h/' }]\npaths: { /x: { get: { requestBody: { content: { application/json: { schema: &s { type: object, properties: { a: *s } } } } } } } }\n`;
    const { tools } = await makeTools(text);
    expect(JSON.stringify(tools[0]?.input).length).toBeLessThan(100_000);
  });
});

describe('files beside the document', () => {
  it('are read, and their schemas are in the tool', async () => {
    const document = { ...head, paths: { '/x': { $ref: 'paths/x.yaml' } } };
    const made1 = await makeTools(document, {
      'paths/x.yaml': {
        post: { operationId: 'x', requestBody: { content: { 'application/json': { schema: { $ref: '../schemas.yaml#/A' } } } }, responses },
      },
      'schemas.yaml': {
        A: { type: 'object', properties: { b: { $ref: '#/B' } } },
        B: { type: 'object', properties: { a: { $ref: '#/A' }, n: { type: 'integer' } } },
      },
    });
    expect(made1.problems).toEqual([]);
    const text = JSON.stringify(inputOf(made1));
    expect(text).toContain('"n":{"type":"integer"}');
    for (const [, reference] of text.matchAll(/"\$ref":"([^"]*)"/g)) expect(reference).toMatch(/^#\/\$defs\//);
  });
});

it('a reference in an example is data', async () => {
  const sample = { $ref: 'http://example.com/x' };
  const schema = { type: 'object', properties: { a: { type: 'object', example: sample, default: sample } } };
  const { tools } = await makeTools({ ...get(body(schema)), 'x-more': sample, components: { examples: { e: { $ref: './e.json' } } } });
  expect(tools).toHaveLength(1);
});

describe('operations that cannot be tools', () => {
  const cases: readonly (readonly [string, object, string | RegExp])[] = [
    ['an invalid parameter', get({ parameters: ['a'] }), 'a parameter is invalid, or its reference does not resolve'],
    [
      'a parameter with an unresolvable reference',
      get({ parameters: [{ $ref: '#/components/parameters/No' }] }),
      'a parameter is invalid, or its reference does not resolve',
    ],
    [
      'a body with an unresolvable reference',
      get({ requestBody: { $ref: '#/no' } }),
      'its body is invalid, or its reference does not resolve',
    ],
    [
      'a body of bytes',
      get({ requestBody: { content: { 'application/octet-stream': {} } } }),
      'its body is application/octet-stream, but only JSON, forms and text can be sent',
    ],
    [
      'a form without properties',
      get({ requestBody: { content: { 'application/x-www-form-urlencoded': {} } } }),
      'its form has no properties',
    ],
    [
      'a path without its parameter',
      { ...head, paths: { '/x/{id}': { get: { responses } } } },
      'its path has {id}, but no parameter has this name',
    ],
    ['a server that is a path', { ...get({}), servers: [{ url: '/v3' }] }, "its server '/v3' is not a complete address: give base_url"],
    ['no server', { ...get({}), servers: undefined }, "its server '/' is not a complete address: give base_url"],
    [
      'a server with an open variable',
      { ...get({}), servers: [{ url: 'https://{a}.example.com' }] },
      "its server 'https://{a}.example.com' is not a complete address: give base_url",
    ],
    [
      'a server of another scheme',
      { ...get({}), servers: [{ url: 'file:///etc' }] },
      "its server 'file:///etc' is not a complete address: give base_url",
    ],
  ];
  it.each(cases)('%s', async (_, document, message) => {
    const { tools, problems } = await makeTools(document);
    expect(tools).toEqual([]);
    expect(problems.map((problem) => problem.message)).toEqual([message, 'it has no operation that can become a tool']);
  });

  it('leave the others alone', async () => {
    const { tools, problems } = await makeTools({
      ...head,
      paths: { '/a': { get: { parameters: [7] } }, '/b': { get: {} }, 'no-path': { get: {} }, '/c': 7, '/d': { get: [] } },
    });
    expect(tools.map(({ name }) => name)).toEqual(['get_b']);
    expect(problems).toEqual([{ operation: 'get_a', message: 'a parameter is invalid, or its reference does not resolve' }]);
  });

  it('are limited in number', async () => {
    const paths = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`/p${index}`, { get: {} }]));
    const { tools, problems } = await makeTools({ ...head, paths }, {}, { maxOperations: 10 });
    expect(tools).toHaveLength(10);
    expect(problems).toEqual([{ message: 'it has more than 10 operations: the others are left out' }]);
  });
});

const words = fc.constantFrom(
  'get',
  'post',
  'parameters',
  'requestBody',
  'content',
  'application/json',
  'schema',
  'type',
  'object',
  'properties',
  'required',
  'name',
  'in',
  'path',
  'query',
  '$ref',
  '#/paths',
  '#/',
  '#',
  'allOf',
  'items',
  'servers',
  'url',
  'security',
  'nullable',
  '__proto__',
  'x',
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(words, fc.constantFrom(null, true, 0, '')),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(words, tie('tree'), { maxKeys: 4 }),
  ),
}));

it('any document gives tools or problems', async () => {
  const own = join(folder, 'any.json');
  await fc.assert(
    fc.asyncProperty(tree, tree, tree, async (item, schema, components) => {
      const document = {
        ...head,
        paths: {
          '/x/{id}': item,
          '/y': {
            post: { parameters: [{ name: 'a', in: 'query', schema }], requestBody: { content: { 'application/json': { schema } } } },
          },
        },
        components,
      };
      await writeFile(own, JSON.stringify(document));
      // References of the document may lead to missing files.
      const tools = await openapiTools({ spec: own }).catch((error: unknown) => codeOf(error));
      for (const { name, input } of Array.isArray(tools) ? (tools as readonly OpenapiTool[]) : []) {
        expect(name).toMatch(/^[\w-]+$/);
        expect(JSON.stringify(input).length).toBeLessThan(1_000_000);
      }
      expect(Array.isArray(tools) || tools === 'OPENAPI_DOCUMENT').toBe(true);
    }),
    { numRuns: 300 },
  );
});

it('for any arguments, origin and path are unchanged', async () => {
  const server = await startEcho();
  try {
    const document = {
      ...head,
      servers: [{ url: `${server.url}/base` }],
      paths: {
        '/a/{p}/b': {
          get: {
            operationId: 'x',
            parameters: [
              { name: 'p', in: 'path', schema: {} },
              { name: 'q', in: 'query', schema: {} },
              { name: 'r', in: 'query', allowReserved: true },
            ],
          },
        },
      },
    };
    const { tools } = await makeTools(document);
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('..', '.', '%2e%2e', '/', '?&=#', '\\'),
      fc.jsonValue({ maxDepth: 2 }),
    );
    await fc.assert(
      fc.asyncProperty(value, value, value, async (p, q, r) => {
        server.seen.length = 0;
        const outcome: unknown = await Promise.resolve(tools[0]?.run({ p, q, r }, attempt().context)).catch(codeOf);
        expect(outcome === 'INVALID_ARGUMENT' || server.seen.length === 1).toBe(true);
        const url = new URL(server.seen[0]?.url ?? '/base/a/p/b', server.url);
        expect(url.pathname.split('/')).toHaveLength(5);
        expect(url.pathname).toMatch(/^\/base\/a\/[^/]+\/b$/);
        expect(typeof q !== 'string' || server.seen.length === 0 || url.searchParams.getAll('q').includes(q)).toBe(true);
      }),
      { numRuns: 150 },
    );
    await tools[0]?.run.close?.();
  } finally {
    await server.close();
  }
});
