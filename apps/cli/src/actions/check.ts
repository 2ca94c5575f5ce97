/** `holdfast check`: validates manifests and turns without running anything. */
import type { Action } from '../action.ts';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Manifest, type Problem, formatProblem, loadManifest, loadTurn } from '@holdfast/manifest';
import { type GlobalOptions, configPath, formatCount, displayPath, findConfig } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Console } from '../terminal/console.ts';

interface CheckOptions extends GlobalOptions {
  readonly output: 'auto' | 'json';
}

interface CheckResult {
  readonly file: string;
  readonly problems: readonly Problem[];
  readonly source: string;
  readonly manifest?: Manifest | undefined;
  readonly note?: string;
}

export const execute: Action<readonly string[], CheckOptions> = async (files, options, console) => {
  const results = await checkFiles(files.length > 0 ? files : await defaultFiles(options), options);
  for (const result of results) printResult(result, options.output, console);
  const failed = results.some(({ problems }) => problems.some(({ severity }) => severity === 'error'));
  return failed ? exitCodes.usage : exitCodes.ok;
};

async function defaultFiles(options: GlobalOptions): Promise<readonly string[]> {
  const manifest = configPath(options);
  const folder = dirname(manifest);
  const entries = existsSync(folder) ? await readdir(folder) : [];
  const turns = entries.filter((name) => /(?:^|\.)turn\.(?:ya?ml|json)$/.test(name)).toSorted();
  return [manifest, ...turns.map((name) => join(folder, name))];
}

async function checkFiles(files: readonly string[], options: GlobalOptions): Promise<readonly CheckResult[]> {
  const kinds = await Promise.all(files.map(async (file) => ({ file, isTurn: await isTurn(file) })));
  const manifests = await Promise.all(kinds.filter((each) => !each.isTurn).map(({ file }) => checkManifest(file)));
  const turns = await Promise.all(kinds.filter((each) => each.isTurn).map(({ file }) => checkTurn(file, manifests, options)));
  const all = new Map([...manifests, ...turns].map((each) => [each.file, each]));
  return files.flatMap((file) => all.get(file) ?? []);
}

/** A turn has calls, a manifest has tools. A file with neither counts as a manifest, unless its name contains "turn". */
async function isTurn(file: string): Promise<boolean> {
  const keys = topKeys(await readFile(file, 'utf8').catch(() => ''));
  if (keys.includes('tools') || keys.includes('tool')) return false;
  return keys.includes('calls') || /turn[^/\\]*$/i.test(file);
}

/** Works for files that do not parse too, as far as keys can be recognized. */
function topKeys(text: string): readonly string[] {
  if (!/^\s*\{/.test(text)) return [...text.matchAll(/^["']?(\w+)["']?\s*:/gm)].map(([, key = '']) => key);
  try {
    return Object.keys(JSON.parse(text) as object);
  } catch {
    return [...text.matchAll(/["']?(\w+)["']?\s*:/g)].map(([, key = '']) => key);
  }
}

async function checkManifest(file: string): Promise<CheckResult> {
  return { file, ...(await loadManifest(file, { purpose: 'check' })) };
}

async function checkTurn(file: string, manifests: readonly CheckResult[], options: GlobalOptions): Promise<CheckResult> {
  const manifest = manifests.length === 1 ? manifests[0]?.manifest : await manifestFor(file, options);
  const { problems, source } = await loadTurn(file, manifest ? { manifest } : {});
  return {
    file,
    problems,
    source,
    ...(manifest ? {} : { note: 'no usable manifest was found, so tool names were not checked' }),
  };
}

async function manifestFor(file: string, { config }: GlobalOptions): Promise<Manifest | undefined> {
  const path = config ?? findConfig(dirname(file));
  return path === undefined ? undefined : (await loadManifest(path)).manifest;
}

function printResult({ file, problems, source, note }: CheckResult, output: CheckOptions['output'], console: Console): void {
  if (output === 'json') {
    for (const problem of problems) console.out.writeLine(JSON.stringify(problem));
    return;
  }
  const { color } = console.terminalOf(console.out);
  for (const problem of problems) console.out.writeLine(`${formatProblem(problem, { source, color })}\n`);
  console.out.writeLine(`${displayPath(file)}: ${problems.length === 0 ? 'ok' : formatCount(problems)}`);
  if (note !== undefined) console.note(`${displayPath(file)}: ${note}`);
}
