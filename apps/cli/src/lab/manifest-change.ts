/** Writes a change to a manifest as a diff, for people to review and apply. */
import { readFile } from 'node:fs/promises';
import { basename, isAbsolute, sep } from 'node:path';
import type { ToolPolicy } from '@holdfast/core';
import { patchManifest } from '@holdfast/manifest';
import { UsageError } from '../exit-codes.ts';
import { whyUnreadable } from '../unreadable.ts';

/** git and patch only accept files inside the working folder. */
export const isInWorkingFolder = (path: string): boolean => !isAbsolute(path) && !path.startsWith('..');

/** @throws UsageError when the manifest cannot be read or changed. */
export async function manifestChange(manifest: string, tool: string, changes: ToolPolicy): Promise<string> {
  const patched = patchManifest(
    await readText(manifest),
    { [tool]: changes },
    { file: isInWorkingFolder(manifest) ? manifest.replaceAll(sep, '/') : basename(manifest) },
  );
  if (patched.problem !== undefined) throw new UsageError(patched.problem);
  return patched.diff;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${whyUnreadable(error)}.`);
  }
}
