/** What a worker serves over HTTP/1: health and metrics, and nothing for clients. */
import { parseManifest } from '@holdfast/manifest';
import { expect, onTestFinished, test } from 'vitest';
import { createWorker } from '../../src/index.ts';

test('a worker has no Turn API, no MCP endpoint and no dashboard', async () => {
  const { manifest } = parseManifest(
    "version: 1\nengine: { restate: {} }\nstore: false\ntools: [{ id: a, effect: read, run: { http: { url: 'http://127.0.0.1:9' } } }]\n",
  );
  if (manifest?.engine === undefined) throw new Error('The manifest is invalid');
  const worker = await createWorker({ ...manifest, engine: manifest.engine }, { log: 'off' });
  onTestFinished(() => worker.close(0));
  const url = await worker.listen({ port: 0 });
  const statusOf = async (path: string, method = 'GET'): Promise<number> => (await fetch(`${url}${path}`, { method })).status;
  expect(await Promise.all(['/healthz', '/readyz', '/metrics'].map((path) => statusOf(path)))).toEqual([200, 200, 200]);
  const closed = [
    statusOf('/'),
    statusOf('/v1/turns', 'POST'),
    statusOf('/v1/calls', 'POST'),
    statusOf('/v1/tools'),
    statusOf('/mcp', 'POST'),
  ];
  expect(await Promise.all(closed)).toEqual([404, 404, 404, 404, 404]);
});
