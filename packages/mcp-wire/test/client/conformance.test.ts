/** This client against the servers of the conformance suite: every scenario that a revision requires, except those of authorization. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const program = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')), 'dist/index.js');
const client = fileURLToPath(new URL('./conformance-client.ts', import.meta.url));

/** `revision scenario/check`. No check is expected to fail. */
const expectedFailures: readonly string[] = [];

const scenarios: readonly (readonly [revision: string, scenario: string, least: number])[] = [
  ['2025-11-25', 'initialize', 1],
  ['2025-11-25', 'tools_call', 2],
  ['2025-11-25', 'elicitation-sep1034-client-defaults', 5],
  ['2025-11-25', 'sse-retry', 3],
  ['2026-07-28', 'tools_call', 2],
  ['2026-07-28', 'request-metadata', 8],
  ['2026-07-28', 'sep-2322-client-request-state', 5],
  ['2026-07-28', 'http-standard-headers', 9],
  ['2026-07-28', 'http-custom-headers', 18],
  ['2026-07-28', 'http-invalid-tool-headers', 12],
  ['2026-07-28', 'json-schema-ref-no-deref', 1],
  ['2026-07-28', 'json-schema-2020-12-preservation', 1],
];

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

test.concurrent.for(scenarios)('%s %s', { timeout: 60_000 }, async ([revision, scenario, least]) => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-conformance-'));
  try {
    const command = `${process.execPath} ${client}`;
    const options = ['--command', command, '--scenario', scenario, '--spec-version', revision, '-o', folder];
    const run = spawn(process.execPath, [program, 'client', ...options], { stdio: 'ignore' });
    await once(run, 'exit');
    const checks = await checksIn(folder);
    const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    const unexpected = failed.filter(({ id }) => !expectedFailures.includes(`${revision} ${scenario}/${id}`));
    expect(unexpected).toEqual([]);
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(least);
  } finally {
    await rm(folder, { recursive: true });
  }
});

async function checksIn(folder: string): Promise<readonly Check[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('checks.json'));
  const lists = await Promise.all(files.map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as readonly Check[]));
  return lists.flat();
}
