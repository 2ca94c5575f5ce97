/**
 * Owns the property names in arguments: finding the dangerous ones and removing quotes around them.
 *
 * Invariant: takes time linear in the size of the value, and terminates on circular values.
 */
import type { JsonSchema } from '@holdfast/core';
import { isRecord, isText, type JsonObject, jsonText, parseJsonOrUndefined } from '../json.ts';

/** A property name in the value that could be used for prototype pollution, or `undefined`. `constructor` is allowed if the schema declares it. */
export function dangerousName(value: unknown, schema: JsonSchema | undefined): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const seen = new Set<object>();
  const pending: object[] = [value];
  let named: boolean | undefined;
  for (let part = pending.pop(); part; part = pending.pop()) {
    if (seen.has(part)) continue;
    seen.add(part);
    for (const name of Object.keys(part)) {
      if (name === '__proto__') return name;
      if (name === 'constructor' && !(named ??= jsonText(schema).includes('"constructor"'))) return name;
      const inner = (part as JsonObject)[name];
      if (typeof inner === 'object' && inner !== null) pending.push(inner);
    }
  }
  return undefined;
}

/** Whether all names are in quotes of their own, and the schema has them without these quotes only: `{"\"path\"": "a"}`. */
export function hasQuotedNames(value: JsonObject, schema: JsonSchema): boolean {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const names = Object.keys(value);
  const isQuoted = (name: string): boolean =>
    name.startsWith('"') && !Object.hasOwn(properties, name) && Object.hasOwn(properties, unquote(name) ?? name);
  return names.length > 0 && names.every(isQuoted);
}

/** Removes the quotes around names, and around all strings among the values. `undefined` if only some of these have them, which may belong to the value. */
export function unwrapQuotedNames(value: JsonObject): JsonObject | undefined {
  const texts = Object.values(value).filter(isText);
  const quoted = texts.filter((text) => unquote(text) !== undefined);
  if (quoted.length > 0 && quoted.length < texts.length) return undefined;
  const entries = Object.entries(value).map(([name, inner]) => [unquote(name) ?? name, isText(inner) ? (unquote(inner) ?? inner) : inner]);
  const unwrapped = Object.fromEntries(entries) as JsonObject;
  return Object.keys(unwrapped).length === entries.length ? unwrapped : undefined;
}

function unquote(text: string): string | undefined {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return undefined;
  const inner = parseJsonOrUndefined(text);
  return isText(inner) ? inner : undefined;
}
