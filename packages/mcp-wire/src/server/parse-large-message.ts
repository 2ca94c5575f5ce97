/**
 * Owns parsing a large message of a client, in slices.
 *
 * Invariant: the result is that of `parseMessage`, except that a message with too many names in one object is refused.
 */
import { rpcCodes } from '../message.ts';
import { readLargeJson } from './large-json.ts';
import { fault, type Incoming, messageOf, nestedDeeper, notJson, repeatedName } from './parse-message.ts';

/** Never rejects. */
export async function parseLargeMessage(text: string, depth: number): Promise<Incoming> {
  const read = await readLargeJson(text, depth);
  if (read.problem === 'too_deep') return nestedDeeper(depth);
  if (read.problem === 'not_json') return notJson;
  const incoming = messageOf(read.value);
  if (read.problem !== undefined) {
    const id = incoming.kind === 'request' || incoming.kind === 'fault' ? incoming.id : null;
    return fault(rpcCodes.invalidRequest, `Invalid request: it ${read.reason}`, id);
  }
  const isCall = incoming.kind === 'request' || incoming.kind === 'batch';
  return isCall && (await read.repeatsName()) ? repeatedName(incoming) : incoming;
}
