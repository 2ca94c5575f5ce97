/** Owns the ways in which attempts go that no record tells about: the extremes between which the truth lies. */
import type { Outcome } from '@holdfast/core/internal';

/**
 * `succeeds`: at once. `fails`: at once, in a way that may be tried again. `fails_for_good`: the same, not to be tried again. `hangs`: until it is cut off.
 * `refused`: it is not made at all, since the tool's gate may be closed.
 */
export type Way = 'succeeds' | 'fails' | 'fails_for_good' | 'hangs' | 'refused';

/** `undefined`: nothing ever comes of it. However fast a tool was seen to answer, it may answer faster. */
export function outcomeOf(way: Way): Outcome | undefined {
  switch (way) {
    case 'succeeds':
      return success;
    case 'fails':
      return failure('transient');
    case 'fails_for_good':
    case 'refused':
      return failure('permanent');
    case 'hangs':
      return undefined;
  }
}

const success: Outcome = { ok: true, output: undefined };

function failure(classification: 'transient' | 'permanent'): Outcome {
  const text = 'assumed to fail';
  return {
    ok: false,
    fault: {
      kind: 'error',
      code: 'TOOL_ERROR',
      message: `Tool error: ${text}`,
      text,
      classification: { classification, category: 'unknown', rule: 'assumed', ambiguous: false },
    },
  };
}
