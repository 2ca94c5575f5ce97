/** Runs Prometheus's own tool on files of a test. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Said {
  readonly code: number;
  readonly output: string;
}

/** Returns the exit code and the output. `files`: by name, in the folder in which it runs. */
export async function promtool(files: Readonly<Record<string, string>>, ...parameters: readonly string[]): Promise<Said> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-promtool-'));
  try {
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
    return await new Promise((resolve, reject) => {
      const program = process.env['HOLDFAST_PROMTOOL'] ?? 'promtool';
      execFile(program, parameters, { cwd: folder, timeout: 60_000, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number')
          reject(new Error('promtool did not run: install Debian’s package "prometheus"', { cause: error }));
        else resolve({ code: Number(error?.code ?? 0), output: `${stdout}${stderr}` });
      });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
