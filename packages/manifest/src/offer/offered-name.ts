/** Owns the name under which a tool of a source is offered: legal for every host and every provider of models, and short enough. */
import { createHash } from 'node:crypto';

/** How names of offered tools are formed. */
export interface NameRules {
  /** Placed between the prefix and the tool's own name. */
  readonly separator: string;
  /** Longer names are cut and end in a hash, in characters. */
  readonly maxLength: number;
}

const tailLength = 8;

/** `prefix`, separator and `own`, with `_` for what hosts do not take; cut and ended by a hash where it would be too long. */
export function offeredName(prefix: string, own: string, { separator, maxLength }: NameRules): string {
  const full = prefix === '' ? own : `${prefix}${separator}${own}`;
  const legal = legalName(full);
  return legal.length <= maxLength ? legal : withTail(legal, full, maxLength);
}

export const legalName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, '_');

/** `name`, cut where needed to `maxLength`, and a hash of what it stands for. */
export function withTail(name: string, identity: string, maxLength: number): string {
  const tail = createHash('sha256').update(identity).digest('hex').slice(0, tailLength);
  return `${name.slice(0, Math.max(maxLength - tailLength - 1, 0))}_${tail}`;
}
