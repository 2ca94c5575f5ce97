/** Owns the engines that run the bundle: a context with only ECMAScript, other versions of Node, a browser. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { chromium, type Browser } from 'playwright-core';
import { globalName } from './bundle.ts';

const root = join(import.meta.dirname, '../../../..');
const run = promisify(execFile);

/** What V8 adds to a new context beyond ECMAScript. */
const extras = ['console', 'WebAssembly', 'escape', 'unescape'];

/** Evaluates `code`, then `expression`, with only ECMAScript: no timers, no console, no eval. */
export function runBare(code: string, expression: string): unknown {
  const context = createContext({}, { codeGeneration: { strings: false, wasm: false } });
  runInContext(extras.map((name) => `delete globalThis.${name};`).join(''), context);
  runInContext(code, context, { filename: 'holdfast.js' });
  return runInContext(expression, context, { timeout: 10_000 });
}

/** The Node binary of one major line, from the development dependencies of this repository. */
export function nodeBinary(major: 22 | 24 | 26): string {
  const path = join(root, 'node_modules', major === 24 ? 'node' : `node-${String(major)}`, 'bin/node');
  if (existsSync(path)) return path;
  throw new Error(
    `No Node ${String(major)} at ${path}: it is an optional dependency for Linux on x64; run "npm ci" without --omit=optional.`,
  );
}

export interface NodeRun {
  readonly version: string;
  readonly report: unknown;
  readonly stderr: string;
}

/** Runs the bundle and `expression` (a promise) in a separate process, which must end by itself. */
export async function runOnNode(binary: string, code: string, expression: string): Promise<NodeRun> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-portable-'));
  try {
    const file = join(folder, 'run.cjs');
    const print = `(${expression}).then((report) => console.log(JSON.stringify({ version: process.version, report })));`;
    await writeFile(file, `${code}\n${print}\n`);
    const flags = ['--disallow-code-generation-from-strings', '--throw-deprecation', '--unhandled-rejections=strict'];
    const { stdout, stderr } = await run(binary, [...flags, file], { timeout: 20_000, env: {} });
    return { ...(JSON.parse(stdout) as { version: string; report: unknown }), stderr };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const chromiumPath: string = process.env['HOLDFAST_CHROMIUM'] ?? '/usr/bin/chromium';

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

export interface PageRun {
  readonly report: unknown;
  readonly complaints: readonly string[];
}

/** Runs the bundle and `expression` in a page that may neither load anything nor evaluate strings. */
export async function runInPage(browser: Browser, code: string, expression: string): Promise<PageRun> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (entry) => complaints.push(entry.text()));
  try {
    const policy = "default-src 'none'; script-src 'unsafe-inline'";
    await page.setContent(`<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><title>core</title>`);
    await page.addScriptTag({ content: `${code}\nglobalThis.${globalName} = ${globalName};` });
    return { report: await page.evaluate(expression), complaints };
  } finally {
    await page.close();
  }
}
