/** `serve` takes its address before it starts a server. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../src/index.ts';
import { readWords } from '../fixtures/gateway.ts';

async function takenPort(): Promise<number> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

test.each([
  ['a port in use', (taken: number) => ({ port: taken }), /is in use/],
  ['an address of other machines without a token', () => ({ host: '0.0.0.0', port: 0 }), /gateway\.tokens is empty/],
])('with %s no server is started', async (_case, at, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-address-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const mark = join(folder, 'started');
  const server = { command: 'sh', args: ['-c', 'touch "$0"; cat', mark] };
  const manifest = readWords({ mcp_servers: { marks: server }, store: false, gateway: { tool_lock: 'off' } } as never, 'holdfast.yaml');
  const taken = await takenPort();
  await expect(serve(manifest, { signal: new AbortController().signal, log: 'off', ...at(taken) })).rejects.toThrow(message);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(existsSync(mark)).toBe(false);
});
