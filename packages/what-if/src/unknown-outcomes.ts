/** Owns the possible outcomes of attempts that are not in the record: the extremes between which the real result lies. */
import type { Outcome } from '@holdfast/core/internal';

/**
 * `succeeds`: at once. `fails`: at once, retryably. `fails_for_good`: at once, permanently. `hangs`: until it is cut off.
 * `refused`: no attempt is made, since the tool's gate may be closed.
 */
export type UnknownOutcome = 'succeeds' | 'fails' | 'fails_for_good' | 'hangs' | 'refused';

/** `undefined`: it never ends. However fast a tool was observed to answer, it may answer faster. */
export function outcomeOf(way: UnknownOutcome): Outcome | undefined {
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
