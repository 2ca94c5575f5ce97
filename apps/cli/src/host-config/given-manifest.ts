/**
 * Owns manifests that are made from a command line or from a host's configuration, and kept in a folder of the user's, so that every
 * other command can be used with them.
 *
 * Invariant: only the user can read the file, since it may contain the secrets of a host's configuration.
 */
import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Writes the manifest. Returns its path, which is the same for the same source. */
export function writeGivenManifest(name: string, source: string, words: Readonly<Record<string, unknown>>): string {
  const id = createHash('sha256').update(source).digest('hex').slice(0, 8);
  const folderName = `${name.replaceAll(/[^\w.-]+/g, '-').slice(0, 40)}-${id}`;
  let problem: unknown;
  for (const root of [homeFolder, temporaryFolder]) {
    try {
      const folder = join(root(), folderName);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, 'holdfast.json');
      writePrivateFile(path, `${JSON.stringify(words, undefined, 2)}\n`);
      return path;
    } catch (error) {
      problem ??= error;
    }
  }
  throw problem;
}

const homeFolder = (): string => process.env['HOLDFAST_HOME'] ?? join(homedir(), '.holdfast');

/** A folder with a known name in a folder that others can write to may be theirs, or a link of theirs: then a new one is made. */
function temporaryFolder(): string {
  const uid = process.getuid?.();
  const folder = join(tmpdir(), uid === undefined ? 'holdfast' : `holdfast-${uid}`);
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (uid === undefined) return folder;
  const found = lstatSync(folder);
  // While others could write to it, they could put links into it.
  const isOwn = found.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0;
  if (!isOwn) return mkdtempSync(join(tmpdir(), 'holdfast-'));
  chmodSync(folder, 0o700);
  return folder;
}

/** An existing file would keep its mode, and a link its target: the file is replaced by a new one. */
function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The folder of a package names more than a file such as `dist/index.js` in it. */
function namingPart(path: string): string {
  const isGeneral = /^(?:index|main)\.\w{1,3}$/.test(basename(path));
  const folders = isGeneral ? dirname(path).split(/[\\/]/) : [];
  return folders.findLast((folder) => !/^(?:|\.+|dist|build|out|src|lib|bin|esm|cjs)$/.test(folder)) ?? path;
}

/** A short name for a command line: that of the package or program. */
export function nameOfCommand(words: readonly string[]): string {
  const program = words.find(
    (word, index) =>
      (index > 0 || !/^(?:npx|uvx|node|python3?|docker|bunx|deno)$/.test(basename(word))) &&
      !word.startsWith('-') &&
      !/^(?:run|exec|x|dlx)$/.test(word),
  );
  return (
    basename(namingPart(program ?? words[0] ?? 'server'))
      .replace(/(?<=.)@[^@]*$/, '')
      .replace(/\.\w{1,3}$/, '') || 'server'
  );
}
