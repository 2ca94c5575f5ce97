/** Owns the name under which the property of a client is kept: its turns, its tasks, its logins. */
import { hash } from 'node:crypto';

/** Has no `/`, and no two clients have the same. The owner of an owner is itself. */
export const ownerOf = (principal: string): string =>
  /^(?:[A-Za-z0-9_.-]{1,64}|~[0-9a-f]{32})$/.test(principal) ? principal : `~${hash('sha256', principal).slice(0, 32)}`;
