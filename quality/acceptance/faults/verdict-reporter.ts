/** Writes which conditions failed in a run, for `main.ts`: the ledger is not touched. */
import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** By condition: whether each of its tests has passed. */
export type Verdicts = Readonly<Record<string, boolean>>;

/** The variable with the path of the file that is written. */
export const verdictsVariable = 'FAULTS_VERDICTS';

export default class VerdictReporter implements Reporter {
  onTestRunEnd(testModules: readonly TestModule[]): void {
    const path = process.env[verdictsVariable];
    if (path === undefined) return;
    const verdicts: Record<string, boolean> = {};
    for (const test of testModules.flatMap(({ children }) => [...children.allTests()])) {
      const { state } = test.result();
      if (state === 'skipped' || state === 'pending') continue;
      for (const tag of test.tags) verdicts[tag] = (verdicts[tag] ?? true) && state === 'passed';
    }
    writeFileSync(path, JSON.stringify(verdicts));
  }
}
