/** A gateway over stdio is for the host that has started it. */
import { Server } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { serve, type ReadyInfo } from '../../src/index.ts';
import { readWords } from '../fixtures/gateway.ts';

afterEach(() => void vi.restoreAllMocks());

test('opens no port, and ends with its input', async () => {
  const listen = vi.spyOn(Server.prototype, 'listen');
  const words = { tools: [{ id: 'search', run: { command: { command: 'ls' } } }], store: false, gateway: { audit: false, log: 'off' } };
  const manifest = readWords(words, 'holdfast.yaml');
  const input = new PassThrough();
  const ready: ReadyInfo[] = [];
  const { signal } = new AbortController();
  const ended = serve(manifest, { signal, stdio: { input, output: new PassThrough() }, onReady: (info) => void ready.push(info) });
  await vi.waitFor(() => expect(ready).toMatchObject([{ stdio: true, url: undefined, dashboard: undefined }]));
  input.end();
  expect(await ended).toBe(0);
  expect(listen).not.toHaveBeenCalled();
});
