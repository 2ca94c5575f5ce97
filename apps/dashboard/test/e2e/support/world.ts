/** Owns a real gateway in front of the world's tools, as a program of its own, in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const holdfast = join(import.meta.dirname, '../../../../cli/bin/holdfast.mjs');
const files = join(import.meta.dirname, '../world');

/** What allows to act; the gateway is given it. */
export const operatorToken = 'operator-token-of-the-tests';

export interface World {
  /** Without a slash at its end. */
  readonly url: string;
  /** What the gateway has said on standard error. */
  readonly said: () => string;
  /** Ends the gateway and starts it again over the same store, at the same address. */
  readonly restart: () => Promise<void>;
  /** Ends the gateway at once; `restart` brings it back. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface WorldOptions {
  /** In place of the world's own files. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startWorld({ folder = files, env = {} }: WorldOptions = {}): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-dashboard-'));
  cpSync(folder, home, { recursive: true });
  let printed = '';
  let child: ChildProcess | undefined;
  let url = '';

  const start = async (): Promise<void> => {
    const port = url === '' ? '0' : new URL(url).port;
    const started = spawn(process.execPath, [holdfast, 'serve', '--config', 'holdfast.yaml', '--port', port, '--log', 'off'], {
      cwd: home,
      env: { ...process.env, HOLDFAST_OPERATOR_TOKEN: operatorToken, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = started;
    const said = printed.length;
    started.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
    url = await new Promise<string>((resolve, reject) => {
      started.stderr.on('data', () => {
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed.slice(said)) ?? [];
        if (found !== undefined) resolve(found);
      });
      started.once('exit', () => reject(new Error(`The gateway has ended: ${printed}`)));
    });
  };
  const stop = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };

  await start();
  return {
    get url() {
      return url;
    },
    said: () => printed,
    restart: async () => {
      await stop();
      await start();
    },
    stop,
    close: async () => {
      await stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
