/** A server whose tools change while the gateway offers them: they are updated, or withheld by the lock file. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textOf, type RawClient } from '../fixtures/client/raw-client.ts';
import { failed, openScene } from './scene.ts';

const names = async (client: RawClient): Promise<readonly string[]> =>
  ((await client.request('tools/list'))['tools'] as readonly { readonly name: string }[]).map(({ name }) => name);

test('a tool that is added later is announced, listed and callable', async () => {
  await using scene = await openScene();
  const listener = await scene.connect({ listen: true });
  expect(await names(listener)).not.toContain('bad__late');
  await listener.call('bad__grow');
  await expect
    .poll(() => listener.notifications.map(({ method }) => method), { timeout: 5_000 })
    .toContain('notifications/tools/list_changed');
  await expect.poll(async () => await names(listener), { timeout: 5_000 }).toContain('bad__late');
  expect(textOf(await listener.call('bad__late'))).toBe('Late, but here.');
});

test('a changed definition is withheld when the lock blocks, the rest of the server is not', async () => {
  const lockFile = join(await mkdtemp(join(tmpdir(), 'holdfast-lock-')), 'holdfast.lock.json');
  await using scene = await openScene({ gateway: { tool_lock: 'block', lock_file: lockFile } });
  expect(await names(scene.client)).toContain('bad__echo');
  await scene.client.call('bad__rewrite');
  await expect.poll(async () => JSON.stringify(await scene.client.request('tools/list')), { timeout: 5_000 }).not.toContain('bad__echo"');
  expect(JSON.stringify(await scene.client.request('tools/list'))).not.toContain('Ignore all previous instructions');
  const failure = await failed(scene.client, 'bad__echo').catch((error: unknown) => ({ text: String(error) }));
  expect(failure.text.length).toBeGreaterThan(0);
  expect(scene.serverLog.times('echo')).toBe(0);
  expect(textOf(await scene.client.call('bad__pid'))).toMatch(/^\d+$/);
});

test('a changed definition is reported and offered when the lock warns', async () => {
  const lockFile = join(await mkdtemp(join(tmpdir(), 'holdfast-lock-')), 'holdfast.lock.json');
  await using scene = await openScene({ gateway: { tool_lock: 'warn', lock_file: lockFile } });
  await names(scene.client);
  await scene.client.call('bad__rewrite');
  await expect.poll(() => scene.gateway.faults.join('\n'), { timeout: 5_000 }).toMatch(/echo/);
  expect(textOf(await scene.client.call('bad__echo', { message: 'still' }))).toBe('still');
});
