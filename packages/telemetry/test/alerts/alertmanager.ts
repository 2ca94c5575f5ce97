/** A real Alertmanager on loopback, with its own folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RealAlertmanager extends AsyncDisposable {
  readonly url: string;
}

/** `config`: its file, in JSON. Restarted if its port was taken meanwhile. */
export async function startAlertmanager(config: object): Promise<RealAlertmanager> {
  for (let attempt = 1; ; attempt += 1) {
    const started = await start(config, await freePort());
    if (typeof started !== 'string') return started;
    if (attempt === 3) throw new Error(`Alertmanager did not start: ${started}`);
  }
}

async function start(config: object, port: number): Promise<RealAlertmanager | string> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-alertmanager-'));
  const file = join(folder, 'alertmanager.yml');
  writeFileSync(file, JSON.stringify(config));
  const url = `http://127.0.0.1:${port}`;
  const program = process.env['HOLDFAST_ALERTMANAGER'] ?? 'prometheus-alertmanager';
  const child = spawn(
    program,
    [
      `--config.file=${file}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `--web.external-url=${url}`,
      '--cluster.listen-address=',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'close').catch(() => undefined);
  child.on('error', (error) => (said += `${error.message}: install Debian’s package "prometheus-alertmanager"`));
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let wait = 0; wait < 200; wait += 1) {
    if (child.exitCode !== null || child.pid === undefined) break;
    if (await isReady(url)) return { url, [Symbol.asyncDispose]: close };
    await sleep(100);
  }
  await close();
  return said;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/-/ready`)).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
