/** Owns resolving references inside a document. */
import { isRecord, pointerStep, resolvePointer } from '@holdfast/core/internal/plain';
import type { Plain } from './document.ts';

const maxChainLength = 32;

/** Cached, since a document repeats its references. */
const found = new WeakMap<object, Map<string, unknown>>();

/** The target of `#/components/schemas/Pet`; `undefined` if there is none. Own properties only. */
export function pointedAt(root: Plain, reference: string): unknown {
  const known = found.get(root) ?? new Map<string, unknown>();
  found.set(root, known);
  if (!known.has(reference)) known.set(reference, resolvePointer(reference, root));
  return known.get(reference);
}

/** The last segment of a reference, as a name. */
export const lastStep = (reference: string): string => pointerStep(reference.split('/').at(-1) ?? '');

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
