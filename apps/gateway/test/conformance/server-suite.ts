/** Owns running the conformance suite against a server: the outcome of every check of every scenario of one revision. */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Revision = '2025-11-25' | '2026-07-28';

export interface CheckOutcome {
  /** Scenario and check, with a number if a scenario repeats a check. */
  readonly key: string;
  readonly scenario: string;
  readonly status: string;
  readonly message: string | undefined;
}

/** The statuses that count. Skipped checks do not; `INFO` means that another behaviour is also valid. */
const counted: readonly string[] = ['SUCCESS', 'FAILURE', 'WARNING', 'INFO'];

const program = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')), 'dist/index.js');

/** Runs the suite in a separate process; resolves when it has ended. */
export async function runConformance(
  leg: 'server' | 'client',
  options: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<readonly CheckOutcome[]> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-conformance-'));
  try {
    const child = spawn(process.execPath, [program, leg, ...options, '-o', folder], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment, NO_COLOR: '1' },
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-20_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    await new Promise((resolve) => {
      child.on('close', resolve);
    });
    const outcomes = await readOutcomes(folder, leg);
    if (outcomes.length === 0) throw new Error(`The conformance suite ran no check:\n${output}`);
    return outcomes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function judgeServer(url: string, revision: Revision): Promise<readonly CheckOutcome[]> {
  return await runConformance('server', ['--url', url, '--requirements', revision]);
}

async function readOutcomes(folder: string, leg: string): Promise<readonly CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  const named = new RegExp(String.raw`^(?:${leg}-)?(.+?)-\d{4}-\d\d-\d\dT[\dZ-]+$`);
  for (const path of await readdir(folder, { recursive: true })) {
    if (!path.endsWith('checks.json')) continue;
    const scenario = named.exec(dirname(path))?.[1] ?? dirname(path);
    const times = new Map<string, number>();
    for (const { id, name, status, errorMessage } of JSON.parse(await readFile(join(folder, path), 'utf8')) as readonly RawCheck[]) {
      if (!counted.includes(status)) continue;
      const check = `${scenario}: ${id === scenario ? name : `${id} ${name}`}`;
      const time = (times.get(check) ?? 0) + 1;
      times.set(check, time);
      outcomes.push({ key: time === 1 ? check : `${check} (${time})`, scenario, status, message: errorMessage });
    }
  }
  return outcomes;
}

interface RawCheck {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly errorMessage?: string;
}

export const passed = (outcomes: readonly CheckOutcome[]): readonly string[] =>
  outcomes.filter(({ status }) => status === 'SUCCESS').map(({ key }) => key);

/** Returns the checks that only `wanted` passes, each with the message of the suite. */
export function missing(wanted: readonly CheckOutcome[], seen: readonly CheckOutcome[]): readonly string[] {
  const have = new Set(seen.filter(({ status }) => status === 'SUCCESS' || status === 'INFO').map(({ key }) => key));
  return passed(wanted)
    .filter((key) => !have.has(key))
    .map((key) => `${key} — ${seen.find((outcome) => outcome.key === key)?.message ?? 'not checked'}`);
}
