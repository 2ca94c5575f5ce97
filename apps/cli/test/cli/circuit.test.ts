/** `holdfast circuit` against a gateway in this process. */
import { createGateway, type Gateway } from '@holdfast/gateway';
import { parseManifest } from '@holdfast/manifest';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Folder } from './program.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const manifest = (port: number): string =>
  `version: 1\nstore: false\ngateway: { listen: { port: ${port} } }\ntools: [{ id: search, effect: read, run: { http: { url: 'http://127.0.0.1:9' } } }]\n`;
const token = 'operator-0123456789abcdef';

let gateway: Gateway;
let folder: Folder;

beforeAll(async () => {
  const parsed = parseManifest(manifest(0));
  if (parsed.manifest === undefined) throw new Error('The manifest is wrong');
  gateway = await createGateway(parsed.manifest, { log: 'off', operatorToken: token });
  const { url } = await gateway.listen();
  folder = new Folder().write({ 'holdfast.yaml': manifest(Number(new URL(url).port)) });
});
afterAll(async () => {
  await gateway?.close(0);
  folder?.remove();
});

const run = (...args: readonly string[]) => folder.run(['circuit', ...args], { env: { HOLDFAST_OPERATOR_TOKEN: token } });

test('controls a circuit of the gateway of the manifest', async () => {
  expect(await run('search', 'open')).toMatchObject({ code: 0, stdout: 'The circuit of search is open, forced open.\n' });
  expect(gateway.service.getToolHealth('search')).toMatchObject({ mode: 'forced_open' });
  const closed = await run('search', 'close', '--output', 'json');
  expect(JSON.parse(closed.stdout)).toMatchObject({ name: 'search', health: { circuit: 'closed', mode: 'auto' } });
});

test('a command that cannot be carried out says why', async () => {
  const unknown = await run('search', 'reset', '--client', 'alice');
  expect(unknown).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining("belongs to a client 'alice'. A client has") });
  expect(await run('search', 'opne')).toMatchObject({ code: 2, stderr: expect.stringContaining('Allowed choices are open') });
  expect(await run('search', 'open', '--gateway', 'localhost')).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a URL') });
  expect(await run('search', 'open', '--token-env', 'UNSET_TOKEN')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('UNSET_TOKEN'),
  });
});
