/** A manifest that changes while the gateway runs. */
import { rename, writeFile } from 'node:fs/promises';
import type { Manifest } from '@holdfast/manifest';
import { describe, expect, test } from 'vitest';
import { watchManifest } from '../../src/composition/watch-manifest.ts';
import { readWords, startGateway, writeWords } from '../fixtures/gateway.ts';

const saying = (word: string, more: object = {}) => ({
  version: 1,
  tools: [{ id: 'say', run: { command: { command: 'echo', args: [word], output: 'text', stdin: 'none' } }, ...more }],
});

describe('reload', () => {
  test('new tools answer, and removed ones are unknown', async () => {
    await using scene = await startGateway(saying('before'));
    const { gateway } = scene;
    const before = await gateway.service.executeTool({ toolName: 'say' });
    const other = {
      version: 1,
      tools: [{ id: 'speak', run: { command: { command: 'echo', args: ['after'], output: 'text', stdin: 'none' } } }],
    };
    expect(await gateway.reload(readWords(other, await writeWords(other)))).toEqual(['store']);
    const after = await gateway.service.executeTool({ toolName: 'speak' });
    expect([before.output, after.output].map(String).map((text) => text.trim())).toEqual(['before', 'after']);
    expect(await gateway.service.executeTool({ toolName: 'say' })).toMatchObject({ error: { code: 'UNKNOWN_TOOL' } });
  });

  test('a circuit stays open, changed defaults apply at once', async () => {
    const failing = {
      version: 1,
      tools: [{ id: 'fails', run: { command: { command: 'false', stdin: 'none' } }, retry_policy: { initial_delay_ms: 1 } }],
    };
    await using scene = await startGateway(failing);
    const { gateway } = scene;
    gateway.service.controlCircuit('fails', 'forced_open');
    const changed = { ...failing, defaults: { timeout_ms: 77 } };
    await gateway.reload(readWords(changed, await writeWords(changed)));
    expect(gateway.service.getToolHealth('fails')).toMatchObject({ mode: 'forced_open' });
    expect(gateway.service.getToolSettings('fails')).toMatchObject({ timeoutMs: 77 });
  });
});

describe('watching the manifest', () => {
  test('a changed file is applied, an invalid one is reported and changes nothing', async () => {
    const path = await writeWords(saying('one'));
    const reported: string[] = [];
    const applied: Manifest[] = [];
    const watching = watchManifest({
      path,
      notify: (text) => void reported.push(text),
      apply: async (manifest) => {
        applied.push(manifest);
        return ['gateway.listen'];
      },
      watch: true,
    });
    try {
      await writeFile(path, JSON.stringify(saying('two')));
      await expect.poll(() => applied.length, { timeout: 10_000 }).toBe(1);
      await expect.poll(() => reported.at(-1)).toContain('again. Settings that take effect after a restart: gateway.listen.');
      await writeFile(path, 'version: 1\ntoools: []');
      await expect.poll(() => reported.at(-1), { timeout: 10_000 }).toContain('the gateway keeps the previous manifest');
      expect(applied).toHaveLength(1);
      // Like editors.
      await writeFile(`${path}.new`, JSON.stringify(saying('three')));
      await rename(`${path}.new`, path);
      await expect.poll(() => applied.length, { timeout: 10_000 }).toBe(2);
    } finally {
      watching.stop();
    }
  });

  test('a manifest that cannot be applied is reported', async () => {
    const reported: string[] = [];
    const watching = watchManifest({
      path: await writeWords(saying('one')),
      notify: (text) => void reported.push(text),
      apply: () => Promise.reject(new Error('no space')),
      watch: false,
    });
    await watching.reload();
    expect(reported.at(-1)).toContain('was not applied: no space');
    watching.stop();
  });
});
