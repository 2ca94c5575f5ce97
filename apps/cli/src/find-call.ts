/** Finds the call of a turn that a user names, and the one that is worth a look when none is named. */
import type { CallView, TurnView } from '@holdfast/core/turn-view';

const failed: readonly CallView['status'][] = ['error', 'timeout'];

/** The call that failed, or else the one with the most decisions; the first of several. `undefined` when nothing failed and nothing was decided. */
export function callToExplain({ calls }: TurnView): CallView | undefined {
  const decided = calls.filter(({ decisions }) => decisions.length > 0);
  return decided.find(({ status }) => failed.includes(status)) ?? decided.toSorted((a, b) => b.decisions.length - a.decisions.length).at(0);
}
