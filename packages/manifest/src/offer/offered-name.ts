/** Owns the names under which tools of a source are offered: valid for every host and model provider, and short enough. */
import { checkOptions, checkRule, count } from '@holdfast/core/internal/plain';
import { createHash } from 'node:crypto';
import { legalName } from './legal-name.ts';

/** How names of offered tools are formed. */
export interface NameRules {
  /** Separator between the prefix and the tool's name. */
  readonly separator: string;
  /** Longest name in characters. Longer names are truncated and end in a hash. */
  readonly maxLength: number;
}

const tailLength = 8;

/** `prefix`, separator and `own`, with `_` for characters that hosts refuse; too long names are truncated and end in a hash. */
export function offeredName(prefix: string, own: string, rules: NameRules): string {
  checkTexts('offeredName', { prefix, own });
  checkOptions({ separator: 'string', maxLength: count }, rules, 'offeredName: rules', ['separator', 'maxLength']);
  const { separator, maxLength } = rules;
  const full = prefix === '' ? own : `${prefix}${separator}${own}`;
  const legal = legalName(full);
  return legal.length <= maxLength ? legal : withTail(legal, full, maxLength);
}

/** `name`, truncated to `maxLength` if necessary, with a hash of the original. */
export function withTail(name: string, identity: string, maxLength: number): string {
  checkTexts('withTail', { name, identity });
  checkRule(count, maxLength, 'withTail: maxLength');
  const tail = createHash('sha256').update(identity).digest('hex').slice(0, tailLength);
  return `${name.slice(0, Math.max(maxLength - tailLength - 1, 0))}_${tail}`;
}

function checkTexts(where: string, given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given)) checkRule('string', value, `${where}: ${name}`);
}
