/** Tools that the lock file blocks, as operators see them. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startGateway, writeWords } from '../fixtures/gateway.ts';
import { programServer } from '../fixtures/manifests.ts';
import { hostileProgram, referenceProgram } from '../fixtures/programs.ts';

test('the upstreams and the totals count the tools that are not offered', { timeout: 30_000 }, async () => {
  const words = {
    mcp_servers: { one: programServer(hostileProgram), two: programServer(referenceProgram) },
    gateway: { reload: false, tool_lock: 'block' },
  };
  const manifestPath = await writeWords(words);
  const lock = { version: 1, servers: { one: { echo: `sha256-${'0'.repeat(64)}` } } };
  await writeFile(join(dirname(manifestPath), 'holdfast.lock.json'), JSON.stringify(lock));
  await using started = await startGateway(words, { manifestPath });
  const { gateway, url } = started;
  const json = async (path: string): Promise<Record<string, unknown>> =>
    (await (await fetch(new URL(path, url))).json()) as Record<string, unknown>;
  await expect.poll(() => gateway.service.tools.length, { timeout: 15_000 }).toBeGreaterThan(0);
  await expect.poll(() => gateway.upstreams()[0]?.withheldTools, { timeout: 15_000 }).toBeDefined();
  const [one, two] = gateway.upstreams();
  const count = Object.keys(one?.withheldTools ?? {}).length;
  expect(one?.withheldTools?.['echo']).toContain("The definition of tool 'echo' of server 'one' differs");
  expect(count).toBeGreaterThan(1);
  expect(two).not.toHaveProperty('withheldTools');
  const { upstreams } = (await json('/v1/upstreams')) as { readonly upstreams: readonly object[] };
  expect(upstreams[0]).toMatchObject({ name: 'one', tools_withheld: count });
  expect(upstreams[1]).not.toHaveProperty('tools_withheld');
  expect(await json('/v1/overview')).toMatchObject({ totals: { tools_withheld: count } });
});
