/**
 * Owns finding out whose message it is, of one too long to be read: the members beside its content stand at its beginning or at its end.
 */

const member = String.raw`"\w+"\s*:\s*(?:-?\d+|"(?:[^"\\]|\\.)*")`;
const headMembers = new RegExp(String.raw`^\s*\{\s*((?:${member}\s*,\s*)*)`);
const tailMembers = new RegExp(String.raw`((?:,\s*${member}\s*)+)\}\s*$`);

export interface OverlongMessage {
  /** An answer's request, where the members show it. */
  readonly id: string | undefined;
  /** A request or notification of the server. */
  readonly hasMethod: boolean;
}

export function membersOf(text: string, where: 'head' | 'tail'): OverlongMessage {
  const members = (where === 'head' ? headMembers : tailMembers).exec(text)?.[1] ?? '';
  const id = /"id"\s*:\s*"?(-?\d+)"?/.exec(members)?.[1];
  return { id, hasMethod: /"method"\s*:/.test(members) };
}
