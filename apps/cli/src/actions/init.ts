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
  const changeFolder = resolve(folder) === process.cwd() ? [] : [`cd ${quoteArgument(displayPath(resolve(folder)))}`];
  console.note('\nThe tools fail on purpose. See what happens:');
  for (const line of [...changeFolder, ...nextCommands.map((command) => `${programName()} ${command}`)]) console.note(`  ${line}`);
  return exitCodes.ok;
};

const nextCommands = [
  'run turn.yaml          # run the turn and watch it',
  'explain hotel          # why it was retried, and why another tool answered',
  'explain confirmation   # why it was not sent again',
  'replay -p spec         # the same turn with other settings, offline',
  'whatif -p service      # the same question for all recorded turns',
  'serve                  # the gateway and its dashboard',
];

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
