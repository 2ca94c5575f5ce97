/** Owns a change of a manifest as a diff that people read and apply themselves. */
import { readFile } from 'node:fs/promises';
import { basename, isAbsolute, sep } from 'node:path';
import type { ToolPolicy } from '@holdfast/core';
import { patchManifest } from '@holdfast/manifest';
import { UsageError } from '../exit-codes.ts';

/** A diff names no file outside of the folder it is applied in: neither git nor patch would take it. */
export const isBelow = (path: string): boolean => !isAbsolute(path) && !path.startsWith('..');

/** @throws UsageError when the manifest cannot be read, or has no place for it. */
export async function manifestChange(manifest: string, tool: string, changes: ToolPolicy): Promise<string> {
  const patched = patchManifest(
    await textOf(manifest),
    { [tool]: changes },
    { file: isBelow(manifest) ? manifest.replaceAll(sep, '/') : basename(manifest) },
  );
  if (patched.problem !== undefined) throw new UsageError(patched.problem);
  return patched.diff;
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
