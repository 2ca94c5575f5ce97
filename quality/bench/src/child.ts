/** Owns the processes that cases run in. */
import { fork, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Report } from './report/report.ts';

export type Flag = string;

export interface ChildOptions {
  /** Runs Holdfast's sources instead of the built packages. */
  readonly sources: boolean;
  readonly flags: readonly Flag[];
  /** Enough space for new objects that nothing is collected while they are counted. */
  readonly largeNursery: boolean;
}

/** Runs a case in a separate process. A case that only printed returns nothing. */
export async function runCase(name: string, { sources, flags, largeNursery }: ChildOptions): Promise<Report | undefined> {
  const child = fork(join(import.meta.dirname, 'run-case.ts'), [name, ...flags], {
    execArgv: [
      '--expose-gc',
      '--disable-warning=ExperimentalWarning',
      ...(sources ? ['--conditions=@holdfast/source'] : []),
      ...(largeNursery ? ['--min-semi-space-size=512', '--max-semi-space-size=512'] : []),
    ],
  });
  let report: Report | undefined;
  child.on('message', (received) => {
    report = received as Report;
  });
  const code = await new Promise<number | null>((resolve) => {
    child.on('exit', resolve);
  });
  if (code !== 0) throw new Error(`The case '${name}' ended with code ${String(code)}.`);
  return report;
}

/**
 * Runs a case in three processes and returns the median one: compiled code differs from process to process.
 * A case without a target ratio runs once.
 */
export async function middleRun(name: string, options: ChildOptions): Promise<Report | undefined> {
  const runs: Report[] = [];
  for (let run = 0; run < 3; run += 1) {
    const report = await runCase(name, options);
    if (ratioOf(report) === undefined) return report;
    if (report) runs.push(report);
  }
  return runs.toSorted((one, other) => (ratioOf(one) ?? 0) - (ratioOf(other) ?? 0))[1];
}

function ratioOf(report: Report | undefined): number | undefined {
  return report?.targets.find(({ ratio }) => ratio !== undefined)?.ratio;
}

/** Builds the command line, and so everything it depends on. */
export function buildPackages(): void {
  const { status } = spawnSync('tsc', ['-b', 'apps/cli'], { stdio: 'inherit', cwd: join(import.meta.dirname, '../../..') });
  if (status !== 0) throw new Error('The packages do not build. `--quick` runs the sources as they are.');
}
