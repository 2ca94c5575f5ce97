/**
 * Owns running the tool tests of a checkout, bare or with one way of wrapping.
 *
 * Invariants
 * 1. A run ends: a test has a time limit, and a process from which nothing is heard for long is ended. What it was running counts as hung; the other files run in a
 *    new process.
 * 2. Only processes that were started here are ended.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Framework, Way } from './framework.ts';
import { type Plan, planVariable, type RunEvent } from './plan.ts';

export interface TestResult {
  readonly state: 'passed' | 'failed' | 'skipped' | 'hung';
  /** The first lines of the failure. */
  readonly error?: string;
}

/** By `file > test`. Errors that escape to the process have an entry of their own. */
export type SuiteResults = ReadonlyMap<string, TestResult>;

interface Limits {
  /** Of one test, where the test does not set its own. */
  readonly testTimeoutMs: number;
  /** How long a process may report nothing, once it has started. */
  readonly silenceMs: number;
}

export interface SuiteRun extends Limits {
  readonly framework: Framework;
  readonly checkout: string;
  readonly way?: Way | undefined;
  /** Runs only files whose path contains it. */
  readonly filter?: string | undefined;
  /** Runs these files only. */
  readonly files?: readonly string[] | undefined;
}

const here = import.meta.dirname;
/** How long a test runner may take to load its first file. */
const startMs = 120_000;

export function testFiles({ framework, checkout, filter, files }: SuiteRun): readonly string[] {
  if (files) return files;
  const isExcluded = (glob: string): boolean => glob.startsWith('!');
  const exclude = framework.tests.filter(isExcluded).map((glob) => glob.slice(1));
  const found = globSync(
    framework.tests.filter((glob) => !isExcluded(glob)),
    { cwd: join(checkout, framework.folder), exclude: ['**/node_modules/**', ...exclude] },
  );
  return found.filter((file) => filter === undefined || file.includes(filter)).toSorted();
}

export async function runSuite(run: SuiteRun): Promise<SuiteResults> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-way-'));
  try {
    const way = run.way && (await bundleWay(run.way, run.framework, folder));
    const results = new Map<string, TestResult>();
    let files = testFiles(run);
    let isReplaced = run.way?.replaces === undefined;
    if (files.length === 0) throw new Error(`${run.checkout} has none of the test files of ${run.framework.title}.`);
    while (files.length > 0) {
      const plan = planOf(run, { files, way, events: join(folder, 'events.jsonl') });
      const ended = await runProcess(run, plan, folder);
      const events = readEvents(plan.events, run.checkout);
      take(results, events, ended);
      isReplaced ||= events.some(({ kind }) => kind === 'replaced');
      const done = new Set(events.flatMap((event) => ('file' in event ? [event.file] : [])));
      const rest = files.filter((file) => !done.has(file));
      if (rest.length === files.length) throw new Error(`The tests did not start. ${escapedText(events)}${ended.output.slice(-2_000)}`);
      files = rest;
    }
    if (!isReplaced) throw new Error(`No test imports what '${run.way?.name}' replaces: nothing was wrapped.`);
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One file with the adapter's sources. The framework's own packages stay imports. */
async function bundleWay({ code }: Way, { packages, runner }: Framework, folder: string): Promise<string> {
  const outfile = join(folder, runner === 'jest' ? 'holdfast-way.cjs' : 'holdfast-way.js');
  await build({
    entryPoints: [resolve(here, 'ways', code)],
    outfile,
    bundle: true,
    format: runner === 'jest' ? 'cjs' : 'esm',
    platform: 'node',
    target: 'node22',
    conditions: ['@holdfast/source'],
    external: packages.flatMap((name) => [name, `${name}/*`]),
    logLevel: 'warning',
  });
  return outfile;
}

function planOf({ framework, checkout, way: chosen, testTimeoutMs }: SuiteRun, given: Pick<Plan, 'files' | 'way' | 'events'>): Plan {
  const root = join(checkout, framework.folder);
  const { config, project, importers = String.raw`\.test\.tsx?$` } = framework;
  return {
    ...given,
    root,
    config: config?.startsWith('/') ? join(checkout, config) : config && join(root, config),
    project,
    testTimeoutMs,
    sources: sourcesOf(framework, checkout),
    inline: framework.workspaces ? framework.packages.map((name) => name.split('/')[0] ?? name) : [],
    replaces: chosen?.replaces ?? [],
    importers,
  };
}

/** Sources by the names that they are imported by: those that are listed, and the exports of workspaces. */
function sourcesOf({ sources = {}, workspaces }: Framework, checkout: string): Plan['sources'] {
  const listed = Object.entries(sources).map(([name, path]) => [name, join(checkout, path)]);
  const found = (workspaces?.folders ?? []).flatMap((folder) => {
    const path = join(checkout, folder, 'package.json');
    const { name, exports } = JSON.parse(readFileSync(path, 'utf8')) as {
      name: string;
      exports: Record<string, Record<string, string> | string>;
    };
    return Object.entries(exports).flatMap(([entry, targets]) => {
      const target = typeof targets === 'object' ? targets[workspaces?.condition ?? ''] : undefined;
      return target === undefined ? [] : [[join(name, entry).replaceAll('.', String.raw`\.`), join(checkout, folder, target)]];
    });
  });
  return Object.fromEntries([...listed, ...found]) as Plan['sources'];
}

interface Ended {
  readonly output: string;
  readonly isSilent: boolean;
}

function runProcess({ framework: { runner, env }, silenceMs }: SuiteRun, plan: Plan, folder: string): Promise<Ended> {
  const planPath = join(folder, 'plan.json');
  writeFileSync(planPath, JSON.stringify(plan));
  writeFileSync(plan.events, '');
  const manifest = runnerManifest(runner, plan.root);
  const args = runner === 'jest' ? jestArguments(manifest, plan) : vitestArguments(manifest, plan);
  const child = spawn(process.execPath, args, {
    cwd: plan.root,
    detached: true,
    env: { ...cleanEnvironment(), ...env, [planVariable]: planPath, HOLDFAST_FRAMEWORK_RUNNER: manifest },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return watch(child, plan.events, silenceMs);
}

/** Resolves when the process has ended, at the latest when it has been silent for too long. */
function watch(child: ChildProcess, events: string, silenceMs: number): Promise<Ended> {
  let output = '';
  let isSilent = false;
  const keep = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-20_000));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  let heard = { size: 0, at: performance.now() };
  const timer = setInterval(() => {
    const { size } = statSync(events);
    if (size !== heard.size) heard = { size, at: performance.now() };
    const limit = size === 0 ? Math.max(startMs, silenceMs) : silenceMs;
    if (performance.now() - heard.at < limit) return;
    isSilent = true;
    // The process has its own group, with its workers.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, 250);
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', () => {
      clearInterval(timer);
      done({ output, isSilent });
    });
  });
}

