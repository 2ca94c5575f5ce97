/** Starts a real gateway with test tools, as a separate process in a temporary folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const holdfast = join(import.meta.dirname, '../../../../cli/bin/holdfast.mjs');
const files = join(import.meta.dirname, '../gateway');

/** The token for operator actions. */
export const operatorToken = 'operator-token-of-the-tests';

export interface TestGateway {
  /** Without a trailing slash. */
  readonly url: string;
  /** What the gateway printed on standard error. */
  readonly printed: () => string;
  /** Stops the gateway and starts it again with the same store and port. */
  readonly restart: () => Promise<void>;
  /** Stops the gateway; `restart` starts it again. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface GatewayOptions {
  /** The folder with the manifest and the tools. Default: `gateway`. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startGateway({ folder = files, env = {} }: GatewayOptions = {}): Promise<TestGateway> {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-dashboard-'));
  cpSync(folder, home, { recursive: true });
  let output = '';
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
    const begin = output.length;
    started.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    url = await new Promise<string>((resolve, reject) => {
      started.stderr.on('data', () => {
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output.slice(begin)) ?? [];
        if (found !== undefined) resolve(found);
      });
      started.once('exit', () => reject(new Error(`The gateway exited: ${output}`)));
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
    printed: () => output,
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
