/** Owns formatting values for messages: short, on one line, never throwing. */
import { truncate } from '@holdfast/core/internal/plain';

const maxLength = 80;

export function shortJson(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(shortened(value, { parts: maxParts })) ?? String(value);
  } catch {
    text = typeof value;
  }
  return truncate(text, maxLength);
}

/** More parts and longer strings would not be shown. */
const maxParts = 200;

function shortened(value: unknown, left: { parts: number }): unknown {
  left.parts -= 1;
  if (typeof value === 'string') return value.length > 2 * maxLength ? value.slice(0, 2 * maxLength) : value;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  if (Array.isArray(value)) return value.slice(0, Math.max(0, left.parts)).map((item) => shortened(item, left));
  const shown: (readonly [string, unknown])[] = [];
  for (const name in value) {
    if (left.parts <= 0) break;
    if (Object.hasOwn(value, name)) shown.push([name, shortened((value as Readonly<Record<string, unknown>>)[name], left)]);
  }
  return Object.fromEntries(shown);
}
