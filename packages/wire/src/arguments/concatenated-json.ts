/**
 * Owns texts of several concatenated JSON values, as produced by wrongly assembled streams.
 *
 * Invariant: never chooses between several different objects.
 */
import { isRecord, sameJson } from '../json.ts';
import { parseJson, type ParsedJson } from './parse-json.ts';
import { scanJson } from './scan-json.ts';

export type Concatenation =
  | { readonly kind: 'one'; readonly parsed: ParsedJson; readonly id: 'repeated-value' | 'leading-empty-object' }
  | { readonly kind: 'several' };

const maxValues = 1000;

/** Reduces concatenated values to one, if that is unambiguous; `undefined` if the text is not a concatenation. */
export function readConcatenation(text: string): Concatenation | undefined {
  const values = valuesOf(text);
  if (!values || values.length < 2) return undefined;
  const filled = values.filter(({ value }) => !(isRecord(value) && Object.keys(value).length === 0));
  const [first = values[0]] = filled;
  if (!first) return undefined;
  if (filled.some(({ value }) => !sameJson(value, first.value))) return { kind: 'several' };
  return { kind: 'one', parsed: first, id: filled.length > 1 || filled.length === 0 ? 'repeated-value' : 'leading-empty-object' };
}

function valuesOf(text: string): readonly ParsedJson[] | undefined {
  const { ends, open } = scanJson(text, false);
  if (open || ends.length < 2 || ends.length > maxValues || text.slice(ends.at(-1)).trim() !== '') return undefined;
  const values: ParsedJson[] = [];
  let from = 0;
  for (const end of ends) {
    const parsed = parseJson(text.slice(from, end).replace(/^\s*,/, ''));
    if (!parsed) return undefined;
    values.push(parsed);
    from = end;
  }
  return values;
}
