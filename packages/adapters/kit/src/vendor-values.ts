/** Owns reading untyped values from vendor SDKs, and copying them with changed fields. */
import type { SuccessfulResult, ToolResult } from '@holdfast/core';
import { fieldsOf } from '@holdfast/core/internal/plain';

export { fieldsOf };

/** The fields of an untyped object. */
export type UntypedFields = Readonly<Record<string, unknown>>;

/** Returns the items of a list; for any other value, none. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Reads a field of any value. Never throws. */
export function fieldOf(value: unknown, name: string): unknown {
  try {
    return (Object(value) as UntypedFields)[name];
  } catch {
    return undefined;
  }
}

/** Whether the output is exactly the tool's own, without anything to add. */
export function isUnaltered(result: ToolResult): result is SuccessfulResult {
  return result.status === 'success' && !result.altered && !result.partial;
}

/** Copies an object with changed fields, keeping getters and symbols. */
export function withProperties<Value extends object>(value: Value, changes: Partial<Value>): Value {
  const own = { ...membersOf(value), ...Object.getOwnPropertyDescriptors(value), ...Object.getOwnPropertyDescriptors(changes) };
  return Object.create(Object.getPrototypeOf(value) as object, own) as Value;
}

/** A description that is shown with the state of its tool. A program may replace it, as that of any tool. */
export function shownDescription<Description>(
  tool: { readonly description: Description },
  show: (own: Description) => Description,
): { description: Description } {
  let source = tool;
  return {
    get description() {
      return show(source.description);
    },
    set description(description) {
      source = { description };
    },
  };
}

/**
 * The members of an object's own classes, as properties that run them on the object itself: they may use its private fields, which no copy has.
 * @param isBase whether a prototype belongs to a class that has no private fields
 */
export function membersOf(value: object, isBase: (prototype: object) => boolean = () => false): PropertyDescriptorMap {
  const members: PropertyDescriptorMap = {};
  let prototype: unknown = Object.getPrototypeOf(value);
  for (; isClass(prototype) && !isBase(prototype); prototype = Object.getPrototypeOf(prototype))
    for (const key of Reflect.ownKeys(prototype)) if (key !== 'constructor') members[key] ??= memberOf(value, key);
  return members;
}

const isClass = (prototype: unknown): prototype is object => prototype !== null && prototype !== Object.prototype;

const memberOf = (value: object, key: PropertyKey): PropertyDescriptor => ({
  get: () => {
    const member: unknown = Reflect.get(value, key, value);
    return typeof member === 'function' ? (member.bind(value) as unknown) : member;
  },
  set: (next) => void Reflect.set(value, key, next),
  configurable: true,
});
