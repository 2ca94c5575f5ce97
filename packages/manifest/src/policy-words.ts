/** Owns converting a tool policy between snake_case and camelCase, in both directions, from the table in `tables/policy.ts`. */
import type { ToolPolicy } from '@holdfast/core';
import { toolFields } from '@holdfast/core/internal';
import { checkOptions, isRecord, refuse } from '@holdfast/core/internal/plain';
import { suggestName } from './checks/suggest-name.ts';
import { fits, toCode, toFile } from './shape/convert.ts';
import type { Shape } from './shape/shape.ts';
import { policyShape } from './tables/policy.ts';

/** A policy as in a file, such as `{ retry_policy: { max_attempts: 3 } }`. */
export type FilePolicy = Readonly<Record<string, unknown>>;

/** `{ retry_policy: { max_attempts: 3 } }` → `{ retry: { maxAttempts: 3 } }`. Its values are not checked. @throws TypeError for an unknown key */
export function toPolicy(policy: FilePolicy): ToolPolicy {
  checkKeys(policy, policyShape, 'toPolicy: policy');
  return toCode(policy, policyShape) as ToolPolicy;
}

/** `{ retry: { maxAttempts: 3 } }` → `{ retry_policy: { max_attempts: 3 } }`. @throws TypeError | RangeError for a setting that cannot be read */
export function fromPolicy(policy: ToolPolicy): FilePolicy {
  checkOptions(toolFields, policy, 'fromPolicy: policy');
  return toFile(policy, policyShape) as FilePolicy;
}

/** A key that has no meaning would be lost. */
function checkKeys(value: unknown, shape: Shape, where: string): void {
  if (shape.kind === 'either') {
    const option = shape.options.find((candidate) => fits(value, candidate));
    return option && checkKeys(value, option, where);
  }
  if (shape.kind !== 'record') return undefined;
  if (!isRecord(value) || value instanceof Promise) return refuse(where, value, 'an object of settings', '');
  const known = shape.fields.flatMap(({ key, alias }) => (alias === undefined ? [key] : [key, alias]));
  for (const [name, inner] of Object.entries(value)) {
    const field = shape.fields.find(({ key, alias }) => name === key || name === alias);
    if (!field) {
      const nearest = shape.fields.find(({ property }) => property === name)?.key ?? suggestName(name, known);
      throw new TypeError(`${where} has no setting '${name}'. ${nearest ? `Did you mean '${nearest}'?` : `Known: ${known.join(', ')}.`}`);
    }
    if (isRecord(inner)) checkKeys(inner, field.shape, `${where}.${name}`);
  }
}
