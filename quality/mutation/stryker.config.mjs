/**
 * Mutation tests of one folder of the core. `npm run mutation` starts it once per folder and passes the folder;
 * `quality/mutation/folders.ts` lists the files that belong to it.
 */
import { folders } from './folders.ts';

const folder = process.env.MUTATION_FOLDER ?? '';
const reports = `reports/mutation/${folder}`;

export default {
  mutate: [...(folders[folder]?.sources ?? [])],
  testRunner: 'mocha',
  mochaOptions: { spec: (folders[folder]?.tests ?? []).map((tests) => `packages/core/${tests}`), 'no-config': true, 'no-package': true },
  testRunnerNodeArgs: ['--conditions=@holdfast/source', `--import=${new URL('hooks.ts', import.meta.url).href}`],
  coverageAnalysis: 'perTest',
  // Types are stripped, not checked: a mutant with a type error runs like any other.
  disableTypeChecks: false,
  ignorePatterns: ['**', '!package.json', '!packages/core/{package.json,src/**,test/**}'],
  tempDirName: `${reports}/sandbox`,
  // Code that runs while a file loads needs a separate process for every mutant: seconds instead of milliseconds.
  ignoreStatic: process.env.MUTATION_STATIC !== '1',
  maxTestRunnerReuse: folders[folder]?.remembers ? 1 : 0,
  concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 1),
  timeoutMS: 4_000,
  timeoutFactor: 1.5,
  incremental: true,
  incrementalFile: `${reports}/incremental.json`,
  reporters: ['json', 'html', 'clear-text'],
  jsonReporter: { fileName: `${reports}/mutation.json` },
  htmlReporter: { fileName: `${reports}/mutation.html` },
  clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
  allowConsoleColors: false,
};
