/** A real Prometheus on loopback with its own folder, which scrapes the given targets. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface InstantSample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

interface ExemplarSeries {
  readonly seriesLabels: Readonly<Record<string, string>>;
  readonly exemplars: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: string; readonly timestamp: number }[];
}

export interface RealPrometheus {
  query(expression: string): Promise<readonly InstantSample[]>;
  exemplars(expression: string): Promise<readonly ExemplarSeries[]>;
  close(): Promise<void>;
}

/** `jobs`: names and the `host:port/path` that each scrapes; `data`: a folder of initial blocks. Restarted if its port was taken meanwhile. */
export async function startPrometheus(jobs: Readonly<Record<string, string>>, data?: string): Promise<RealPrometheus> {
  for (let attempt = 1; ; attempt += 1) {
    const started = await start(jobs, await freePort(), data);
    if (typeof started !== 'string') return started;
    if (attempt === 3) throw new Error(`Prometheus did not start: ${started}`);
  }
}

async function start(jobs: Readonly<Record<string, string>>, port: number, data?: string): Promise<RealPrometheus | string> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-prometheus-'));
  const scrapes = Object.entries(jobs).map(([job, target]) => {
    const { host, pathname } = new URL(`http://${target}`);
    return { job_name: job, metrics_path: pathname, static_configs: [{ targets: [host] }] };
  });
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify({ global: { scrape_interval: '250ms' }, scrape_configs: scrapes }));
  const child = spawn(
    '/usr/bin/prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${data ?? join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const close = async (): Promise<void> => {
    await ended(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const origin = `http://127.0.0.1:${port}`;
  const isReady = async (): Promise<boolean> => (await fetch(`${origin}/-/ready`).catch(() => undefined))?.ok === true;
  const latest = performance.now() + 50_000;
  while (!(await isReady())) {
    if (child.exitCode !== null || child.signalCode !== null || performance.now() > latest) {
      await close();
      return said.join('').slice(-2_000);
    }
    await sleep(50);
  }
  const ask = async (path: string, parameters: Readonly<Record<string, string>>): Promise<unknown> => {
    const response = await fetch(`${origin}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`);
    const answer = (await response.json()) as { readonly data?: unknown; readonly error?: string };
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.data;
  };
  return {
    query: async (expression) => ((await ask('query', { query: expression })) as { readonly result: readonly InstantSample[] }).result,
    exemplars: async (expression) =>
      (await ask('query_exemplars', { query: expression, start: '0', end: String(Date.now() / 1000 + 3600) })) as readonly ExemplarSeries[],
    close,
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
