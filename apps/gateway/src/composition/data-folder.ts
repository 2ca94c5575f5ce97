/** Owns where a gateway keeps its own files: beside the trace's, or beside the manifest where the trace is in a database. */
import { dirname, join } from 'node:path';
import type { Manifest } from '@holdfast/manifest';

/** `undefined`: nothing is kept. */
export function dataFolder({ store, folder }: Manifest): string | undefined {
  if (store === false) return undefined;
  return 'path' in store ? dirname(store.path) : join(folder, '.holdfast');
}
