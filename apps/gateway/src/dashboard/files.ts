/**
 * Owns the files of the dashboard.
 *
 * Invariant: the path of a request is looked up among the known files and never used as a path on disk.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { assetsPath } from './paths.ts';

export type FileEncoding = 'identity' | 'gzip' | 'br';

export interface DashboardFile {
  readonly contentType: string;
  /** Hash of the uncompressed content; the tag of a variant adds its encoding. */
  readonly hash: string;
  /** The file and its precompressed variants. */
  readonly variants: ReadonlyMap<FileEncoding, Uint8Array<ArrayBuffer>>;
}

export interface DashboardFiles {
  readonly index: DashboardFile;
  /** Files by request path. */
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

/** Extensions of the variants that the build creates beside a file. */
const variantExtensions: readonly (readonly [FileEncoding, string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];

const indexName = 'index.html';

/** Returns when the dashboard in this folder was built; `undefined` if it is not built. */
export async function builtAt(folder: string): Promise<number | undefined> {
  const found = await stat(join(folder, indexName)).catch(() => undefined);
  return found?.mtimeMs;
}

/** Rejects if there is no dashboard in the folder. */
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
  for (const [encoding, ending] of variantExtensions) {
    const variant = await readFile(`${path}${ending}`).catch(() => undefined);
    if (variant) variants.set(encoding, variant);
  }
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return { contentType: contentTypes[extname(path)] ?? 'application/octet-stream', hash, variants };
}
