/**
 * Owns giving each thing that is offered a name of its own.
 *
 * Invariants
 * 1. A wish is met unless another has the name already.
 * 2. Of several that want a name the first in rank, then in order, has it; the others end in a hash of what they are.
 */
import { withTail } from '@holdfast/manifest';

export { offeredName } from '@holdfast/manifest';
export type { NameRules } from '@holdfast/manifest';

/** What wants a name. */
export interface NameWish {
  readonly name: string;
  /** What it is, whatever it is called; no two have the same. */
  readonly identity: string;
  /** Lower goes first. */
  readonly rank: number;
}

/** A name for each wish, in their order; no two are the same. */
export function uniqueNames(wishes: readonly NameWish[], maxLength: number): readonly string[] {
  const names = wishes.map(() => '');
  const taken = new Set<string>();
  const order = wishes.map((_, index) => index).toSorted((a, b) => rankOf(wishes, a) - rankOf(wishes, b) || a - b);
  for (const index of order) {
    const wish = wishes[index];
    if (wish === undefined) continue;
    let name = wish.name;
    for (let salt = 0; taken.has(name); salt++)
      name = withTail(wish.name, salt === 0 ? wish.identity : `${wish.identity}\0${salt}`, maxLength);
    taken.add(name);
    names[index] = name;
  }
  return names;
}

const rankOf = (wishes: readonly NameWish[], index: number): number => wishes[index]?.rank ?? 0;
