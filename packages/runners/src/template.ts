/**
 * Owns templates: `{{arguments.path.to.value}}` inside a string is replaced by a value of the call's arguments.
 * There are no expressions, defaults or escapes, and an inserted value is never read as a template.
 */
import { misuse } from './options/fields.ts';
import { runnerError } from './runner-error.ts';

const placeholder = /\{\{\s*arguments\.([A-Za-z_$][\w$-]*(?:\.[\w$-]+)*)\s*\}\}/g;

/** Refuses a string with braces that are not a placeholder, so that typing errors are found at construction. */
export function checkTemplate(field: string, template: string): void {
  const rest = template.replace(placeholder, '');
  if (rest.includes('{{') || rest.includes('}}')) throw misuse(field, template, 'write placeholders as {{arguments.name}}');
}

/** The argument paths of a template, such as `city` or `address.street`. */
export function pathsIn(template: string): readonly string[] {
  return [...template.matchAll(placeholder)].map((match) => match[1] ?? '');
}

/** The path, if the template is a single placeholder. */
export function solePath(template: string): string | undefined {
  const match = [...template.matchAll(placeholder)][0];
  return match !== undefined && match[0] === template ? match[1] : undefined;
}

/** Own properties only: `constructor` or `__proto__` are never found by accident. */
export function valueAt(args: unknown, path: string): unknown {
  let value = args;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

/** A value as text: objects and arrays as JSON. `undefined` and `null` have no text. */
export function asText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  return JSON.stringify(value);
}

/** Fills every placeholder. Rejects the call with `INVALID_ARGUMENT` if a value is missing. */
export function fillTemplate(template: string, args: unknown, encode: (value: string) => string = (value) => value): string {
  return template.replace(placeholder, (_match, path: string) => {
    const value = asText(valueAt(args, path));
    if (value === undefined) throw runnerError('INVALID_ARGUMENT', `Required parameter '${path}' missing`);
    return encode(value);
  });
}
