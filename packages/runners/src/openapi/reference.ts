/** Owns the following of references inside a document. */
import { isRecord } from '@holdfast/core/internal/plain';
import type { Plain } from './document.ts';

const longestChain = 32;

/** A document is full of the same references. */
const found = new WeakMap<object, Map<string, unknown>>();

/** What `#/components/schemas/Pet` leads to; `undefined` when it leads nowhere. Own properties only. */
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
    const key = unescaped(step);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Plain)[key];
  }
  return value;
}

/** The last step of a reference, as a name. */
export const lastStep = (reference: string): string => unescaped(reference.split('/').at(-1) ?? '');

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step.replaceAll('~1', '/').replaceAll('~0', '~');
  }
}

/** The object that is meant, with what stands beside a reference laid over it; `undefined` when it leads nowhere or in a circle. */
export function followed(root: Plain, given: unknown): Plain | undefined {
  let value = given;
  let beside: Plain = {};
  for (let step = 0; step < longestChain; step++) {
    if (!isRecord(value)) return undefined;
    const { $ref: reference, ...rest } = value;
    if (typeof reference !== 'string') return { ...value, ...beside };
    beside = { ...rest, ...beside };
    value = pointedAt(root, reference);
  }
  return undefined;
}
