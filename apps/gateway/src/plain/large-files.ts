/**
 * Owns reading and replacing files that may have tens of megabytes, with pauses in which others are served.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { Pauses } from '@holdfast/mcp-wire/client';

/** What is decoded or written at once. */
const sliceBytes = 262_144;

/** Reads a file as UTF-8. */
export async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (bytes.length <= sliceBytes) return bytes.toString('utf8');
  const pauses = new Pauses();
  const decoder = new StringDecoder('utf8');
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; from += sliceBytes) {
    if (pauses.isDue) await pauses.pause();
    parts.push(decoder.write(bytes.subarray(from, from + sliceBytes)));
  }
  parts.push(decoder.end());
  return parts.join('');
}

/** Replaces a file atomically: after a crash, it is either the old or the new one. Resolves with the state of the new one. */
export async function replaceFile(path: string, parts: Iterable<string> | AsyncIterable<string>): Promise<string> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(temporary, slicesOf(parts), { mode: 0o600, flag: 'wx' });
    const state = await fileState(temporary);
    await rename(temporary, path);
    return state;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function* slicesOf(parts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let slice = '';
  for await (const part of parts) {
    slice += part;
    if (slice.length < sliceBytes) continue;
    yield slice;
    slice = '';
  }
  yield slice;
}

/** Differs after each change of the file; empty without a file. */
export async function fileState(path: string): Promise<string> {
  try {
    const { mtimeNs, size, ino } = await stat(path, { bigint: true });
    return `${mtimeNs} ${size} ${ino}`;
  } catch {
    return '';
  }
}
