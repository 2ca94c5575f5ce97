/** Writes a file that must not exist yet. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { displayPath } from '../config.ts';
import { UsageError } from '../exit-codes.ts';

/** @throws UsageError when the file exists, or its folder does not. */
export function refuseExisting(path: string): void {
  if (!existsSync(dirname(path))) throw new UsageError(`nothing was written: there is no folder ${displayPath(dirname(path))}.`);
  if (existsSync(path)) throw new UsageError(`nothing was written: ${displayPath(path)} would be overwritten.`);
}

/** @throws UsageError when the file exists or cannot be written. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  refuseExisting(path);
  try {
    // `wx` fails if the file was created in the meantime.
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(`${displayPath(path)} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
