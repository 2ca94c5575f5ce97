/**
 * Owns the process of one Restate node: started, killed, and restarted on the same data and ports.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LOOPBACK } from './loopback-ports.ts';
import { restateConfig, type NodeConfig } from './restate-config.ts';

const START_LIMIT_MS = 30_000;
const POLL_MS = 20;
const LOG_LIMIT = 4000;

/** The Restate program from npm. */
const restateProgram = (): string => {
  const fromHere = createRequire(import.meta.url);
  const fromServer = createRequire(fromHere.resolve('@restatedev/restate-server/package.json'));
  return fromServer.resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
};

const answers = async (url: string): Promise<boolean> => {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(1000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
};

export class RestateNode {
  readonly ingressUrl: string;
  readonly adminUrl: string;
  private readonly config: NodeConfig;
  private child: ChildProcess | undefined;
  private log = '';
  private readonly killAtExit = (): void => void this.child?.kill('SIGKILL');

  constructor(config: NodeConfig) {
    this.config = config;
    this.ingressUrl = `http://${LOOPBACK}:${config.ports.ingress}`;
    this.adminUrl = `http://${LOOPBACK}:${config.ports.admin}`;
  }

  /** If the process ends, the error of `ready` has the reason. */
  get ended(): boolean {
    return this.child === undefined || this.child.exitCode !== null || this.child.signalCode !== null;
  }

  get pid(): number | undefined {
    return this.ended ? undefined : this.child?.pid;
  }

  begin(): void {
    mkdirSync(this.config.folder, { recursive: true });
    const file = join(this.config.folder, 'restate.toml');
    writeFileSync(file, restateConfig(this.config));
    const env = { ...process.env, DO_NOT_TRACK: '1', SCARF_ANALYTICS: 'false' };
    this.child = spawn(restateProgram(), ['--config-file', file, '--no-logo'], {
      env,
      cwd: this.config.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', this.hear);
    this.child.stderr?.on('data', this.hear);
    process.once('exit', this.killAtExit);
  }

  /** Resolves when its ingress and its admin address answer. */
  async ready(): Promise<void> {
    const until = Date.now() + START_LIMIT_MS;
    while (!((await answers(`${this.adminUrl}/health`)) && (await answers(`${this.ingressUrl}/restate/health`)))) {
      if (this.ended || Date.now() > until) throw new Error(`Restate node ${this.config.name} did not start: ${this.log}`);
      // oxlint-disable-next-line no-await-in-loop -- polls
      await wait(POLL_MS);
    }
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.child;
    if (child === undefined || this.ended) return;
    const over = once(child, 'exit');
    child.kill(signal);
    await over;
    process.removeListener('exit', this.killAtExit);
  }

  private readonly hear = (chunk: Buffer): void => {
    this.log = (this.log + chunk.toString()).slice(-LOG_LIMIT);
  };
}
