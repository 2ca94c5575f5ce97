/** Owns the check of options that users give: unknown names get a suggestion. Does not own the tables of fields. */
import { suggestField } from '../plain/suggest.ts';
import { checkFields, type Fields } from './check.ts';

/**
 * Checks options where they are given.
 * @param where the function or class that takes them, in front of every field in errors
 * @param needed fields that may not be left out
 * @throws TypeError | RangeError naming the field, the value and the fix.
 */
export function checkOptions(fields: Fields, options: unknown, where: string, needed?: readonly string[]): void {
  checkFields(fields, options, where, suggestField, needed);
}
