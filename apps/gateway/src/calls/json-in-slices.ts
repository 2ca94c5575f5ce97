/** Owns writing large JSON in slices, with pauses in which others are served. */
import { Pauses } from '@holdfast/mcp-wire/client';
import { sizeWithin } from './wire-size.ts';

/** What is written at once, in bytes. */
const sliceBytes = 65_536;
const sliceItems = 1_000;

/** `JSON.stringify` of a value that was parsed from JSON. */
export async function jsonInSlices(value: unknown): Promise<string> {
  const pieces: string[] = [];
  await write(value, pieces, new Pauses());
  return pieces.join('');
}

async function write(value: unknown, pieces: string[], pauses: Pauses): Promise<void> {
  if (pauses.isDue) await pauses.pause();
  if (typeof value === 'string') return writeText(value, pieces, pauses);
  if (typeof value !== 'object' || value === null || sizeWithin(value, sliceBytes) <= sliceBytes)
    return void pieces.push(JSON.stringify(value) ?? 'null');
  return Array.isArray(value) ? writeItems(value, pieces, pauses) : writeFields(value as Readonly<Record<string, unknown>>, pieces, pauses);
}

async function writeText(text: string, pieces: string[], pauses: Pauses): Promise<void> {
  pieces.push('"');
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + sliceBytes, text.length);
    // Not between the halves of a character.
    if (to < text.length && (text.charCodeAt(to - 1) & 0xfc_00) === 0xd8_00) to -= 1;
    pieces.push(JSON.stringify(text.slice(from, to)).slice(1, -1));
    from = to;
    if (pauses.isDue) await pauses.pause();
  }
  pieces.push('"');
}

async function writeItems(items: readonly unknown[], pieces: string[], pauses: Pauses): Promise<void> {
  for (let from = 0; from < items.length; from += sliceItems) {
    const some = items.slice(from, from + sliceItems);
    pieces.push(from === 0 ? '[' : ',');
    if (sizeWithin(some, sliceBytes) <= sliceBytes) pieces.push(JSON.stringify(some).slice(1, -1));
    else
      for (const [index, item] of some.entries()) {
        if (index > 0) pieces.push(',');
        await write(item, pieces, pauses);
      }
    if (pauses.isDue) await pauses.pause();
  }
  pieces.push(items.length === 0 ? '[]' : ']');
}

async function writeFields(fields: Readonly<Record<string, unknown>>, pieces: string[], pauses: Pauses): Promise<void> {
  let separator = '{';
  for (const key of Object.keys(fields)) {
    pieces.push(`${separator}${JSON.stringify(key)}:`);
    separator = ',';
    await write(fields[key], pieces, pauses);
  }
  pieces.push(separator === '{' ? '{}' : '}');
}
