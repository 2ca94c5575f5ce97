/** Owns the folder for a gateway's own files: beside the trace, or beside the manifest if the trace is in a database. */
import { dirname, join } from 'node:path';
import type { Manifest } from '@holdfast/manifest';

/** `undefined` if nothing is stored. */
export function dataFolder({ store, folder }: Manifest): string | undefined {
  if (store === false) return undefined;
  return 'path' in store ? dirname(store.path) : join(folder, '.holdfast');
}
