/** Owns writing large JSON in slices, with pauses in which others are served. */
import type { MaybePromise } from '@holdfast/core/internal';
import { inSlices, type Steps } from '../plain/steps.ts';
import { sizeWithin } from './wire-size.ts';

/** What is written at once, in bytes. */
const sliceBytes = 65_536;
const sliceItems = 1_000;

/** `JSON.stringify` of a value that consists of plain data. Short JSON is returned at once. */
export const jsonInSlices = (value: unknown): MaybePromise<string> => inSlices(jsonSteps(value));

export function* jsonSteps(value: unknown): Steps<string> {
  const pieces: string[] = [];
  yield* write(value, pieces);
  return pieces.join('');
}

function* write(value: unknown, pieces: string[]): Steps<void> {
  yield;
  if (typeof value === 'string') return yield* writeText(value, pieces);
  if (typeof value !== 'object' || value === null || sizeWithin(value, sliceBytes) <= sliceBytes)
    return void pieces.push(JSON.stringify(value) ?? 'null');
  return yield* Array.isArray(value) ? writeItems(value, pieces) : writeFields(value as Readonly<Record<string, unknown>>, pieces);
}

function* writeText(text: string, pieces: string[]): Steps<void> {
  pieces.push('"');
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + sliceBytes, text.length);
    // Not between the halves of a character.
    if (to < text.length && (text.charCodeAt(to - 1) & 0xfc_00) === 0xd8_00) to -= 1;
    pieces.push(JSON.stringify(text.slice(from, to)).slice(1, -1));
    from = to;
    yield;
  }
  pieces.push('"');
}

function* writeItems(items: readonly unknown[], pieces: string[]): Steps<void> {
  for (let from = 0; from < items.length; from += sliceItems) {
    const some = items.slice(from, from + sliceItems);
    pieces.push(from === 0 ? '[' : ',');
    if (sizeWithin(some, sliceBytes) <= sliceBytes) pieces.push(JSON.stringify(some).slice(1, -1));
    else
      for (const [index, item] of some.entries()) {
        if (index > 0) pieces.push(',');
        yield* write(item, pieces);
      }
    yield;
  }
  pieces.push(items.length === 0 ? '[]' : ']');
}

function* writeFields(fields: Readonly<Record<string, unknown>>, pieces: string[]): Steps<void> {
  let separator = '{';
  for (const key of Object.keys(fields)) {
    if (fields[key] === undefined) continue;
    pieces.push(`${separator}${JSON.stringify(key)}:`);
    separator = ',';
    yield* write(fields[key], pieces);
  }
  pieces.push(separator === '{' ? '{}' : '}');
}
