import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** The last line that a script printed, if it ended by itself; everything else is an error. */
export function runAlone(script: string, ...args: readonly string[]): Promise<unknown> {
  const path = join(import.meta.dirname, script);
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--expose-gc', '--conditions=@holdfast/source', path, ...args],
      { timeout: 240_000, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${script} ${args.join(' ')} did not end by itself: ${error.message}\n${stdout}\n${stderr}`));
        else if (stderr !== '') reject(new Error(`${script} ${args.join(' ')} warned: ${stderr}`));
        else resolve(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''));
      },
    );
  });
}
