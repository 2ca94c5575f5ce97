/**
 * Owns what files the dashboard has.
 *
 * Invariant: a path of a request is looked up among the files that were found and never becomes a path of the disk.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { assetsPath } from './paths.ts';

export type FileEncoding = 'identity' | 'gzip' | 'br';

export interface DashboardFile {
  readonly contentType: string;
  /** Of the file itself; a variant has it with its own ending. */
  readonly hash: string;
  /** The file, and what was made of it beforehand. */
  readonly variants: ReadonlyMap<FileEncoding, Uint8Array<ArrayBuffer>>;
}

export interface DashboardFiles {
  readonly index: DashboardFile;
  /** By the path of their request. */
  readonly assets: ReadonlyMap<string, DashboardFile>;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** Endings of the variants that the build lays beside a file. */
const variantEndings: readonly (readonly [FileEncoding, string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];

const indexName = 'index.html';

/** When the dashboard in this folder was built; `undefined` when it was not. */
export async function builtAt(folder: string): Promise<number | undefined> {
  const found = await stat(join(folder, indexName)).catch(() => undefined);
  return found?.mtimeMs;
}

/** Rejects when there is no dashboard in the folder. */
export async function readDashboard(folder: string): Promise<DashboardFiles> {
  const index = await readVariants(join(folder, indexName));
  const assetsFolder = join(folder, 'assets');
  const entries = await readdir(assetsFolder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isFile() && extname(entry.name) in contentTypes).map(({ name }) => name);
  const assets = await Promise.all(
    names.map(async (name) => [`${assetsPath}${name}`, await readVariants(join(assetsFolder, name))] as const),
  );
  return { index, assets: new Map(assets) };
}

async function readVariants(path: string): Promise<DashboardFile> {
  const content = await readFile(path);
  const variants = new Map<FileEncoding, Uint8Array<ArrayBuffer>>([['identity', content]]);
  for (const [encoding, ending] of variantEndings) {
    const variant = await readFile(`${path}${ending}`).catch(() => undefined);
    if (variant) variants.set(encoding, variant);
  }
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return { contentType: contentTypes[extname(path)] ?? 'application/octet-stream', hash, variants };
}
