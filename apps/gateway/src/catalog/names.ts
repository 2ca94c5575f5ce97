/**
 * Owns assigning a unique name to each offered tool.
 *
 * Invariants
 * 1. A candidate gets the requested name unless another one has it already.
 * 2. If several request a name, the first by rank, then by order, gets it; the names of the others end with a hash of their identity.
 */
import { withTail } from '@holdfast/manifest';
import { Pauses } from '@holdfast/mcp-wire/client';

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
export async function uniqueNames(
  requests: readonly NameRequest[],
  maxLength: number,
  reserved: readonly string[] = [],
): Promise<readonly string[]> {
  const pauses = new Pauses();
  const names = requests.map(() => '');
  const taken = new Set(reserved);
  for (const rank of new Set(requests.map((request) => request.rank).toSorted((a, b) => a - b)))
    for (const [index, request] of requests.entries()) {
      if (request.rank !== rank) continue;
      if (pauses.isDue) await pauses.pause();
      const name = freeName(request, taken, maxLength);
      taken.add(name);
      names[index] = name;
    }
  return names;
}

function freeName({ name: wanted, identity }: NameRequest, taken: ReadonlySet<string>, maxLength: number): string {
  let name = wanted;
  for (let salt = 0; taken.has(name); salt++) name = withTail(wanted, salt === 0 ? identity : `${identity}\0${salt}`, maxLength);
  return name;
}
