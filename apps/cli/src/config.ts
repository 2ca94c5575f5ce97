/** Finds and loads the manifest, and prints the problems of files. */
import { programName } from './terminal/program-name.ts';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { type Manifest, type Problem, formatProblem, loadManifest } from '@holdfast/manifest';
import { UsageError } from './exit-codes.ts';
import type { Console } from './terminal/console.ts';

/** Options of every command. */
export interface GlobalOptions {
  readonly config?: string;
  /** A path, the address of a database, or `none`. */
  readonly store?: string;
  readonly debug?: boolean;
}

/** A manifest given as an argument is the same as one given with `--config`. @throws UsageError when both name one */
export function withManifest<Options extends GlobalOptions>(options: Options, manifest: string | undefined): Options {
  if (manifest === undefined) return options;
  if (options.config !== undefined && options.config !== manifest)
    throw new UsageError(`there are two manifests: ${manifest} and --config ${options.config}. Leave one out.`);
  return { ...options, config: manifest };
}

const fileNames = ['holdfast.yaml', 'holdfast.yml', 'holdfast.json'] as const;

/** The manifest in this folder or the nearest one above. */
export function findConfig(from: string = process.cwd()): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const found = fileNames.map((name) => join(folder, name)).find((path) => existsSync(path));
    if (found !== undefined || dirname(folder) === folder) return found;
  }
}

/** The path as a user would write it: relative if that is shorter. */
export function displayPath(path: string): string {
  const near = relative(process.cwd(), path);
  if (near === '') return '.';
  return isAbsolute(near) || near.length >= resolve(path).length ? resolve(path) : near;
}

export function configPath({ config }: GlobalOptions): string {
  const found = config ?? findConfig();
  if (found !== undefined) return displayPath(resolve(found));
  throw new UsageError(
    `there is no ${fileNames[0]} here or in a parent folder.\nName one with --config, or create one with: ${programName()} init`,
  );
}

/** Prints the problems. @throws UsageError when there is no usable manifest. */
export async function loadConfig(options: GlobalOptions, console: Console): Promise<Manifest> {
  const path = configPath(options);
  const { manifest, problems, source } = await loadManifest(path);
  printProblems(problems, source, console);
  if (manifest) return manifest;
  throw new UsageError(`${path} cannot be used: ${formatCount(problems)}.`);
}

export function printProblems(problems: readonly Problem[], source: string, { err, terminalOf }: Console): void {
  const { color } = terminalOf(err);
  for (const problem of problems) err.writeLine(formatProblem(problem, { source, color }));
}

/** `2 errors and 1 warning` */
export function formatCount(problems: readonly Problem[]): string {
  const counts = (['error', 'warning'] as const).flatMap((severity) => {
    const count = problems.filter((problem) => problem.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}${count === 1 ? '' : 's'}`];
  });
  return counts.join(' and ') || 'no problems';
}
