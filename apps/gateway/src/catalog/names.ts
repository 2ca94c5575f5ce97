/**
 * Owns assigning a unique name to each offered tool.
 *
 * Invariants
 * 1. A candidate gets the requested name unless another one has it already.
 * 2. If several request a name, the first by rank, then by order, gets it; the names of the others end with a hash of their identity.
 */
import { withTail } from '@holdfast/manifest';

export { offeredName } from '@holdfast/manifest';
export type { NameRules } from '@holdfast/manifest';

/** A request for a name. */
export interface NameRequest {
  readonly name: string;
  /** Identifies the candidate independently of its name; unique. */
  readonly identity: string;
  /** Lower ranks are served first. */
  readonly rank: number;
}

/** Returns a unique name for each request, in their order. None of them is reserved. */
export function uniqueNames(requests: readonly NameRequest[], maxLength: number, reserved: readonly string[] = []): readonly string[] {
  const names = requests.map(() => '');
  const taken = new Set(reserved);
  const order = requests.map((_, index) => index).toSorted((a, b) => rankOf(requests, a) - rankOf(requests, b) || a - b);
  for (const index of order) {
    const request = requests[index];
    if (request === undefined) continue;
    let name = request.name;
    for (let salt = 0; taken.has(name); salt++)
      name = withTail(request.name, salt === 0 ? request.identity : `${request.identity}\0${salt}`, maxLength);
    taken.add(name);
    names[index] = name;
  }
  return names;
}

const rankOf = (requests: readonly NameRequest[], index: number): number => requests[index]?.rank ?? 0;
