/** Owns building the dashboard: its inputs, whether it is up to date, and the compressed variants next to its files. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'apps', 'dashboard');
const dist = join(folder, 'dist');
const index = join(dist, 'index.html');
/** Records what the existing dashboard was built from. */
const note = join(root, 'node_modules', '.cache', 'holdfast-dashboard.txt');

/** Bundled into the page: the shared reader of a turn. */
const reader = join(root, 'packages', 'core', 'src', 'projections', 'turn');

const sources = ['index.html', 'package.json', 'tsconfig.json', 'vite.config.ts', 'public', 'src'];

const isBuilt = () => existsSync(index) && existsSync(note) && readFileSync(note, 'utf8') === noteText();

/** Builds it if it was not built, or if its sources have changed since. */
export async function ensureDashboard() {
  if (isBuilt()) return;
  console.error('Building the dashboard …');
  await buildDashboard();
}

/** The folder is complete at every moment: a gateway may be serving it. */
export async function buildDashboard() {
  const { build } = await import('vite');
  const fresh = join(note, '..', `holdfast-dashboard.${process.pid}`);
  const old = `${fresh}.old`;
  try {
    await build({ root: folder, logLevel: 'warn', build: { outDir: fresh, emptyOutDir: true } });
    for (const path of filesIn(fresh)) compress(path);
    exchange(fresh, old);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
  mkdirSync(join(note, '..'), { recursive: true });
  writeFileSync(note, noteText());
}

/** Another process may be building it too. */
function exchange(fresh, old) {
  for (let tries = 5; ; tries -= 1) {
    try {
      if (existsSync(dist)) renameSync(dist, old);
      renameSync(fresh, dist);
      return;
    } catch (error) {
      if (tries === 0 || !['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) throw error;
      rmSync(old, { recursive: true, force: true });
    }
  }
}

function noteText() {
  const hash = createHash('sha256');
  const files = [
    ...[...sources.map((name) => join(folder, name)), reader].flatMap((path) => (existsSync(path) ? filesIn(path) : [])),
    join(root, 'node_modules', 'vite', 'package.json'),
    index,
  ];
  for (const path of files)
    hash
      .update(`${relative(root, path)}\n`)
      .update(readFileSync(path))
      .update('\n');
  return `${hash.digest('hex')}\n`;
}

function filesIn(path) {
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

const compressed = new Set(['.css', '.html', '.js', '.json', '.map', '.svg']);

function compress(path) {
  if (!compressed.has(extname(path))) return;
  const content = readFileSync(path);
  const variants = [
    [
      '.br',
      brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    ],
    ['.gz', gzipSync(content, { level: 9 })],
  ];
  for (const [ending, variant] of variants) if (variant.length < content.length) writeFileSync(path + ending, variant);
}
