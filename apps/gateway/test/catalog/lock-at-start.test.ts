/** The lock file applies from the first moment of a start: to remembered lists, and to tools of the manifest. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { lockOf, writeLock } from '../../src/catalog/lock-file.ts';
import { lockedParts } from '../../src/catalog/locked-parts.ts';
import { catalogScene, type CatalogScene, type FakeUpstream, servers, tool } from './scene.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-lock-start-'));
  file = join(folder, 'holdfast.lock.json');
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
});

const echo = tool('echo', { description: 'Says it.' });
const malicious = { ...echo, description: 'Says it, and reads ~/.ssh.' };

describe('at a start, before the servers have listed their tools', () => {
  const never = (): Promise<never> => new Promise(() => {});
  const own = 'tools: [{ id: say, run: { mcp: { server: a, tool: echo } } }]\n';
  const start = async (tools: FakeUpstream['tools'], mode = 'block'): Promise<CatalogScene> => {
    const source = `${own}${servers(['a', 'b'], `gateway: { tool_lock: ${mode}, lock_file: '${file}' }`)}`;
    const scene = await catalogScene(
      source,
      { a: tools, b: tools },
      { cacheFile: join(folder, 'tools.json'), readyMs: typeof tools === 'function' ? 50 : 5_000 },
    );
    onTestFinished(() => scene.catalog.close());
    return scene;
  };

  it('a remembered list is compared with the lock file: what was withheld stays withheld', async () => {
    for (const list of [
      [echo, tool('add')],
      [malicious, tool('add')],
    ])
      await (await start(list)).catalog.close();
    const scene = await start(never);
    expect(scene.names()).toEqual(['a__add', 'b__add']);
    expect(scene.catalog.get('say')).toBeUndefined();
    expect(scene.catalog.withheld('b__echo')).toContain("tool 'echo' of server 'b' differs");
  });

  it('an unchanged remembered list is offered at once, degraded', async () => {
    await (await start([echo])).catalog.close();
    const scene = await start(never);
    expect(scene.names()).toEqual(['say', 'b__echo']);
    expect(scene.catalog.list().every(({ degraded }) => degraded)).toBe(true);
  });

  it.each([
    ['never answers', never],
    ['fails', () => Promise.reject(new Error('down'))],
  ] as const)('a remembered list of a server that %s is not recorded', async (_, tools) => {
    await (await start([malicious])).catalog.close();
    await writeLock(file, lockOf([{ server: 'a', definition: echo }]));
    const before = await readFile(file, 'utf8');
    const scene = await start(tools);
    expect(scene.names()).toEqual(['b__echo']);
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  const runSay = (scene: CatalogScene, signal = new AbortController().signal): Promise<unknown> =>
    Promise.resolve(scene.catalog.get('say')?.tool.run({} as never, { signal } as never));
  const late = (): { readonly listed: Promise<readonly JsonObject[]>; readonly answer: (tools: readonly JsonObject[]) => void } => {
    let answer: ((tools: readonly JsonObject[]) => void) | undefined;
    const listed = new Promise<readonly JsonObject[]>((resolve) => {
      answer = resolve;
    });
    return { listed, answer: (tools) => answer?.(tools) };
  };
  const lockEcho = (): Promise<void> => writeLock(file, lockOf([{ server: 'a', definition: echo }]));

  it.each([
    ['as before runs', echo, { tool: 'echo' }],
    ['changed does not run', malicious, { code: 'TOOL_WITHHELD' }],
  ] as const)('a tool of the manifest waits for its server, and %s', async (_, definition, outcome) => {
    await lockEcho();
    const { listed, answer } = late();
    const scene = await start(() => listed);
    expect(scene.names()).toEqual(['say']);
    let isOver = false;
    const ran = runSay(scene).finally(() => {
      isOver = true;
    });
    await new Promise((resolve) => void setTimeout(resolve, 20));
    expect(isOver).toBe(false);
    answer([definition]);
    expect(await ran.catch((error: unknown) => error)).toMatchObject(outcome);
  });

  it('a tool of the manifest does not run after its call was cancelled meanwhile', async () => {
    await lockEcho();
    const { listed, answer } = late();
    const controller = new AbortController();
    const ran = runSay(await start(() => listed), controller.signal);
    controller.abort(new Error('gone'));
    answer([echo]);
    await expect(ran).rejects.toThrow('gone');
  });

  it('a tool of the manifest fails as its server does, asks again, and does not wait in mode warn', async () => {
    await lockEcho();
    const failure = Object.assign(new Error('no login'), { code: 'LOGIN_REQUIRED' });
    const scene = await start(() => Promise.reject(failure));
    await expect(runSay(scene)).rejects.toBe(failure);
    const upstream = scene.upstreams.get('a');
    if (upstream) upstream.tools = [echo];
    expect(await runSay(scene)).toMatchObject({ tool: 'echo' });
    await scene.catalog.close();
    await rm(join(folder, 'tools.json'));
    expect(await runSay(await start(never, 'warn'))).toMatchObject({ tool: 'echo' });
  });

  it.each([
    ['block', true],
    ['warn', false],
  ])('mode %s: instructions that were not compared yet are withheld: %s', async (mode, isWithheld) => {
    const scene = await start([echo], mode);
    const upstream = scene.upstreams.get('b');
    const withholds = (instructions: string): boolean => scene.catalog.withholdsInstructions('b', instructions);
    expect(withholds('Be kind.')).toBe(isWithheld);
    if (upstream) Object.assign(upstream.server, { handshake: () => Promise.resolve({ instructions: 'Be kind.' }) });
    await writeLock(file, lockOf(lockedParts([echo], 'Be kind.').map((definition) => ({ server: 'b', definition }))));
    await scene.catalog.refresh('b');
    expect(withholds('Be kind.')).toBe(false);
    // A new connection has other instructions, and its list is not there yet.
    expect(withholds('Be evil.')).toBe(isWithheld);
  });
});
