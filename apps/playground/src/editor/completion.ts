/** Owns which keys and values may stand at a place of a YAML text: found by indentation and the JSON Schema of the file. */
import type { JsonSchema } from '@holdfast/core';

type Schema = Readonly<Record<string, unknown>>;

export interface Suggestion {
  /** What is inserted in place of the word before the cursor. */
  readonly text: string;
  readonly note: string;
}

export interface Completion {
  /** Where the word before the cursor begins. */
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
}

const line = /^(?<indent>\s*)(?<dash>-\s+)?(?:(?<key>[\w-]+)\s*:(?<rest>.*))?/u;

export function completionAt(text: string, cursor: number, root: JsonSchema): Completion {
  const before = text.slice(0, cursor).split('\n');
  const current = before.pop() ?? '';
  const word = /[\w-]*$/u.exec(current)?.[0] ?? '';
  const from = cursor - word.length;
  const typed = line.exec(current)?.groups ?? {};
  const indent = columnOf(typed);
  const parents = pathTo(before, indent, typed['dash'] !== undefined);
  const own = typed['key'] === undefined || /^\s*$/u.test(current) ? undefined : typed['key'];
  const place = schemaAt(own === undefined ? parents : [...parents, own], root as Schema);
  const all = own === undefined ? keysOf(place, root as Schema) : valuesOf(place);
  return { from, suggestions: all.filter((each) => each.text.startsWith(word) && each.text !== word) };
}

/** Where the key begins; that of a list's item stands after its dash. */
const columnOf = ({ indent = '', dash = '' }: Readonly<Record<string, string | undefined>>): number =>
  (indent ?? '').length + (dash ?? '').length;

/** The keys under which a line stands, from the root. A list's item is `-`. */
function pathTo(lines: readonly string[], column: number, inList: boolean): readonly string[] {
  const path: string[] = inList ? ['-'] : [];
  let limit = column;
  for (const text of lines.toReversed()) {
    const groups = line.exec(text)?.groups;
    if (groups === undefined || /^\s*(?:#|$)/u.test(text)) continue;
    const indent = (groups['indent'] ?? '').length;
    if (groups['dash'] !== undefined && columnOf(groups) === limit && path[0] !== '-') {
      path.unshift('-');
      limit = indent;
    } else if (
      columnOf(groups) < limit ||
      (path[0] === '-' && columnOf(groups) <= limit && groups['dash'] === undefined && groups['rest']?.trim() === '')
    ) {
      if (groups['key'] !== undefined) path.unshift(groups['key']);
      if (groups['dash'] !== undefined) path.unshift('-');
      limit = indent;
    }
    if (limit === 0 && path[0] !== '-') break;
  }
  return path;
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema, its reference followed, and the parts of which one or all must hold. */
function variantsOf(schema: unknown, root: Schema, depth = 0): readonly Schema[] {
  if (!isSchema(schema) || depth > 20) return [];
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const found = reference
      .replace(/^#\/?/u, '')
      .split('/')
      .reduce<unknown>((at, step) => (step === '' ? at : isSchema(at) ? at[step] : undefined), root);
    return variantsOf(found, root, depth + 1);
  }
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (Array.isArray(schema[key]) ? (schema[key] as readonly unknown[]) : []));
  return [schema, ...parts.flatMap((part) => variantsOf(part, root, depth + 1))];
}

function schemaAt(path: readonly string[], root: Schema): readonly Schema[] {
  return path.reduce<readonly Schema[]>(
    (at, step) => at.flatMap((schema) => variantsOf(childOf(schema, step), root)),
    variantsOf(root, root),
  );
}

function childOf(schema: Schema, step: string): unknown {
  if (step === '-') return schema['items'];
  const properties = schema['properties'];
  return (isSchema(properties) && properties[step]) || schema['additionalProperties'];
}

const firstSentence = (text: unknown): string => (typeof text === 'string' ? (/^[^\n]*?(?:\.(?=\s|$)|$)/u.exec(text)?.[0] ?? '') : '');

function keysOf(place: readonly Schema[], root: Schema): readonly Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const { properties } of place) {
    if (!isSchema(properties)) continue;
    for (const [key, schema] of Object.entries(properties)) {
      const [own] = variantsOf(schema, root);
      const description = (isSchema(schema) ? schema['description'] : undefined) ?? own?.['description'];
      if (!found.has(key)) found.set(key, { text: `${key}: `, note: firstSentence(description) });
    }
  }
  return [...found.values()];
}

function valuesOf(place: readonly Schema[]): readonly Suggestion[] {
  const values = place.flatMap((schema) => [
    ...(Array.isArray(schema['enum']) ? (schema['enum'] as readonly unknown[]) : []),
    ...('const' in schema ? [schema['const']] : []),
  ]);
  const booleans = place.some(({ type }) => type === 'boolean') ? [true, false] : [];
  return [...new Set([...values, ...booleans].map(String))].map((text) => ({ text, note: '' }));
}
