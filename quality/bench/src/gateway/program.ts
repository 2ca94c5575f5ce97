/** Owns `holdfast serve` as a separate program, in a folder with its manifest. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const sourceProgram = join(import.meta.dirname, '../../../../apps/cli/bin/holdfast.mjs');
const installedProgram = join(import.meta.dirname, 'installed.mjs');

export interface ServeProgram {
  /** It answers there. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Resolves when it listens. The manifest is `holdfast.json` in the folder; `variables` are added to the environment. */
export async function serveIn(folder: string, sources: boolean, variables: Readonly<Record<string, string>> = {}): Promise<ServeProgram> {
  const program = sources ? sourceProgram : installedProgram;
  const child = spawn(process.execPath, [program, 'serve', '--config', 'holdfast.json', '--port', '0', '--log', 'off'], {
    cwd: folder,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`The gateway has ended: ${printed}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  return {
    url,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
