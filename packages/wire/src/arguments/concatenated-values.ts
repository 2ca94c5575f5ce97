/**
 * Owns texts of several concatenated values, as produced by wrongly assembled streams.
 *
 * Invariant: never chooses between several different values.
 */
import { isRecord, sameJson } from '../json.ts';
import type { TolerantValue } from './parse-tolerant.ts';

export interface Concatenation {
  readonly parsed: TolerantValue;
  readonly repairs: readonly ('repeated-value' | 'leading-empty-object')[];
}

/** Reduces values to one: the same value again, or empty objects in front of it. `undefined` if they differ. */
export function reduceToOne(values: readonly TolerantValue[]): Concatenation | undefined {
  const [first, ...rest] = values;
  if (!first) return undefined;
  if (rest.length === 0) return { parsed: first, repairs: [] };
  const filled = values.slice(
    Math.max(
      0,
      values.findIndex(({ value }) => !isEmpty(value)),
    ),
  );
  const [parsed = first, ...others] = filled;
  if (others.some(({ value }) => !sameJson(value, parsed.value))) return undefined;
  return { parsed, repairs: others.length > 0 ? ['repeated-value'] : ['leading-empty-object'] };
}

const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;
