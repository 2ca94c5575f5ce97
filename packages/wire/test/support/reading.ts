/** Owns short descriptions of what the reader says about arguments. */
import type { JsonSchema } from '@holdfast/core';
import type { ArgumentRequest } from '@holdfast/core/agent';
import { readArguments } from '../../src/arguments/read-arguments.ts';

export const text = { type: 'string' };
export const object = (properties: Readonly<Record<string, unknown>>, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
});

export const ask = (raw: unknown, more: Partial<ArgumentRequest> = {}): ArgumentRequest => ({
  raw,
  toolName: 'search',
  schema: undefined,
  effect: undefined,
  truncated: false,
  ...more,
});
/** The value, with the repairs if there are any; or `cut off` or `refused`. */
export const said = (raw: unknown, more: Partial<ArgumentRequest> = {}): unknown => {
  const reading = readArguments(ask(raw, more));
  if (reading.ok) return reading.repairs.length === 0 ? reading.value : [reading.value, ...reading.repairs];
  return reading.truncated ? 'cut off' : 'refused';
};

export type ReadRow = readonly [name: string, raw: unknown, expected: unknown, more?: Partial<ArgumentRequest>];
export type RefusedRow = readonly [name: string, raw: string, more?: Partial<ArgumentRequest>];
