/** Owns a small built dashboard in a temporary folder. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

export const script = `console.log('dashboard');\n${'// padding\n'.repeat(200)}`;
export const page = '<!doctype html><title>Holdfast</title><script type="module" src="/assets/main-Ab12.js"></script>\n';

export interface Folder extends AsyncDisposable {
  readonly folder: string;
  readonly write: (name: string, content: string | Uint8Array) => Promise<void>;
}

export async function emptyFolder(): Promise<Folder> {
  const parent = await mkdtemp(join(tmpdir(), 'holdfast-dashboard-'));
  const folder = join(parent, 'dist');
  return {
    folder,
    async write(name, content) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    },
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }),
  };
}

export async function builtFolder(): Promise<Folder> {
  const folder = await emptyFolder();
  await folder.write('assets/main-Ab12.js', script);
  await folder.write('assets/main-Ab12.js.br', brotliCompressSync(script));
  await folder.write('assets/main-Ab12.js.gz', gzipSync(script));
  await folder.write('assets/plain-Cd34.css', 'body{}');
  await folder.write('../secret.txt', 'a secret');
  await folder.write('index.html', page);
  return folder;
}
