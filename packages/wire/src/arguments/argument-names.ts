/**
 * Owns the property names in arguments: finding the dangerous ones and removing quotes around them.
 *
 * Invariant: takes time linear in the size of the value, and terminates on circular values.
 */
import type { JsonSchema } from '@holdfast/core';
import { isRecord, type JsonObject, jsonText } from '../json.ts';

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

/** `{"\"path\"": "\"a\""}` as `{"path": "a"}`; `undefined` unless every name is wrapped. */
export function unwrapQuotedNames(value: JsonObject): JsonObject | undefined {
  const entries = Object.entries(value);
  const names = entries.map(([name]) => unquote(name));
  if (entries.length === 0 || names.includes(undefined) || new Set(names).size !== names.length) return undefined;
  return Object.fromEntries(
    entries.map(([, inner], index) => [names[index] ?? '', typeof inner === 'string' ? (unquote(inner) ?? inner) : inner]),
  );
}

function unquote(text: string): string | undefined {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return undefined;
  try {
    const inner: unknown = JSON.parse(text);
    return typeof inner === 'string' ? inner : undefined;
  } catch {
    return undefined;
  }
}

/** The name of a schema's only property, or `undefined`. */
export function onlyProperty(schema: JsonSchema | undefined): string | undefined {
  const properties = schema?.['properties'];
  const names = isRecord(properties) ? Object.keys(properties) : [];
  return names.length === 1 ? names[0] : undefined;
}
