/** Owns reading what vendors hand over, whatever it is, and copies of it with other fields. */
import type { SuccessfulResult, ToolResult } from '@holdfast/core';
import { fieldsOf } from '@holdfast/core/internal/plain';

export { fieldsOf };

/** What is read of a foreign object. */
export type Fields = Readonly<Record<string, unknown>>;

/** The items of a list; none of anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A field of anything at all. Never throws. */
export function fieldOf(value: unknown, name: string): unknown {
  try {
    return (Object(value) as Fields)[name];
  } catch {
    return undefined;
  }
}

/** Whether the output is the very value that the tool made: nothing has to be said of it. */
export function isUnaltered(result: ToolResult): result is SuccessfulResult {
  return result.status === 'success' && !result.altered && !result.partial;
}

/** The same object with other fields; getters and symbols stay what they are. */
export function withProperties<Value extends object>(value: Value, changes: Partial<Value>): Value {
  const own = { ...Object.getOwnPropertyDescriptors(value), ...Object.getOwnPropertyDescriptors(changes) };
  return Object.create(Object.getPrototypeOf(value) as object, own) as Value;
}
