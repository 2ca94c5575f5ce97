/** Owns converting a tool policy between snake_case and camelCase, in both directions, from the table in `tables/policy.ts`. */
import type { ToolPolicy } from '@holdfast/core';
import { toCode, toFile } from './shape/convert.ts';
import { policyShape } from './tables/policy.ts';

/** A policy as in a file, such as `{ retry_policy: { max_attempts: 3 } }`. */
export type FilePolicy = Readonly<Record<string, unknown>>;

/** `{ retry_policy: { max_attempts: 3 } }` → `{ retry: { maxAttempts: 3 } }`. Expects a checked policy; unknown keys are left out. */
export function toPolicy(policy: FilePolicy): ToolPolicy {
  return toCode(policy, policyShape) as ToolPolicy;
}

/** `{ retry: { maxAttempts: 3 } }` → `{ retry_policy: { max_attempts: 3 } }`. */
export function fromPolicy(policy: ToolPolicy): FilePolicy {
  return toFile(policy, policyShape) as FilePolicy;
}
