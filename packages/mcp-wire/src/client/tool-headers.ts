/**
 * Owns the headers that a tool's input schema asks for by `x-mcp-header` (modern era, HTTP).
 */
import { type JsonObject, isJsonObject } from '../message.ts';
import { headerValue } from './http/header-value.ts';

/** An argument of a tool that is also sent as an HTTP header, as `x-mcp-header` in its schema declares. */
export interface HeaderDeclaration {
  /** Without `Mcp-Param-`. */
  readonly name: string;
  /** Keys from the arguments to the value. */
  readonly path: readonly string[];
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const headerTypes: readonly unknown[] = ['string', 'integer', 'boolean'];
/** A schema nested deeper than this is not looked into. */
const deepest = 64;

/** What a schema declares, or the reason why it is against the rules: such a tool is not to be offered. */
export function headerDeclarations(inputSchema: unknown): readonly HeaderDeclaration[] | string {
  const found: HeaderDeclaration[] = [];
  const problem = collect(inputSchema, [], found, true);
  if (problem !== undefined) return problem;
  const names = new Set(found.map(({ name }) => name.toLowerCase()));
  return names.size === found.length ? found : 'two values of x-mcp-header are the same';
}

/** Names and values in turn. */
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

/** `isReachable`: the way here led over `properties` only. */
function collect(schema: unknown, path: readonly string[], found: HeaderDeclaration[], isReachable: boolean): string | undefined {
  if (path.length > deepest) return undefined;
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

/** Their values are data, not schemas. */
const literals: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'x-mcp-header', 'required', 'type']);
/** Their values are schemas by names that may be anything. */
const named: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);

function readDeclaration(
  schema: JsonObject,
  path: readonly string[],
  found: HeaderDeclaration[],
  isReachable: boolean,
): string | undefined {
  if (!Object.hasOwn(schema, 'x-mcp-header')) return undefined;
  const name = schema['x-mcp-header'];
  if (!isReachable || path.length === 0) return 'x-mcp-header stands where no argument is';
  if (typeof name !== 'string' || !token.test(name)) return `x-mcp-header is no name of a header: ${JSON.stringify(name)}`;
  if (!headerTypes.includes(schema['type'])) return `x-mcp-header ${name} belongs to a value that is no string, integer or boolean`;
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
