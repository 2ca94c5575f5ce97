import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ToolExecutionService } from '@holdfast/core';
import { buildTools, parseManifest } from '../src/index.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'module-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('a call that is cancelled while its module loads does not start', async () => {
  const module = `await new Promise((resolve) => setTimeout(resolve, 100));
globalThis.begun = 0;
export default () => { globalThis.begun += 1; };`;
  await writeFile(join(folder, 'slow.mjs'), module);
  const { manifest } = parseManifest('tools: [{ id: slow, run: { module: ./slow.mjs } }]', { file: join(folder, 'holdfast.yaml') });
  if (!manifest) throw new Error('There is no manifest.');
  const service = new ToolExecutionService({ tools: buildTools(manifest).tools });
  const cancelling = new AbortController();
  const call = service.executeTool({ toolName: 'slow' }, { signal: cancelling.signal });
  cancelling.abort();
  expect(await call).toMatchObject({ error: { code: 'CANCELLED' } });
  await expect.poll(() => service.getToolHealth('slow')?.inFlight).toBe(0);
  expect(Reflect.get(globalThis, 'begun')).toBe(0);
  expect(await service.executeTool({ toolName: 'slow' })).toMatchObject({ status: 'success' });
  expect(Reflect.get(globalThis, 'begun')).toBe(1);
});
