/** Owns writing a file that must not be there yet. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { displayed } from '../config.ts';
import { UsageError } from '../exit-codes.ts';

/** @throws UsageError when something stands there, or there is no folder for it. */
export function refuseExisting(path: string): void {
  if (!existsSync(dirname(path))) throw new UsageError(`nothing was written: there is no folder ${displayed(dirname(path))}.`);
  if (existsSync(path)) throw new UsageError(`nothing was written: ${displayed(path)} would be overwritten.`);
}

/** @throws UsageError when something stands there, or it cannot be written. */
export async function writeNew(path: string, text: string): Promise<void> {
  refuseExisting(path);
  try {
    // `wx` refuses what was made in the meantime.
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(`${displayed(path)} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
