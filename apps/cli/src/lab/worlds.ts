/** Loads the worlds to simulate: files, and scenarios of the catalogue. */
import { suggest } from '@holdfast/core/internal/plain';
import { loadWorld } from '@holdfast/manifest/world';
import { scenarios, type World } from '@holdfast/simulate';
import { formatCount, printProblems } from '../config.ts';
import { UsageError } from '../exit-codes.ts';
import type { Console } from '../terminal/console.ts';
import { programName } from '../terminal/program-name.ts';

/** Prints the problems of the files. @throws UsageError when one is invalid. */
export async function loadWorlds(files: readonly string[], names: readonly string[], console: Console): Promise<readonly World[]> {
  const chosen = names.flatMap(scenariosOf);
  const read = await Promise.all(files.map(async (file) => ({ file, ...(await loadWorld(file)) })));
  for (const { problems, source } of read) printProblems(problems, source, console);
  const loaded = read.map(({ file, world, problems }) => {
    if (world) return world;
    throw new UsageError(`${file} cannot be used: ${formatCount(problems)}.`);
  });
  const worlds = [...loaded, ...chosen];
  if (worlds.length === 0)
    throw new UsageError(`no world given.\nName a file or a --scenario; list the scenarios with: ${programName()} simulate --list`);
  return worlds;
}

export function scenariosOf(name: string): readonly World[] {
  const all: Readonly<Record<string, World>> = scenarios;
  if (name === 'all') return Object.values(all);
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found) return [found];
  const names = Object.keys(all);
  const near = suggest(name.replaceAll('-', '_'), names);
  throw new UsageError(
    `there is no scenario '${name}'.${near === undefined ? ` Name one of ${names.join(', ')}.` : ` Did you mean '${near}'?`}`,
  );
}
