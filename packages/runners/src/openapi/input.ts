/**
 * Owns the arguments of an operation: one flat object, and the place of each part in the request.
 *
 * Invariants
 * 1. Names of arguments are unique. In a conflict the first of path, query, header, cookie and body gets the name, and the other one is prefixed
 *    with its place.
 * 2. What the configuration sends is not an argument.
 */
import type { JsonSchema } from '@holdfast/core';
import { isRecord } from '@holdfast/core/internal/plain';
import { bodyOf, type BodyPlan } from './body.ts';
import type { OpenapiDocument, Plain } from './document.ts';
import type { Operation } from './operations.ts';
import { follow } from './reference.ts';
import { type SchemaWriter, withWriter } from './schema.ts';

type Place = 'path' | 'query' | 'header' | 'cookie';
const places: readonly Place[] = ['path', 'query', 'header', 'cookie'];

export interface ParameterPlan {
  /** Name of the argument. */
  readonly argument: string;
  /** Name in the request. */
  readonly name: string;
  readonly place: Place;
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Whether the value is written as JSON. */
  readonly isJson: boolean;
}

export interface InputPlan {
  readonly schema: JsonSchema;
  readonly parameters: readonly ParameterPlan[];
  readonly body: BodyPlan | undefined;
}

export interface InputOptions {
  /** Names of configured headers and query parameters, in lower case. */
  readonly sentHeaders: ReadonlySet<string>;
  readonly sentQuery: ReadonlySet<string>;
}

/** Headers that the request sets itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'authorization',
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
]);

/** @throws TypeError if the operation cannot be called with a flat JSON object */
export function inputOf(document: OpenapiDocument, operation: Operation, options: InputOptions): InputPlan {
  return withWriter(document, 'input', (writer) => inputWith(writer, document, operation, options));
}

function inputWith(writer: SchemaWriter, document: OpenapiDocument, operation: Operation, options: InputOptions): InputPlan {
  const names = new Set<string>();
  const properties: [string, JsonSchema][] = [];
  const required: string[] = [];
  const uniqueName = (wished: string, place: string): string => {
    let name = names.has(wished) ? `${place}_${wished}` : wished;
    for (let number = 2; names.has(name); number++) name = `${place}_${wished}_${number}`;
    names.add(name);
    return name;
  };
  const parameters = operation.parameters
    .filter((parameter) => isAsked(parameter, options))
    .toSorted((a, b) => places.indexOf(a['in'] as Place) - places.indexOf(b['in'] as Place))
    .map((parameter) => {
      const plan = parameterPlan(parameter, uniqueName(String(parameter['name']), String(parameter['in'])));
      const schema = parameter['schema'] ?? contentOf(parameter)?.['schema'];
      properties.push([plan.argument, describeParameter(writer.write(schema), parameter, plan)]);
      if (plan.place === 'path' || parameter['required'] === true) required.push(plan.argument);
      return plan;
    });
  const body = operation.body === undefined ? undefined : bodyOf(document, operation.body, uniqueName);
  for (const field of body?.fields ?? []) {
    const renamed = field.name !== undefined && field.name !== field.argument ? { description: `'${field.name}' of the body.` } : {};
    properties.push([field.argument, withDescription(writer.write(field.schema), renamed)]);
    if (field.isRequired) required.push(field.argument);
  }
  const further = body?.further;
  const additionalProperties = further === undefined ? false : further === true || writer.write(further);
  const definitions = writer.definitions();
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties,
      ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
    },
    parameters,
    body,
  };
}

function isAsked(parameter: Plain, { sentHeaders, sentQuery }: InputOptions): boolean {
  const name = String(parameter['name']);
  if (parameter['in'] === 'header') return !sentHeaders.has(name.toLowerCase()) && !ownHeaders.has(name.toLowerCase());
  if (parameter['in'] === 'query') return !sentQuery.has(name);
  return places.includes(parameter['in'] as Place);
}

function parameterPlan(parameter: Plain, argument: string): ParameterPlan {
  const place = parameter['in'] as Place;
  const style = typeof parameter['style'] === 'string' ? parameter['style'] : place === 'path' || place === 'header' ? 'simple' : 'form';
  return {
    argument,
    name: String(parameter['name']),
    place,
    style,
    explode: typeof parameter['explode'] === 'boolean' ? parameter['explode'] : style === 'form',
    allowReserved: parameter['allowReserved'] === true,
    isJson: parameter['schema'] === undefined && contentOf(parameter) !== undefined,
  };
}

/** A parameter has a schema, or exactly one media type. */
function contentOf(parameter: Plain): Plain | undefined {
  const content = isRecord(parameter['content']) ? Object.values(parameter['content'])[0] : undefined;
  return isRecord(content) ? content : undefined;
}

function describeParameter(schema: JsonSchema, parameter: Plain, { argument, name, place }: ParameterPlan): JsonSchema {
  const own = typeof parameter['description'] === 'string' ? parameter['description'] : undefined;
  const renamed = argument === name ? undefined : `'${name}' of the ${place}.`;
  const texts = [own, renamed].filter((text) => text !== undefined);
  return withDescription(schema, texts.length === 0 ? {} : { description: texts.join(' ') });
}

/** In every dialect a description beside a reference is harmless. */
const withDescription = (schema: JsonSchema, description: { readonly description?: string }): JsonSchema => ({ ...schema, ...description });

/** The schema of the first successful JSON response. */
export function outputOf(document: OpenapiDocument, { about }: Operation): JsonSchema | undefined {
  const responses = isRecord(about['responses']) ? about['responses'] : {};
  const success = Object.keys(responses).find((status) => /^2(?:\d\d|XX)$/i.test(status));
  const content = success === undefined ? undefined : follow(document.root, responses[success])?.['content'];
  if (!isRecord(content)) return undefined;
  const type = Object.keys(content).find((each) => /[/+]json\b/i.test(each));
  const media = type === undefined ? undefined : content[type];
  if (!isRecord(media) || media['schema'] === undefined) return undefined;
  return withWriter(document, 'output', (writer) => {
    const schema = writer.write(media['schema']);
    const definitions = writer.definitions();
    return Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions };
  });
}
