/** `holdfast init`: writes a manifest, a tool and a turn that run as they are. */
import type { Action } from '../action.ts';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { commentedManifest } from '@holdfast/manifest';
import { type GlobalOptions, displayed } from '../config.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { programName } from '../terminal/program-name.ts';
import { quotedArgument } from '../terminal/quoting.ts';
import { starterTurn } from './starter-turn.ts';

export const act: Action<string, GlobalOptions> = async (folder, _options, console) => {
  const written = await writeStarter(resolve(folder));
  for (const path of written) console.note(` wrote  ${displayed(path)}`);
  const inside = resolve(folder) === process.cwd() ? '' : `cd ${quotedArgument(displayed(resolve(folder)))} && `;
  console.note(`\nTry it: ${inside}${programName()} run turn.yaml`);
  return exitCodes.ok;
};

async function writeStarter(folder: string): Promise<readonly string[]> {
  const { text, files } = commentedManifest();
  const all = [{ path: 'holdfast.yaml', text }, ...files, { path: 'turn.yaml', text: starterTurn }];
  const taken = all.map(({ path }) => join(folder, path)).filter((path) => existsSync(path));
  if (taken.length > 0) throw new UsageError(`nothing was written: ${taken.map(displayed).join(', ')} would be overwritten.`);
  try {
    await mkdir(folder, { recursive: true });
    // `wx` refuses what was made in the meantime.
    for (const file of all) await writeFile(join(folder, file.path), file.text, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(`${displayed(folder)} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
  return all.map(({ path }) => join(folder, path));
}
