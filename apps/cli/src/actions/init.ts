/** `holdfast init`: writes a manifest, a tool and a turn that are ready to run. */
import type { Action } from '../action.ts';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { commentedManifest } from '@holdfast/manifest';
import { type GlobalOptions, displayPath } from '../config.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { programName } from '../terminal/program-name.ts';
import { quoteArgument } from '../terminal/quote-argument.ts';
import { starterTurn } from './starter-turn.ts';

export const execute: Action<string, GlobalOptions> = async (folder, _options, console) => {
  const written = await writeStarter(resolve(folder));
  for (const path of written) console.note(` wrote  ${displayPath(path)}`);
  const changeFolder = resolve(folder) === process.cwd() ? '' : `cd ${quoteArgument(displayPath(resolve(folder)))} && `;
  console.note(`\nTry it: ${changeFolder}${programName()} run turn.yaml`);
  return exitCodes.ok;
};

async function writeStarter(folder: string): Promise<readonly string[]> {
  const { text, files } = commentedManifest();
  const all = [{ path: 'holdfast.yaml', text }, ...files, { path: 'turn.yaml', text: starterTurn }];
  const existing = all.map(({ path }) => join(folder, path)).filter((path) => existsSync(path));
  if (existing.length > 0) throw new UsageError(`nothing was written: ${existing.map(displayPath).join(', ')} would be overwritten.`);
  try {
    await mkdir(folder, { recursive: true });
    // `wx` fails if the file was created in the meantime.
    for (const file of all) await writeFile(join(folder, file.path), file.text, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(`${displayPath(folder)} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
  return all.map(({ path }) => join(folder, path));
}
