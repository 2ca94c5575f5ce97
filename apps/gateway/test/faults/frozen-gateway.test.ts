/** A gateway whose main thread has stopped, by whatever fault: it ends, so that its supervisor can start it again. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { startGatewayProcess, writeWords, type GatewayProcess } from '../fixtures/gateway.ts';

/** A gateway that runs a function of the test when it receives SIGUSR2. */
async function startWith(code: string): Promise<GatewayProcess> {
  const file = join(await mkdtemp(join(tmpdir(), 'holdfast-frozen-')), 'preload.mjs');
  await writeFile(
    file,
    `import { isMainThread } from 'node:worker_threads';\nif (isMainThread) process.on('SIGUSR2', () => { ${code} });\n`,
  );
  const manifest = await writeWords({ gateway: { reload: false, tool_lock: 'off', drain_ms: 500 } });
  return await startGatewayProcess(manifest, { NODE_OPTIONS: `--import ${pathToFileURL(file).href}` });
}

// All wait for most of their time: side by side.
test.concurrent(
  'a main thread that never turns again: SIGTERM is not heard, and the process ends all the same',
  { timeout: 60_000 },
  async () => {
    const gateway = await startWith('for (;;);');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    gateway.child.kill('SIGUSR2');
    await new Promise((resolve) => setTimeout(resolve, 500));
    const started = performance.now();
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toBe('SIGKILL');
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(gateway.output()).toContain('The main thread has not responded for 8000 ms: the process is ended.');
  },
);

test.concurrent('a main thread that is blocked for a while continues', { timeout: 60_000 }, async () => {
  await using gateway = await startWith('const end = Date.now() + 3000; while (Date.now() < end);');
  gateway.child.kill('SIGUSR2');
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect((await fetch(new URL('/healthz', gateway.url))).status).toBe(200);
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toBe(0);
});

test.concurrent('a suspended process continues when it is resumed', { timeout: 60_000 }, async () => {
  await using gateway = await startWith('');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  gateway.child.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 11_000));
  gateway.child.kill('SIGCONT');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect((await fetch(new URL('/healthz', gateway.url))).status).toBe(200);
});
