/** Prints the reference of the Turn API from its OpenAPI document. */
import { ToolExecutionService } from '@holdfast/core';
import { createApi } from '../../apps/gateway/src/api/api.ts';
import { code, type Row, table } from './page.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

interface Document {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export async function apiPage(): Promise<string> {
  const document = await readDocument();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, operation })),
  );
  const routes = document.tags.flatMap(({ name, description }) => [
    `## ${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    description,
    ...operations.filter(({ operation }) => operation.tags[0] === name).flatMap(({ title, operation }) => operationPart(title, operation)),
  ]);
  const shapes = Object.entries(document.components.schemas)
    .filter(([name]) => !ofTurnFiles.has(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [
    '# The Turn API: every route',
    'Generated from the OpenAPI document that a gateway serves at `/openapi.json`. [The guide](../guide/turn-api.md) describes how to use it.',
    document.info.description,
    ...routes,
    '## Shapes',
    'A plan and a policy are those of [turn files](manifest.md). A field marked `?` may be absent. Clients must ignore unknown fields.',
    ...shapes.flatMap(([name, schema]) => shapePart(name, schema)),
  ].join('\n\n');
}

/** Described with turn files. */
const ofTurnFiles: ReadonlySet<string> = new Set([
  'TurnPlan',
  'PlannedCall',
  'Policy',
  'RetryPolicy',
  'CircuitBreaker',
  'Rate',
  'Concurrency',
  'RateLimit',
  'RetryBudget',
  'Hedge',
]);

async function readDocument(): Promise<Document> {
  const api = createApi({ service: new ToolExecutionService({ tools: [] }) });
  const response = await api.fetch(new Request('http://127.0.0.1/openapi.json'), {});
  return (await response.json()) as Document;
}

function operationPart(title: string, { summary, description, parameters = [], requestBody, responses }: Operation): readonly string[] {
  const given = parameters.map(({ name, in: place, schema }): Row => [
    code(name),
    place,
    typeText(schema),
    schema.default === undefined ? '' : code(JSON.stringify(schema.default)),
    schema.description ?? '',
  ]);
  const body = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => `${typeText(schema)} as ${code(type)}`);
  const answers = Object.entries(responses).map(([status, { description, content = {} }]): Row => [
    status,
    description,
    Object.entries(content)
      .map(([type, { schema }]) => (type === 'text/event-stream' ? code(type) : typeText(schema)))
      .join(', '),
  ]);
  return [
    `### ${code(title)}`,
    [`${summary}.`, description ?? ''].join(' ').trim(),
    ...(body.length === 0 ? [] : [`Body: ${body.join(', or ')}.`]),
    ...(given.length === 0 ? [] : [table(['parameter', 'in', 'type', 'default', 'meaning'], given)]),
    table(['status', 'when', 'answer'], answers),
  ];
}

function shapePart(name: string, schema: Schema): readonly string[] {
  const heading = [`### ${name}`, ...(schema.description === undefined ? [] : [schema.description])];
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return [...heading, `${typeText({ ...schema, $ref: '' })}.`];
  const rows = fields.map(([field, own]): Row => [
    code(schema.required?.includes(field) === true ? field : `${field}?`),
    typeText(own),
    own.description ?? '',
  ]);
  return [...heading, table(['field', 'type', 'meaning'], rows)];
}

function typeText(schema: Schema): string {
  const { $ref: reference, enum: words, const: constant, items, anyOf, oneOf, allOf, type, properties } = schema;
  if (reference) return linkTo(reference.split('/').at(-1) ?? '');
  if (words) return words.map((word) => code(JSON.stringify(word))).join(', ');
  if (constant !== undefined) return code(JSON.stringify(constant));
  const choices = anyOf ?? oneOf ?? allOf;
  if (choices) return choices.map(typeText).join(' or ');
  if (type === 'array') return `list of ${items ? typeText(items) : 'anything'}`;
  const fields = Object.entries(properties ?? {});
  if (fields.length > 0) return `{ ${fields.map(([name, own]) => `${name}: ${typeText(own)}`).join(', ')} }`;
  if (type === undefined) return 'anything';
  return [[type].flat().join(' or '), rangeText(schema)].filter(Boolean).join(', ');
}

const linkTo = (name: string): string => (ofTurnFiles.has(name) ? `[${name}](manifest.md)` : `[${name}](#${name.toLowerCase()})`);

function rangeText({ minimum, maximum }: Schema): string {
  if (minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER) return '';
  return maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? `from ${minimum}` : `${minimum} to ${maximum}`;
}