function readEvents(path: string, checkout: string): readonly RunEvent[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RunEvent)
    .map((event) => ('error' in event && event.error !== undefined ? { ...event, error: withoutPlaces(event.error, checkout) } : event));
}

/** A failure without where it happened on this machine. */
const withoutPlaces = (error: string, checkout: string): string =>
  error
    .split('\n')
    .filter((line) => !/^\s*at /.test(line))
    .join('\n')
    .replaceAll(`${checkout}/`, '')
    .replaceAll(`${tmpdir()}/`, '');

function take(results: Map<string, TestResult>, events: readonly RunEvent[], { isSilent, output }: Ended): void {
  const open = new Set<string>();
  for (const event of events) {
    if (event.kind === 'start') open.add(event.file);
    if (event.kind === 'end') open.delete(event.file);
    if (event.kind === 'test') add(results, `${event.file} > ${event.test}`, { state: stateOf(event.state), ...short(event.error) });
    if (event.kind === 'end' && event.error !== undefined)
      add(results, `${event.file} > (file)`, { state: 'failed', ...short(event.error) });
    if (event.kind === 'escaped') add(results, `(escaped) > ${lineOf(event.error)}`, { state: 'failed', ...short(event.error) });
  }
  // Tests of such a file without a result have hung, or were not reached.
  for (const file of open)
    add(results, `${file} > (file)`, {
      state: isSilent ? 'hung' : 'failed',
      error: `The process ended before the file did. ${output.slice(-1_000)}`,
    });
}

const escapedText = (events: readonly RunEvent[]): string =>
  events.map((event) => (event.kind === 'escaped' ? `${event.error}\n` : '')).join('');

/** Tests of one name are numbered. */
function add(results: Map<string, TestResult>, id: string, result: TestResult): void {
  let name = id;
  for (let count = 2; results.has(name); count++) name = `${id} (${count})`;
  results.set(name, result);
}

const stateOf = (state: string): TestResult['state'] => (state === 'passed' || state === 'failed' ? state : 'skipped');
const lineOf = (text: string): string => text.split('\n')[0] ?? '';
const short = (error: string | undefined): { readonly error?: string } => (error === undefined ? {} : { error: error.slice(0, 1_500) });

/** The `package.json` of the checkout's test runner. */
function runnerManifest(runner: Framework['runner'], root: string): string {
  for (let folder = root; ; folder = join(folder, '..')) {
    const manifest = join(folder, 'node_modules', runner, 'package.json');
    if (existsSync(manifest)) return realpathSync(manifest);
    if (folder === join(folder, '..')) throw new Error(`There is no ${runner} in ${root}: install the dependencies of the checkout first.`);
  }
}

const vitestArguments = (manifest: string, { root, files }: Plan): readonly string[] => [
  join(manifest, '../vitest.mjs'),
  'run',
  '--config',
  join(here, 'runners/vitest.config.ts'),
  '--root',
  root,
  ...files,
];

const jestArguments = (manifest: string, { way, testTimeoutMs, files }: Plan): readonly string[] => [
  join(manifest, '../bin/jest.js'),
  '--ci',
  ...(way === undefined ? [] : ['--setupFilesAfterEnv', way]),
  '--reporters',
  join(here, 'runners/jest-reporter.cjs'),
  '--testTimeout',
  String(testTimeoutMs),
  '--maxWorkers=2',
  '--forceExit',
  '--runTestsByPath',
  ...files,
];

/** Neither keys nor our own test run reach a framework. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, CI: '1', NO_COLOR: '1', NODE_ENV: 'test' };
}
