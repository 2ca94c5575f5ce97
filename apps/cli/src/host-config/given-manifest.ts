/**
 * Owns manifests that are made from a command line or from a host's configuration, and kept in a folder of the user's, so that every
 * other command can be used with them.
 *
 * Invariant: only the user can read the file, since it may contain the secrets of a host's configuration.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Writes the manifest. Returns its path, which is the same for the same source. */
export function writeGivenManifest(name: string, source: string, words: Readonly<Record<string, unknown>>): string {
  const id = createHash('sha256').update(source).digest('hex').slice(0, 8);
  const folderName = `${name.replaceAll(/[^\w.-]+/g, '-').slice(0, 40)}-${id}`;
  let problem: unknown;
  for (const root of [process.env['HOLDFAST_HOME'] ?? join(homedir(), '.holdfast'), join(tmpdir(), 'holdfast')]) {
    try {
      const folder = join(root, folderName);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, 'holdfast.json');
      writeFileSync(path, `${JSON.stringify(words, undefined, 2)}\n`, { mode: 0o600 });
      return path;
    } catch (error) {
      problem ??= error;
    }
  }
  throw problem;
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
    basename(program ?? words[0] ?? 'server')
      .replace(/(?<=.)@[^@]*$/, '')
      .replace(/\.\w{1,3}$/, '') || 'server'
  );
}
