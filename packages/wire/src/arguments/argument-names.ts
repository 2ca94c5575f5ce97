/**
 * Owns the names in arguments: those that reach into the language are found, those that are wrapped in quotes are unwrapped.
 *
 * Invariant: the time is proportional to the value, and a circle in it ends the walk.
 */
import type { JsonSchema } from '@holdfast/core';
import { isRecord, type JsonObject, jsonText } from '../json.ts';

/** A name in the value that could change what objects do, or `undefined`. `constructor` may be a parameter that the schema names. */
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

/** `{"\"path\"": "\"a\""}` as `{"path": "a"}`; `undefined` when not every name is wrapped. */
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

/** The only property that a schema names, or `undefined`. */
export function onlyProperty(schema: JsonSchema | undefined): string | undefined {
  const properties = schema?.['properties'];
  const names = isRecord(properties) ? Object.keys(properties) : [];
  return names.length === 1 ? names[0] : undefined;
}
