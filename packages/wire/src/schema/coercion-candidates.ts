/**
 * Owns the candidate values for a value of the wrong type.
 * Does not own the choice between them: the caller takes the only one that matches the schema.
 *
 * Invariant: nothing is invented or rounded; every candidate has the same content as the value.
 */
import { isExact, keepsDigits } from '../arguments/exact-number.ts';
import { parseJson } from '../arguments/parse-json.ts';
import { isList, isRecord, type JsonObject } from '../json.ts';

export interface Candidate {
  readonly value: unknown;
  readonly kind: string;
}

type Kind = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

export type Kinds = ReadonlySet<Kind>;

const everyKind: Kinds = new Set(['string', 'number', 'boolean', 'null', 'array', 'object']);

export function kindOf(value: unknown): Kind | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const kind = typeof value;
  return kind === 'string' || kind === 'number' || kind === 'boolean' || kind === 'object' ? kind : undefined;
}

/** The kinds of values a schema may allow at its top level; all kinds if it has no restriction. */
export function kindsOf(schema: unknown, resolve: (schema: unknown) => unknown, depth = 0): Kinds {
  const part = resolve(schema);
  if (!isRecord(part) || depth > 16) return everyKind;
  const { type, enum: values, const: value } = part;
  if (type !== undefined) return new Set((isList(type) ? type : [type]).map((each) => (each === 'integer' ? 'number' : each) as Kind));
  if (isList(values)) return new Set(values.map(kindOf).filter((kind) => kind !== undefined));
  if (value !== undefined) return new Set([kindOf(value) ?? 'string']);
  const branches = branchesOf(part);
  return branches.length === 0 ? everyKind : new Set(branches.flatMap((branch) => [...kindsOf(branch, resolve, depth + 1)]));
}

/** The alternatives of a schema. */
export const branchesOf = (part: JsonObject): readonly unknown[] =>
  [part['anyOf'], part['oneOf']].flatMap((list) => (isList(list) ? list : []));

/** `1.000` may be a thousand. */
const numberText = /^(?!-?[1-9]\d{0,2}\.\d{3}$)-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
const maxNumberLength = 40;

export function candidatesFor(value: unknown, part: JsonObject, kinds: Kinds): readonly Candidate[] {
  const kind = kindOf(value);
  if (kind === undefined) return [];
  if (kinds.has(kind)) return typeof value === 'string' ? otherCase(value, part) : [];
  const meanings = typeof value === 'string' ? meaningsOf(value, kinds, part['type'] === 'number') : [];
  // An object may be a list in another form (`{}`, `{"0":…}`), and `false` stand for none.
  const isOneItem = typeof value === 'number' || (typeof value === 'string' && oneWord.test(value) && !noItem.test(value));
  return kinds.has('array') && isOneItem ? [...meanings, { value: [value], kind: 'value-to-list' }] : meanings;
}

/** A string that is no list in another notation: without blanks, separators, brackets and quotes. */
const oneWord = /^[^\s,;|&()[\]{}<>"'`，、；،؛•·→]+$/;
/** A word for nothing or for a decision, or paths separated by colons. */
const noItem = /^(?:null|none|nil|undefined|nan|n\/a|empty|true|false|-)$|:\/(?!\/)/i;

/** `mayRound`: the number need not be an integer. */
function meaningsOf(text: string, kinds: Kinds, mayRound: boolean): readonly Candidate[] {
  const word = text.trim();
  const found: Candidate[] = [];
  const isNumber = kinds.has('number') && word.length <= maxNumberLength && numberText.test(word);
  if (isNumber && (isExact(word) || (mayRound && /e/i.test(word) && keepsDigits(word))))
    found.push({ value: Number(word), kind: 'text-to-number' });
  if (kinds.has('boolean') && /^(?:true|false)$/i.test(word)) found.push({ value: word.toLowerCase() === 'true', kind: 'text-to-boolean' });
  if (kinds.has('null') && isNullLike(word)) found.push({ value: null, kind: 'text-to-null' });
  if ((kinds.has('array') && word.startsWith('[')) || (kinds.has('object') && word.startsWith('{'))) {
    const parsed = parseJson(word);
    if (parsed && !parsed.bigIntegers)
      found.push({ value: parsed.value, kind: Array.isArray(parsed.value) ? 'text-to-list' : 'text-to-object' });
  }
  return found;
}

/** Whether a value is `null`, or the word. An empty string and `none` may mean something else. */
export const isNullLike = (value: unknown): boolean => value === null || value === 'null';

function otherCase(value: string, part: JsonObject): readonly Candidate[] {
  const choices = isList(part['enum']) ? part['enum'] : [part['const']];
  const same = choices.filter((choice) => String(choice).toLowerCase() === value.toLowerCase());
  return same.length === 1 && typeof same[0] === 'string' ? [{ value: same[0], kind: 'letter-case' }] : [];
}
