/** Owns resolving references inside a document. */
import { isRecord } from '@holdfast/core/internal/plain';
import type { Plain } from './document.ts';

const maxChainLength = 32;

/** Cached, since a document repeats its references. */
const found = new WeakMap<object, Map<string, unknown>>();

/** The target of `#/components/schemas/Pet`; `undefined` if there is none. Own properties only. */
export function pointedAt(root: Plain, reference: string): unknown {
  const known = found.get(root) ?? new Map<string, unknown>();
  found.set(root, known);
  if (!known.has(reference)) known.set(reference, search(root, reference));
  return known.get(reference);
}

function search(root: Plain, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let value: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = unescape(step);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Plain)[key];
  }
  return value;
}

/** The last segment of a reference, as a name. */
export const lastStep = (reference: string): string => unescape(reference.split('/').at(-1) ?? '');

function unescape(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step.replaceAll('~1', '/').replaceAll('~0', '~');
  }
}

/** The target object, overridden by the siblings of the reference; `undefined` if there is none, or for a cycle. */
export function follow(root: Plain, given: unknown): Plain | undefined {
  let value = given;
  let beside: Plain = {};
  for (let step = 0; step < maxChainLength; step++) {
    if (!isRecord(value)) return undefined;
    const { $ref: reference, ...rest } = value;
    if (typeof reference !== 'string') return { ...value, ...beside };
    beside = { ...rest, ...beside };
    value = pointedAt(root, reference);
  }
  return undefined;
}
