/** Owns reading JSON pointers, as in the references and errors of JSON Schemas. */

/** The names along a pointer, such as `#/$defs/a~1b` or `/a/0`. */
export function pointerSteps(pointer: string): readonly string[] {
  const path = pointer.startsWith('#') ? pointer.slice(1) : pointer;
  return path.split('/').slice(1).map(pointerStep);
}

/** The name that one segment of a pointer stands for. */
export function pointerStep(segment: string): string {
  return decode(segment).replaceAll('~1', '/').replaceAll('~0', '~');
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** What a reference within a document, `#` or `#/…`, leads to; `undefined` if nothing. Own properties only. */
export function resolvePointer(pointer: string, root: unknown): unknown {
  if (pointer !== '#' && !pointer.startsWith('#/')) return undefined;
  let value = root;
  for (const step of pointerSteps(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

/** Whether a reference within a schema, `#` or `#/…`, leads to a schema. */
export function leadsToSchema(pointer: string, root: unknown): boolean {
  const value = resolvePointer(pointer, root);
  return pointer === '#' || (typeof value === 'object' && value !== null && !Array.isArray(value)) || typeof value === 'boolean';
}

const idKeywords: readonly string[] = ['$anchor', '$id', '$dynamicAnchor'];

/** Whether a schema has ids or anchors, to a depth; then only a validator can resolve its references. */
export function hasSchemaIds(schema: unknown, maxDepth: number): boolean {
  if (typeof schema !== 'object' || schema === null || maxDepth < 0) return false;
  return Object.entries(schema).some(
    ([key, entry]) => (idKeywords.includes(key) && typeof entry === 'string') || hasSchemaIds(entry, maxDepth - 1),
  );
}
