/** Whatever the schemas of a document contain, those of its tools compile: a service uses them unchanged. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkJsonSchema, loadOpenapi, type Manifest, parseManifest } from '../src/index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-schemas-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const odd = fc.constantFrom<unknown>(
  null,
  true,
  false,
  -1,
  0,
  1.5,
  '',
  '(',
  '^a$',
  'string',
  'file',
  [],
  ['a'],
  [1],
  {},
  { a: 1 },
  { '(': {} },
  ['string', 'null'],
  [],
);
const reference = fc.constantFrom(
  '#/components/schemas/A',
  '#/components/schemas/B',
  '#/components/schemas/C',
  '#/nowhere',
  '#',
  '#/info',
  '#/openapi',
);
const scalars = [
  'type',
  'format',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minLength',
  'maxItems',
  'pattern',
  'required',
  'uniqueItems',
  'multipleOf',
  'nullable',
  'readOnly',
  'description',
  'title',
  'default',
  'example',
  'discriminator',
  'x-any',
  '$id',
  '$anchor',
  'dependentRequired',
  'minProperties',
  'contentEncoding',
  '$schema',
  '__proto__',
];
const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ $ref: reference }),
    fc.dictionary(fc.constantFrom(...scalars), odd, { maxKeys: 4 }),
    fc.dictionary(
      fc.constantFrom('items', 'additionalProperties', 'not', 'if', 'contains', 'propertyNames', 'unevaluatedProperties'),
      tie('schema'),
      { maxKeys: 3 },
    ),
    fc.dictionary(fc.constantFrom('allOf', 'anyOf', 'oneOf', 'prefixItems'), fc.array(tie('schema'), { maxLength: 3 }), { maxKeys: 2 }),
    fc.dictionary(
      fc.constantFrom('properties', 'patternProperties', 'dependentSchemas'),
      fc.dictionary(fc.constantFrom('a', 'b', '(', 'constructor'), tie('schema'), { maxKeys: 3 }),
      { maxKeys: 2 },
    ),
    odd,
  ),
}));

test.each(['3.0.3', '3.1.0'])('of %s', async (openapi) => {
  const file = join(folder, `${openapi}.json`);
  const manifest = parseManifest(JSON.stringify({ openapi: { api: { spec: file, base_url: 'http://127.0.0.1:1/' } } })).manifest;
  await fc.assert(
    fc.asyncProperty(schema, schema, schema, schema, async (a, b, c, body) => {
      const requestBody = { required: true, content: { 'application/json': { schema: body } } };
      const parameters = [{ name: 'p', in: 'query', schema: a }];
      const document = {
        openapi,
        info: { title: 't', version: '1' },
        components: { schemas: { A: a, B: b, C: c } },
        paths: { '/x': { post: { operationId: 'x', parameters, requestBody } } },
      };
      await writeFile(file, JSON.stringify(document));
      const { tools, problems } = await loadOpenapi(manifest as Manifest);
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      for (const { definition } of tools) expect(checkJsonSchema(definition.inputSchema)).toEqual([]);
    }),
    { numRuns: 250 },
  );
});
