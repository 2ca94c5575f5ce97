/**
 * Converts between snake_case and camelCase, by shape. Expects valid values; others pass through unchanged.
 */
import { isRecord } from '@holdfast/core/internal/plain';
import type { Field, Shape } from './shape.ts';

/** From the file to the code: `retry_policy.max_attempts` → `retry.maxAttempts`. */
export function toCode(value: unknown, shape: Shape, resolvePath: (path: string) => string = (path) => path): unknown {
  const convertInner = (inner: unknown, of: Shape): unknown => toCode(inner, of, resolvePath);
  if (shape.kind === 'text' && shape.role === 'path' && typeof value === 'string') return resolvePath(value);
  if (isNoLimit(value, shape)) return Infinity;
  if (shape.kind === 'list' && shape.single && !Array.isArray(value)) return [convertInner(value, shape.of)];
  if (shape.kind !== 'record' || !isRecord(value)) return convertParts(value, shape, convertInner);
  const entries = shape.fields.flatMap((field): [string, unknown][] => {
    const key = [field.key, field.alias].find((name) => name !== undefined && Object.hasOwn(value, name));
    const given = key === undefined ? undefined : value[key];
    if (given === undefined) return [];
    const inner = convertInner(given, field.shape);
    return [[field.property, field.boxed ? { value: inner } : inner]];
  });
  return Object.fromEntries(entries);
}

/** From the code to the file: `retry.maxAttempts` → `retry_policy.max_attempts`. */
export function toFile(value: unknown, shape: Shape): unknown {
  if (shape.kind !== 'record' || !isRecord(value)) return convertParts(value, shape, toFile);
  const entries = shape.fields.flatMap((field): [string, unknown][] => {
    const given = unbox(value[field.property], field);
    return given === undefined ? [] : [[field.key, toFile(given, field.shape)]];
  });
  return Object.fromEntries(entries);
}

function unbox(value: unknown, field: Field): unknown {
  return field.boxed && isRecord(value) ? value['value'] : value;
}

function convertParts(value: unknown, shape: Shape, convert: (value: unknown, shape: Shape) => unknown): unknown {
  if (shape.kind === 'list' && Array.isArray(value)) return value.map((entry) => convert(entry, shape.of));
  if (shape.kind === 'map' && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, convert(entry, shape.of)]));
  }
  if (shape.kind === 'either') {
    const option = shape.options.find((candidate) => fits(value, candidate));
    return option ? convert(value, option) : value;
  }
  return value;
}

/** The word for a number without a limit. */
export const noLimit = 'none';

function isNoLimit(value: unknown, shape: Shape): boolean {
  return value === noLimit && shape.kind === 'number' && shape.infinite === true;
}

/** Whether a value has the kind of a shape. Does not check ranges or choices. */
export function fits(value: unknown, shape: Shape): boolean {
  switch (shape.kind) {
    case 'text':
    case 'choice':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' || isNoLimit(value, shape);
    case 'boolean':
      return typeof value === 'boolean';
    case 'literal':
      return value === shape.value;
    case 'list':
      return Array.isArray(value) || (shape.single === true && fits(value, shape.of));
    case 'map':
    case 'record':
    case 'schema':
      return isRecord(value);
    case 'either':
      return shape.options.some((option) => fits(value, option));
    case 'anything':
      return true;
  }
}
