/**
 * Owns the headers that a tool's input schema declares with `x-mcp-header` (modern era, HTTP).
 */
import { type JsonObject, isJsonObject } from '../message.ts';
import { headerValue } from './http/header-value.ts';

/** An argument of a tool that is also sent as an HTTP header, as `x-mcp-header` in its schema declares. */
export interface HeaderDeclaration {
  /** Name of the header without `Mcp-Param-`. */
  readonly name: string;
  /** Path from the arguments to the value. */
  readonly path: readonly string[];
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const headerTypes: readonly unknown[] = ['string', 'integer', 'boolean'];
/** Deeper parts of a schema are not searched. */
const maxDepth = 64;

/** Returns the declarations of a schema, or the problem of an invalid one: such a tool must not be offered. */
export function headerDeclarations(inputSchema: unknown): readonly HeaderDeclaration[] | string {
  const found: HeaderDeclaration[] = [];
  const problem = collect(inputSchema, [], found, true);
  if (problem !== undefined) return problem;
  const names = new Set(found.map(({ name }) => name.toLowerCase()));
  return names.size === found.length ? found : 'two values of x-mcp-header are equal';
}

/** Returns alternating names and values. */
export function toolHeaders(declared: readonly HeaderDeclaration[], args: unknown): string[] {
  const headers: string[] = [];
  for (const { name, path } of declared) {
    let value: unknown = args;
    for (const key of path) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value))
      headers.push(`Mcp-Param-${name}`, headerValue(String(value)));
  }
  return headers;
}

/** `isReachable`: the path contains only `properties`. */
function collect(schema: unknown, path: readonly string[], found: HeaderDeclaration[], isReachable: boolean): string | undefined {
  if (path.length > maxDepth) return undefined;
  if (Array.isArray(schema)) return firstProblem(schema, (each) => collect(each, [...path, ''], found, false));
  if (!isJsonObject(schema)) return undefined;
  const problem = readDeclaration(schema, path, found, isReachable);
  if (problem !== undefined) return problem;
  return firstProblem(Object.entries(schema), ([keyword, value]) => {
    if (literals.has(keyword)) return undefined;
    if (!named.has(keyword) || !isJsonObject(value)) return collect(value, [...path, ''], found, false);
    const stays = isReachable && keyword === 'properties';
    return firstProblem(Object.entries(value), ([key, each]) => collect(each, [...path, key], found, stays));
  });
}

/** Keywords whose values are data, not schemas. */
const literals: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'x-mcp-header', 'required', 'type']);
/** Keywords whose values are schemas by arbitrary names. */
const named: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);

function readDeclaration(
  schema: JsonObject,
  path: readonly string[],
  found: HeaderDeclaration[],
  isReachable: boolean,
): string | undefined {
  if (!Object.hasOwn(schema, 'x-mcp-header')) return undefined;
  const name = schema['x-mcp-header'];
  if (!isReachable || path.length === 0) return 'x-mcp-header is not on an argument';
  if (typeof name !== 'string' || !token.test(name)) return `x-mcp-header is not a valid header name: ${JSON.stringify(name)}`;
  if (!headerTypes.includes(schema['type'])) return `x-mcp-header ${name} is on a value that is not a string, integer or boolean`;
  found.push({ name, path });
  return undefined;
}

function firstProblem<Value>(values: readonly Value[], problemOf: (value: Value) => string | undefined): string | undefined {
  for (const value of values) {
    const problem = problemOf(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
