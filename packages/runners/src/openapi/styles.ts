/** Owns writing values into a path, a query, a header or a cookie: the styles of OpenAPI. Missing values and `null` are not written. */
import { isRecord } from '@holdfast/core/internal/plain';
import { asText } from '../template.ts';
import type { ParameterPlan } from './input.ts';

export type Encode = (text: string) => string;

type Writing = Pick<ParameterPlan, 'name' | 'style' | 'explode'>;
type Pair = readonly [name: string, value: string];

const delimiters: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '|' };
const deepest = 16;

/** Query parameters and form fields: encoded names and values. */
export function queryPairs({ name, style, explode }: Writing, value: unknown, encode: Encode): readonly Pair[] {
  const key = encode(name);
  if (value === undefined || value === null) return [];
  if (style === 'deepObject') return nestedPairs(key, value, encode, 0);
  if (Array.isArray(value)) {
    const texts = textsOf(value).map(encode);
    if (explode) return texts.map((text) => [key, text]);
    return texts.length === 0 ? [] : [[key, texts.join(delimiters[style] ?? ',')]];
  }
  if (isRecord(value)) {
    const entries = entriesOf(value);
    if (explode) return entries.map(([property, text]) => [encode(property), encode(text)]);
    return entries.length === 0
      ? []
      : [
          [
            key,
            entries
              .flat()
              .map(encode)
              .join(delimiters[style] ?? ','),
          ],
        ];
  }
  return textsOf([value]).map((text) => [key, encode(text)]);
}

/** `filter[a][b]=c`, and of lists `filter[a][0]=c`. */
function nestedPairs(key: string, value: unknown, encode: Encode, depth: number): readonly Pair[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object' || depth > deepest) return textsOf([value]).map((text) => [key, encode(text)]);
  return Object.entries(value).flatMap(([step, inner]) => nestedPairs(`${key}[${encode(step)}]`, inner, encode, depth + 1));
}

/** The text for the placeholder of a path; `''` without a value. */
export function pathText({ name, style, explode }: Writing, value: unknown, encode: Encode): string {
  const key = encode(name);
  if (style === 'matrix') {
    if (Array.isArray(value) && explode)
      return textsOf(value)
        .map((text) => `;${key}=${encode(text)}`)
        .join('');
    if (isRecord(value) && explode)
      return entriesOf(value)
        .map(([property, text]) => `;${encode(property)}=${encode(text)}`)
        .join('');
    const text = simple(value, false, encode);
    return text === '' ? '' : `;${key}=${text}`;
  }
  if (style !== 'label') return simple(value, explode, encode);
  const text = explode ? joinValues(value, '.', encode) : simple(value, false, encode);
  return text === '' ? '' : `.${text}`;
}

/** The value of a header, not encoded. */
export const headerText = ({ explode }: Writing, value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : simple(value, explode, (text) => text);

/** `a,b` for a list; for an object `k,v` or, exploded, `k=v`. */
const simple = (value: unknown, explode: boolean, encode: Encode): string =>
  explode || !isRecord(value) ? joinValues(value, ',', encode) : entriesOf(value).flat().map(encode).join(',');

function joinValues(value: unknown, delimiter: string, encode: Encode): string {
  if (isRecord(value))
    return entriesOf(value)
      .map(([property, text]) => `${encode(property)}=${encode(text)}`)
      .join(delimiter);
  return textsOf(Array.isArray(value) ? value : [value])
    .map(encode)
    .join(delimiter);
}

const textsOf = (values: readonly unknown[]): readonly string[] => values.map(asText).filter((text) => text !== undefined);

const entriesOf = (value: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] =>
  Object.entries(value).flatMap(([property, inner]) => {
    const text = asText(inner);
    return text === undefined ? [] : [[property, text] as const];
  });
