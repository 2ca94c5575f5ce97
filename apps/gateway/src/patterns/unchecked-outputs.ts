/** Owns telling the service which outputs passed without a check, so that the trace says so. */
import type { StandardSchema } from '@holdfast/core';

/** Why, by output. */
const unchecked = new WeakMap<object, string>();

/** Notes why the output of a tool passed without a check, for `uncheckedOutput`. */
export function noteUnchecked(output: unknown, reason: string): void {
  if (typeof output === 'object' && output !== null) unchecked.set(output, reason);
}

/** Throws for an output that was not checked: the service notes that in the trace, and the output passes. */
export const uncheckedOutput: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'holdfast',
    validate(value) {
      const reason = typeof value === 'object' && value !== null ? unchecked.get(value) : undefined;
      if (reason !== undefined) throw new Error(reason);
      return { value };
    },
  },
};
