/**
 * Owns the property names in arguments: finding the dangerous ones and removing quotes around them.
 *
 * Invariant: takes time linear in the size of the value, and terminates on circular values.
 */
import type { JsonSchema } from '@holdfast/core';
import { isRecord, isText, type JsonObject, jsonText, parseJsonOrUndefined } from '../json.ts';

/** A property name in the value that could be used for prototype pollution, or `undefined`. `constructor` is allowed if the schema declares it. */
export function dangerousName(value: unknown, schema: JsonSchema | undefined): string | undefined {
  const seen = new Set<object>();
  const pending: unknown[] = [value];
  let named: boolean | undefined;
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part !== 'object' || part === null || seen.has(part)) continue;
    seen.add(part);
    for (const [name, inner] of Object.entries(part)) {
      if (name === '__proto__') return name;
      if (name === 'constructor' && !(named ??= jsonText(schema).includes('"constructor"'))) return name;
      pending.push(inner);
    }
  }
  return undefined;
}

/**
 * `{"\"path\"": "\"a\""}` as `{"path": "a"}`. `undefined` unless the schema has all names without their quotes and none with them,
 * and all strings among the values are quoted too, or none: otherwise the quotes of a value may belong to it.
 */
export function unwrapQuotedNames(value: JsonObject, schema: JsonSchema): JsonObject | undefined {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const names = Object.keys(value);
  const bare = names.map(unquote);
  if (names.length === 0 || names.some((name) => Object.hasOwn(properties, name)) || new Set(bare).size !== names.length) return undefined;
  if (!bare.every((name) => name !== undefined && Object.hasOwn(properties, name))) return undefined;
  const texts = Object.values(value).filter(isText);
  const unquoted = texts.map(unquote).filter((text) => text !== undefined);
  if (unquoted.length > 0 && unquoted.length < texts.length) return undefined;
  return Object.fromEntries(
    Object.values(value).map((inner, index) => [bare[index] ?? '', isText(inner) ? (unquote(inner) ?? inner) : inner]),
  );
}

function unquote(text: string): string | undefined {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return undefined;
  const inner = parseJsonOrUndefined(text);
  return isText(inner) ? inner : undefined;
}

/** The name of a schema's only property, or `undefined`. */
export function onlyProperty(schema: JsonSchema | undefined): string | undefined {
  const properties = schema?.['properties'];
  const names = isRecord(properties) ? Object.keys(properties) : [];
  return names.length === 1 ? names[0] : undefined;
}
