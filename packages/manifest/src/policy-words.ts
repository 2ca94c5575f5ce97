/** Owns converting a tool policy between snake_case and camelCase, in both directions, from the table in `tables/policy.ts`. */
import type { ToolPolicy } from '@holdfast/core';
import { isRecord, refuse } from '@holdfast/core/internal/plain';
import { suggestName } from './checks/suggest-name.ts';
import { fits, toCode, toFile } from './shape/convert.ts';
import type { Field, Shape } from './shape/shape.ts';
import { policyShape } from './tables/policy.ts';

/** A policy as in a file, such as `{ retry_policy: { max_attempts: 3 } }`. */
export type FilePolicy = Readonly<Record<string, unknown>>;

/** `{ retry_policy: { max_attempts: 3 } }` → `{ retry: { maxAttempts: 3 } }`. Its values are not checked. @throws TypeError for an unknown key */
export function toPolicy(policy: FilePolicy): ToolPolicy {
  checkKeys(policy, policyShape, 'toPolicy: policy', inFiles);
  return toCode(policy, policyShape) as ToolPolicy;
}

/** `{ retry: { maxAttempts: 3 } }` → `{ retry_policy: { max_attempts: 3 } }`. Its values are not checked. @throws TypeError for an unknown key */
export function fromPolicy(policy: ToolPolicy): FilePolicy {
  checkKeys(policy, policyShape, 'fromPolicy: policy', inCode);
  return toFile(policy, policyShape) as FilePolicy;
}

/** A key that has no meaning would be lost. `names`: what a field is called there, and elsewhere. */
function checkKeys(value: unknown, shape: Shape, where: string, names: Names): void {
  if (shape.kind === 'either') {
    const option = shape.options.find((candidate) => fits(value, candidate));
    return option && checkKeys(value, option, where, names);
  }
  if (shape.kind !== 'record') return undefined;
  if (!isRecord(value) || value instanceof Promise) return refuse(where, value, 'an object of settings', '');
  const known = shape.fields.flatMap((field) => names(field).known);
  for (const [name, inner] of Object.entries(value)) {
    const field = shape.fields.find((each) => names(each).known.includes(name));
    if (!field) {
      const nearest = shape.fields.map(names).find(({ elsewhere }) => elsewhere === name)?.known[0] ?? suggestName(name, known);
      throw new TypeError(`${where} has no setting '${name}'. ${nearest ? `Did you mean '${nearest}'?` : `Known: ${known.join(', ')}.`}`);
    }
    if (isRecord(inner) && !field.boxed) checkKeys(inner, field.shape, `${where}.${name}`, names);
  }
}

type Names = (field: Field) => { readonly known: readonly string[]; readonly elsewhere: string };

const inFiles: Names = ({ key, alias, property }) => ({ known: alias === undefined ? [key] : [key, alias], elsewhere: property });
const inCode: Names = ({ key, property }) => ({ known: [property], elsewhere: key });
