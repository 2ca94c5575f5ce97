/**
 * Owns finding the id of a message that is too long to be read: its short members are at its start or at its end.
 */

const member = String.raw`"\w+"\s*:\s*(?:-?\d+|"(?:[^"\\]|\\.)*")`;
const headMembers = new RegExp(String.raw`^\s*\{\s*((?:${member}\s*,\s*)*)`);
const tailMembers = new RegExp(String.raw`((?:,\s*${member}\s*)+)\}\s*$`);

export interface OverlongMessage {
  /** Id of the answered request, if the members contain it. */
  readonly id: string | undefined;
  /** Whether it is a request or notification of the server. */
  readonly hasMethod: boolean;
}

export function membersOf(text: string, where: 'head' | 'tail'): OverlongMessage {
  const members = (where === 'head' ? headMembers : tailMembers).exec(text)?.[1] ?? '';
  const id = /"id"\s*:\s*"?(-?\d+)"?/.exec(members)?.[1];
  return { id, hasMethod: /"method"\s*:/.test(members) };
}
