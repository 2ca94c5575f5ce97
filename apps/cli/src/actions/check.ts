/** `holdfast check`: validates manifests and turns without running anything. */
import type { Action } from '../action.ts';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Manifest, type Problem, formatProblem, loadManifest, loadTurn } from '@holdfast/manifest';
import { type GlobalOptions, configPath, formatCount, displayed, findConfig } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Console } from '../terminal/console.ts';

interface CheckOptions extends GlobalOptions {
  readonly output: 'auto' | 'json';
}

interface Checked {
  readonly file: string;
  readonly problems: readonly Problem[];
  readonly source: string;
  readonly manifest?: Manifest | undefined;
  readonly remark?: string;
}

export const act: Action<readonly string[], CheckOptions> = async (files, options, console) => {
  const checked = await checkFiles(files.length > 0 ? files : await defaultFiles(options), options);
  for (const each of checked) printResult(each, options.output, console);
  const wrong = checked.some(({ problems }) => problems.some(({ severity }) => severity === 'error'));
  return wrong ? exitCodes.usage : exitCodes.ok;
};

async function defaultFiles(options: GlobalOptions): Promise<readonly string[]> {
  const manifest = configPath(options);
  const folder = dirname(manifest);
  const entries = existsSync(folder) ? await readdir(folder) : [];
  const turns = entries.filter((name) => /(?:^|\.)turn\.(?:ya?ml|json)$/.test(name)).toSorted();
  return [manifest, ...turns.map((name) => join(folder, name))];
}

async function checkFiles(files: readonly string[], options: GlobalOptions): Promise<readonly Checked[]> {
  const kinds = await Promise.all(files.map(async (file) => ({ file, isTurn: await isTurn(file) })));
  const manifests = await Promise.all(kinds.filter((each) => !each.isTurn).map(({ file }) => checkManifest(file)));
  const turns = await Promise.all(kinds.filter((each) => each.isTurn).map(({ file }) => checkTurn(file, manifests, options)));
  const all = new Map([...manifests, ...turns].map((each) => [each.file, each]));
  return files.flatMap((file) => all.get(file) ?? []);
}

/** A turn has calls, a manifest has tools; a file that has neither is taken for a manifest unless its name says otherwise. */
async function isTurn(file: string): Promise<boolean> {
  const keys = topKeys(await readFile(file, 'utf8').catch(() => ''));
  if (keys.includes('tools') || keys.includes('tool')) return false;
  return keys.includes('calls') || /turn[^/\\]*$/i.test(file);
}

/** Also of a file that cannot be parsed, as far as they can be seen. */
function topKeys(text: string): readonly string[] {
  if (!/^\s*\{/.test(text)) return [...text.matchAll(/^["']?(\w+)["']?\s*:/gm)].map(([, key = '']) => key);
  try {
    return Object.keys(JSON.parse(text) as object);
  } catch {
    return [...text.matchAll(/["']?(\w+)["']?\s*:/g)].map(([, key = '']) => key);
  }
}

async function checkManifest(file: string): Promise<Checked> {
  return { file, ...(await loadManifest(file, { purpose: 'check' })) };
}

async function checkTurn(file: string, manifests: readonly Checked[], options: GlobalOptions): Promise<Checked> {
  const manifest = manifests.length === 1 ? manifests[0]?.manifest : await manifestFor(file, options);
  const { problems, source } = await loadTurn(file, manifest ? { manifest } : {});
  return {
    file,
    problems,
    source,
    ...(manifest ? {} : { remark: 'no usable manifest was found, so the names of tools were not checked' }),
  };
}

async function manifestFor(file: string, { config }: GlobalOptions): Promise<Manifest | undefined> {
  const path = config ?? findConfig(dirname(file));
  return path === undefined ? undefined : (await loadManifest(path)).manifest;
}

function printResult(
  { file, problems, source, remark }: Checked,
  output: CheckOptions['output'],
  { out, terminalOf, note }: Console,
): void {
  if (output === 'json') {
    for (const problem of problems) out.line(JSON.stringify(problem));
    return;
  }
  const { color } = terminalOf(out);
  for (const problem of problems) out.line(`${formatProblem(problem, { source, color })}\n`);
  out.line(`${displayed(file)}: ${problems.length === 0 ? 'ok' : formatCount(problems)}`);
  if (remark !== undefined) note(`${displayed(file)}: ${remark}`);
}
