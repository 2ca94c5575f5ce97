/** Owns running scenarios of the official suite with a gateway as its client: one process has the gateways, and each scenario has a process of the suite. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Scenario } from './scenarios.ts';

export interface Outcome {
  readonly passed: number;
  /** Failures and warnings, with the suite's words. */
  readonly problems: readonly string[];
}

const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json');
const flags = ['--conditions=@holdfast/source', '--disable-warning=ExperimentalWarning'];
const program = (name: string): string => join(import.meta.dirname, name);

/** The process with the gateways. */
export interface Host extends AsyncDisposable {
  /** The client for the suite. */
  readonly command: string;
}

export async function startHost(): Promise<Host> {
  const child = spawn(process.execPath, [...flags, program('host.program.ts')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [port] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer | number | null];
  if (!Buffer.isBuffer(port)) throw new Error(`The host ended with ${String(port)}.`);
  return {
    command: [process.execPath, ...flags, program('ask-host.program.ts'), port.toString('utf8').trim()].join(' '),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}

export const suiteVersion = async (): Promise<string> =>
  (JSON.parse(await readFile(suite, 'utf8')) as { readonly version: string }).version;

export async function runScenario(host: Host, { name, revision }: Scenario): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-mcp-'));
  const which = revision === 'extension' ? [] : ['--spec-version', revision];
  const words = ['client', '--command', host.command, '--scenario', `auth/${name}`, ...which, '--timeout', '110000', '-o', folder];
  try {
    const child = spawn(process.execPath, [join(dirname(suite), 'dist/index.js'), ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-20_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    await new Promise((resolve) => {
      child.on('close', resolve);
    });
    return await outcomeIn(folder, output);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly description?: string;
  readonly errorMessage?: string;
}

async function outcomeIn(folder: string, output: string): Promise<Outcome> {
  const files = await readdir(folder, { recursive: true });
  const path = files.find((file) => file.endsWith('checks.json'));
  if (path === undefined) throw new Error(`The conformance suite ran no check:\n${output}`);
  const checks = JSON.parse(await readFile(join(folder, path), 'utf8')) as readonly Check[];
  const broken = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  return {
    passed: checks.filter(({ status }) => status === 'SUCCESS').length,
    problems: broken.map(({ id, status, description, errorMessage }) => `${status} ${id}: ${errorMessage ?? description ?? ''}`),
  };
}
