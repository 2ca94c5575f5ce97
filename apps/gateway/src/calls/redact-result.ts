/** Owns redacting results: every string in them, and nothing else. */
import type { Redactor } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';

/** Fields that are not redacted: secrets cannot be recognized in base64, and a mask would break it. */
const untouched: ReadonlySet<string> = new Set(['data', 'blob', 'mimeType', 'type', 'uri']);
const maxDepth = 100;

/** Returns the same object if there is nothing to redact. */
export function redactResult(result: JsonObject, redact: Redactor): JsonObject {
  return redactedValue(result, redact, 0) as JsonObject;
}

export function redactedValue(value: unknown, redact: Redactor, depth: number = 0): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '[redacted]';
  return Array.isArray(value) ? redactedItems(value, redact, depth) : redactedFields(value as JsonObject, redact, depth);
}

function redactedItems(items: readonly unknown[], redact: Redactor, depth: number): readonly unknown[] {
  let isChanged = false;
  const shown = items.map((item) => {
    const one = redactedValue(item, redact, depth + 1);
    isChanged ||= one !== item;
    return one;
  });
  return isChanged ? shown : items;
}

function redactedFields(fields: JsonObject, redact: Redactor, depth: number): JsonObject {
  let shown: Record<string, unknown> | undefined;
  for (const key of Object.keys(fields)) {
    const field = fields[key];
    const one = isUntouched(fields, key) ? field : redactedValue(field, redact, depth + 1);
    if (one === field) continue;
    shown ??= { ...fields };
    shown[key] = one;
  }
  return shown ?? fields;
}

/** Only in content: structured results may use the name `data` for anything. */
function isUntouched(fields: JsonObject, key: string): boolean {
  return untouched.has(key) && (typeof fields['mimeType'] === 'string' || key === 'type') && typeof fields[key] === 'string';
}
