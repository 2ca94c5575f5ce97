/** The examples of the guide have the documented results, in their order, with their own gateway. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseManifest } from '@holdfast/manifest';
import { memoryStore } from '@holdfast/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';

const page = readFileSync(new URL('../../../../docs/guide/turn-api.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, info = '', text = '']) => ({ info, text }));
const examples = blocks.filter(({ info }) => info === 'sh');
const operatorToken = 'a-long-random-text';
const folder = mkdtempSync(join(tmpdir(), 'holdfast-guide-'));

const module = `
export const echo = async (args) => args;
export const report = async ({ ms = 0 }, { signal }) => {
  await new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason); });
  });
  return 'written';
};
`;

const hasCurl = ((): boolean => {
  try {
    execFileSync('curl', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!hasCurl)('the guide', () => {
  let gateway: Gateway;
  let url: string;

  beforeAll(async () => {
    writeFileSync(join(folder, 'tools.mjs'), module);
    const source = blocks.find(({ info }) => info === 'yaml')?.text ?? '';
    const { manifest, problems } = parseManifest(`${source}\ngateway: { log: off }\n`, { file: join(folder, 'holdfast.yaml') });
    if (!manifest) throw new Error(JSON.stringify(problems));
    gateway = await createGateway(manifest, { store: memoryStore(), operatorToken });
    ({ url } = await gateway.listen({ port: 0 }));
  });

  afterAll(async () => {
    await gateway.close(100);
    rmSync(folder, { recursive: true, force: true });
  });

  test('has examples', () => {
    expect(examples.length).toBeGreaterThan(8);
  });

  test.each(examples.map(({ text }, index) => [index + 1, text] as const))('example %i', async (_number, text) => {
    const commands = `set -e\nGATEWAY=${url}\nHOLDFAST_OPERATOR_TOKEN=${operatorToken}\n${text.replace(/^GATEWAY=.*$/m, '')}`;
    const { stdout } = await promisify(execFile)('bash', ['-c', commands], { cwd: folder });
    const reported = text.split('\n').flatMap((line) => (line.startsWith('# ') ? [line.slice(2)] : []));
    expect(reported.length).toBeGreaterThan(0);
    let place = 0;
    for (const line of reported) {
      const found = stdout.indexOf(line, place);
      expect(found, `${line}\nin\n${stdout}`).toBeGreaterThanOrEqual(0);
      place = found + line.length;
    }
  });
});
