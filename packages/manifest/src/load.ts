/** Owns reading manifests, policy files and turn files from disk. Every error of a file is a problem; nothing throws. */
import { access, readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { checkOptions, checkRule, isRecord } from '@holdfast/core/internal/plain';
import { type Examined, examineManifest, loadFields, type ManifestResult, manifestResult, type ParseOptions } from './parse-manifest.ts';
import type { Manifest } from './manifest.ts';
import { parsePolicy } from './parse-policy.ts';
import type { PolicyResult } from './policy-file.ts';
import { parseTurn, type TurnParseOptions, type ParsedTurn } from './parse-turn.ts';
import { loadOpenapi } from './load-openapi.ts';
import type { PathStep, Problem, ProblemCode } from './problem.ts';
import { maxFileBytes } from './source/document.ts';

/** `ParseOptions` without the file, which is a separate argument. */
export type LoadOptions = Omit<ParseOptions, 'file'>;

/** Loads `holdfast.yaml` (or `.json`). A missing module is an error for `check`, and a warning for `run`. */
export async function loadManifest(path: string, options: LoadOptions = {}): Promise<ManifestResult> {
  checkOptions(loadFields, options, 'loadManifest');
  const file = await readText(path);
  if (file.problem) return { problems: [file.problem], source: '' };
  const examined = examineManifest(file.text, { ...options, file: path });
  await checkFiles(path, examined, options.purpose === 'check' ? 'error' : 'warning');
  if (options.purpose === 'check') await checkDocuments(examined);
  return manifestResult(examined.manifest, examined.source);
}

/** What turns may call: the tools of a manifest and the operations of its APIs. */
export type TurnTools = NonNullable<TurnParseOptions['manifest']> & Partial<Pick<Manifest, 'openapi' | 'gateway' | 'defaults'>>;

/** Loads a turn file. With `manifest`, the tools it names are checked. */
export async function loadTurn(path: string, options: { readonly manifest?: TurnTools } = {}): Promise<ParsedTurn> {
  checkOptions({ manifest: 'object' }, options, 'loadTurn');
  const { manifest } = options;
  const file = await readText(path);
  if (file.problem) return { problems: [file.problem], source: '' };
  return parseTurn(file.text, { file: path, ...(manifest === undefined ? {} : { manifest: { tools: await callable(manifest) } }) });
}

async function callable({ tools, openapi = {}, gateway, defaults = {} }: TurnTools): Promise<TurnTools['tools']> {
  if (gateway === undefined || Object.keys(openapi).length === 0) return tools;
  const loaded = await loadOpenapi({ openapi, gateway, defaults });
  await loaded.close();
  return [...tools, ...loaded.tools.map(({ tool }) => tool)];
}

/** Loads a policy file, or the policies of a manifest. */
export async function loadPolicy(path: string): Promise<PolicyResult> {
  const file = await readText(path);
  return file.problem ? { problems: [file.problem], source: '' } : parsePolicy(file.text, { file: path });
}

export type TextFile = { readonly text: string; readonly problem?: undefined } | { readonly problem: Problem };

/** The text of a file, or why it cannot be read. */
export async function readText(path: string): Promise<TextFile> {
  checkRule('string', path, 'path');
  try {
    const { size } = await stat(path);
    if (size > maxFileBytes * 4) return unusable(path, 'too_large', `the file has ${size} bytes`, `at most ${maxFileBytes} characters`);
    const bytes = await readFile(path);
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    const code = (error as { readonly code?: unknown }).code;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return unusable(path, 'encoding', 'the file is not UTF-8', 'a file saved as UTF-8');
    const reason =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : `the file cannot be read (${String(code)})`;
    return unusable(path, 'unreadable', reason);
  }
}

function unusable(file: string, code: ProblemCode, message: string, allowed?: string): TextFile {
  const place = { line: 1, column: 1, length: 1, path: '' } as const;
  return { problem: { severity: 'error', code, file, ...place, message, ...(allowed === undefined ? {} : { allowed }) } };
}

/** Checks that the modules exist. They are not loaded, since loading runs them. */
async function checkFiles(
  manifestPath: string,
  { places, reading, source, manifest }: Examined,
  severity: Problem['severity'],
): Promise<void> {
  const folder = dirname(resolve(manifestPath));
  const missing = async (file: unknown, where: readonly PathStep[]): Promise<void> => {
    if (typeof file !== 'string' || !reading || (await exists(resolve(folder, file)))) return;
    source.report({
      code: 'missing_file',
      severity,
      at: reading.at(...where),
      path: where,
      message: `there is no file ${file}`,
      allowed: "a path from the manifest's folder",
    });
  };
  for (const { tool, path } of places) {
    const run = tool['run'];
    if (!isRecord(run)) continue;
    const worker = isRecord(run['worker']) ? run['worker']['module'] : undefined;
    await missing(run['module'], [...path, 'run', 'module']);
    await missing(worker, [...path, 'run', 'worker', 'module']);
  }
  // A check reads the documents.
  if (severity === 'warning')
    for (const [api, { spec }] of Object.entries(manifest?.openapi ?? {})) await missing(spec, ['openapi', api, 'spec']);
}

/** Reads the documents of `openapi` as a run does. */
async function checkDocuments({ manifest, reading, source }: Examined): Promise<void> {
  if (manifest === undefined || !reading) return;
  const loaded = await loadOpenapi(manifest);
  await loaded.close();
  for (const { severity, path, message, suggestion } of loaded.problems)
    source.report({ code: 'bad_openapi', severity, at: reading.keyAt(...path), path, message, suggestion });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
