/** Describes shapes and values for messages. */
import { truncate } from '@holdfast/core/internal/plain';
import type { NumberShape, Shape } from './shape.ts';

const maxKeys = 8;

/** Such as `a whole number of at least 1` or `false or an object`. */
export function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
      return shape.form?.description ?? textRoles[shape.role ?? 'plain'];
    case 'number':
      return shape.infinite ? `${describeNumber(shape)}, or 'none'` : describeNumber(shape);
    case 'boolean':
      return 'true or false';
    case 'choice':
      return shape.values.length === 1 ? quote(shape.values[0] ?? '') : `one of ${shape.values.map(quote).join(', ')}`;
    case 'literal':
      return String(shape.value);
    case 'list':
      return shape.single ? `${describeShape(shape.of)}, or a list of these` : 'a list';
    case 'map':
      return 'an object';
    case 'record':
      return shape.fields.length > maxKeys ? 'an object' : `an object with ${shape.fields.map((field) => field.key).join(', ')}`;
    case 'schema':
      return 'a JSON Schema object';
    case 'either':
      return shape.options.map(describeShape).join(', or ');
    case 'anything':
      return 'any JSON value';
  }
}

const textRoles = {
  plain: 'text',
  identifier: "a name of letters, digits, '_', '-', '.', ':' or '/'",
  path: 'a path',
  regex: 'a regular expression',
  url: 'a URL',
  database: 'a URL such as postgres://user@host/database',
  method: 'an HTTP method',
} as const;

function describeNumber(shape: NumberShape): string {
  const noun = shape.integer ? 'a whole number' : 'a number';
  const unit = shape.unit ? ` of ${shape.unit}` : '';
  const low = shape.above !== undefined ? `above ${shape.above}` : shape.minimum !== undefined ? `${shape.minimum} or more` : '';
  if (shape.maximum === undefined) return `${noun}${unit}${low ? `, ${low}` : ''}`;
  return shape.above === undefined
    ? `${noun}${unit} from ${shape.minimum ?? 'any'} to ${shape.maximum}`
    : `${noun}${unit} above ${shape.above} and up to ${shape.maximum}`;
}

export const quote = (word: string): string => `'${word}'`;

const maxShownLength = 60;

/** A value for a message: short, and on one line. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing (null)';
  if (typeof value === 'string') {
    const line = JSON.stringify(value)
      .slice(1, -1)
      .replaceAll(String.raw`\"`, '"');
    return quote(truncate(line, maxShownLength));
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'an object';
}

const maxNames = 20;

/** `a, b, c`; a long list is shortened. */
export function nameList(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).join(', ');
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown;
}
