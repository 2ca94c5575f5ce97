/**
 * Owns what a code or a class name means, looked up in every table there is. Does not own the tables.
 */
import { databaseCodes, databaseFamily } from './database-codes.ts';
import { phraseIn, wordsOf } from './phrases.ts';
import { serviceCodes } from './service-codes.ts';
import { emptyCodes, systemCodes, systemFamilies } from './system-codes.ts';
import * as is from './verdict.ts';
import type { Entry, Weight } from './verdict.ts';

const builtins: ReadonlySet<string> = new Set('TypeError RangeError ReferenceError SyntaxError EvalError URIError'.split(' '));
const plainNames: ReadonlySet<string> = new Set(
  'Error Object Array Function String Number Map Set Promise Response AggregateError'.split(' '),
);

/** What a client notices by itself, as opposed to what a service says. */
const ownNotions: ReadonlySet<string> = new Set(['network', 'timeout', 'cancelled']);

/** A code that a table knows, by itself or by its family. */
export function listedCode(code: string): Entry | undefined {
  const listed = systemCodes.get(code) ?? databaseCodes.get(code) ?? serviceCodes.get(code);
  return listed ?? systemFamilies.find(([pattern]) => pattern.test(code))?.[1];
}

function worded(symbol: string): Entry | undefined {
  const phrase = phraseIn(wordsOf(symbol));
  if (!phrase) return undefined;
  const { verdict, vague } = phrase;
  if (vague) return { verdict, weight: 'general' };
  return { verdict, weight: ownNotions.has(verdict.category) ? 'name' : 'answer' };
}

/** The meaning of a code, by table or by its words. */
export function codeEntry(code: string): Entry | undefined {
  if (emptyCodes.has(code) || code.includes('://')) return undefined;
  const bare = code.slice(code.lastIndexOf('#') + 1);
  return listedCode(bare) ?? databaseFamily(bare) ?? worded(bare);
}

/** The meaning of a class name: what its words say, never more than a name is worth unless services name their errors so. */
export function nameEntry(name: string, isServiceName: boolean): Entry | undefined {
  if (builtins.has(name)) return { verdict: is.bug, weight: 'fallback' };
  if (plainNames.has(name)) return undefined;
  const entry = codeEntry(name);
  if (!entry || isServiceName) return entry;
  const weight: Weight = entry.weight === 'general' ? 'fallback' : 'name';
  return { verdict: entry.verdict, weight };
}
