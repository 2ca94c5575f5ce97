/**
 * Owns a copy of the sources in a temporary folder, in which faults are planted. The repository itself is never edited.
 *
 * Packages of the workspace are those of the copy; all others are linked.
 */
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import type { Fault } from './fault.ts';

const copied = ['packages', 'quality/acceptance', 'vitest.config.ts', 'package.json', 'tsconfig.base.json'];
const left: readonly string[] = ['node_modules', 'dist', 'coverage', 'reports'];

export interface WorkingCopy {
  readonly root: string;
  /** Plants a fault and returns a function that takes it out. @throws Error if its text does not occur exactly once */
  plant(fault: Fault): () => void;
  remove(): void;
}

export function createWorkingCopy(from: string): WorkingCopy {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'holdfast-planted-'));
  for (const path of copied)
    cpSync(join(from, path), join(root, path), { recursive: true, filter: (file) => !left.includes(basename(file)) });
  linkModules(from, root);
  return {
    root,
    plant(fault) {
      const path = join(root, fault.file);
      const source = readFileSync(path, 'utf8');
      writeFileSync(path, planted(source, fault));
      return () => writeFileSync(path, source);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The source with the fault. @throws Error if its text does not occur exactly once */
export function planted(source: string, { what, file, before, after }: Fault): string {
  const parts = source.split(before);
  if (parts.length !== 2) throw new Error(`"${what}": the text occurs ${parts.length - 1} times in ${file}, not once:\n${before}`);
  return parts.join(after);
}

function linkModules(from: string, root: string): void {
  const modules = join(from, 'node_modules');
  mkdirSync(join(root, 'node_modules/@holdfast'), { recursive: true });
  for (const name of readdirSync(modules)) {
    // Caches are not shared: they are keyed by path and time.
    if (name !== '@holdfast' && !/^\.(?:cache|vite)/.test(name)) symlinkSync(join(modules, name), join(root, 'node_modules', name));
  }
  for (const name of readdirSync(join(modules, '@holdfast'))) {
    const target = realpathSync(join(modules, '@holdfast', name));
    const isOwn = lstatSync(join(modules, '@holdfast', name)).isSymbolicLink();
    symlinkSync(isOwn ? join(root, relative(realpathSync(from), target)) : target, join(root, 'node_modules/@holdfast', name));
  }
}
