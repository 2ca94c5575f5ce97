/** Lists of thousands of tools: others run meanwhile, and nothing grows without a limit. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolExecutionService } from '@holdfast/core';
import { createMetrics } from '@holdfast/core/metrics';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { beforeEach, describe, expect, it } from 'vitest';
import { lockOf, readLock, writeLock } from '../../src/catalog/lock-file.ts';
import { openToolGuard } from '../../src/catalog/tool-guard.ts';
import { createOffering } from '../../src/composition/offer-tools.ts';
import { longStretches } from '../fixtures/long-stretches.ts';
import { catalogScene, type CatalogScene, type FakeUpstream, servers, tool } from './scene.ts';

describe('a list of thousands of tools', () => {
  it('offers the first 10,000 tools of a server, on one page or on several', async () => {
    const list = Array.from({ length: 10_002 }, (_, n) => tool(`t${10_000 + n}`));
    const scene = await catalogScene(servers(['a']), { a: list }, { readyMs: 20_000 });
    expect(scene.names()).toEqual(list.slice(0, 10_000).map(({ name }) => `a__${String(name)}`));
    expect(scene.notes.map(({ message }) => message)).toEqual(["Server 'a': it lists more than 10000 tools: the rest is ignored."]);
    const upstream = scene.upstreams.get('a');
    if (upstream === undefined) throw new Error('no server');
    const page = (_method: string, { cursor }: { readonly cursor?: string }): Promise<JsonObject> =>
      Promise.resolve(cursor === undefined ? { tools: list.slice(0, 9_999), nextCursor: '2' } : { tools: list.slice(9_999) });
    Object.assign(upstream.server, { request: page });
    await scene.catalog.refresh('a');
    expect(scene.names()).toHaveLength(10_000);
  });

  it(
    'lets others run while a list of ten thousand is read, compared with the lock file, offered and kept',
    { timeout: 30_000 },
    async () => {
      const list = (version: number): JsonObject[] =>
        Array.from({ length: 10_000 }, (_, n) => tool(`tool_${n}`, { description: `Version ${version} does ${n}. `.repeat(20) }));
      const folder = await mkdtemp(join(tmpdir(), 'holdfast-list-'));
      const source = servers(['a'], `gateway: { tool_lock: warn, lock_file: ${join(folder, 'lock.json')} }`);
      const [first, second] = [list(1), list(2)];
      const service = new ToolExecutionService({ tools: [] });
      const { offer } = createOffering(service, createMetrics());
      const stretches = longStretches();
      const scene = await catalogScene(
        source,
        { a: first },
        {
          cacheFile: join(folder, 'tools.json'),
          readyMs: 20_000,
          offer: (entries, { defaults }) =>
            offer(
              entries.map(({ tool: each }) => each),
              defaults,
            ),
        },
      );
      const before = scene.catalog.list();
      expect(before).toHaveLength(10_000);
      expect(service.tools).toHaveLength(10_000);
      await scene.catalog.refresh('a');
      expect(scene.catalog.list()).toBe(before);
      const upstream = scene.upstreams.get('a');
      if (upstream) upstream.tools = second;
      await scene.catalog.refresh('a');
      expect(scene.catalog.list()[17]).not.toBe(before[17]);
      await scene.catalog.close();
      const share = stretches.end();
      if (process.env['SHOW_WAITS']) process.stderr.write(`in long stretches: ${share.toFixed(2)}\n`);
      expect(share).toBeLessThan(0.5);
      const kept = JSON.parse(await readFile(join(folder, 'tools.json'), 'utf8')) as { servers: Record<string, { tools: JsonObject[] }> };
      expect(kept.servers['a']?.tools).toEqual(second);
    },
  );
});

describe('the lock file of a server with thousands of tools', () => {
  let file: string;
  beforeEach(async () => {
    file = join(await mkdtemp(join(tmpdir(), 'holdfast-lock-')), 'holdfast.lock.json');
  });
  const open = (mode: string, lists: Readonly<Record<string, FakeUpstream['tools']>>): Promise<CatalogScene> =>
    catalogScene(servers(Object.keys(lists), `gateway: { tool_lock: ${mode}, lock_file: '${file}' }`), lists);
  const messages = ({ notes }: CatalogScene): readonly string[] => notes.map(({ message }) => message);
  const echo = tool('echo');

  it('reports fifty differences of a server, and the number of the others', async () => {
    const list = (version: string): JsonObject[] => Array.from({ length: 60 }, (_, n) => tool(`t${n}`, { description: version }));
    await open('block', { a: list('1') });
    const scene = await open('block', { a: list('2') });
    expect(scene.names()).toEqual([]);
    expect(Object.keys(scene.catalog.withheldTools('a'))).toHaveLength(60);
    expect(messages(scene)).toHaveLength(51);
    expect(messages(scene).at(-1)).toContain("Server 'a' offers 10 more definitions that differ from");
  });

  it('does not grow with every list of a server that always has other tools', { timeout: 30_000 }, async () => {
    const guard = await openToolGuard(() => ({ mode: 'warn', file }));
    const list = (part: number): JsonObject[] => Array.from({ length: 21_000 }, (_, n) => ({ name: `t${part}_${n}` }));
    await guard.check('a', list(1));
    const { notes } = await guard.check('a', list(2));
    expect(Object.keys((await readLock(file))?.servers['a'] ?? {})).toHaveLength(40_000);
    expect(notes[0]?.message).toContain('it has been added');
    const last = await guard.check('a', list(3));
    expect(last.notes[0]?.message).toContain('it is still offered (tool_lock: warn)');
  });

  it('is written as JSON with two spaces, whatever it has', async () => {
    const lock = lockOf([
      { server: 'z', definition: { ...echo, inputSchema: { type: 'object', properties: { a: { enum: [[], {}, 'x\n'] } } } } },
      { server: 'a', definition: tool('__proto__') },
    ]);
    for (const each of [lock, { version: 1, servers: {} }, { version: 1, servers: { a: {} } }] as const) {
      await writeLock(file, each);
      const text = await readFile(file, 'utf8');
      expect(text).toBe(`${JSON.stringify(JSON.parse(text), undefined, 2)}\n`);
    }
  });

  it('that is large is read in the same way, and refused in the same way', async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => ({ server: 'a', definition: tool(`t${n}`) }));
    const lock = lockOf(many);
    await writeLock(file, lock);
    expect(await readLock(file)).toEqual(JSON.parse(JSON.stringify(lock)));
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, -4));
    await expect(readLock(file)).rejects.toThrow(/cannot be read: it is not JSON\. Fix it/);
  });
});
