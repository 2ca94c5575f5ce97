/** `npm run conformance:frameworks -- --framework ai-sdk --checkout <path>`: runs a framework's own tool tests bare and wrapped, and prints the differences by group. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { argumentOf } from './argued.ts';
import { compare } from './compare.ts';
import type { Framework, Way } from './framework.ts';
import { frameworks } from './frameworks.ts';
import { reportOf } from './report.ts';
import { countsOf, type FrameworkResults, resultsOfWay, resultsPath, saveResults, versionOf, type WayResults } from './results.ts';
import { runSuite, type SuiteRun, testFiles } from './run-suite.ts';

const usage = `Usage: npm run conformance:frameworks -- --framework <${frameworks.map(({ name }) => name).join('|')}> --checkout <path>

  --checkout <path>   a checkout of the framework's repository, with its dependencies installed
  --way <name>        only one way of wrapping
  --only <text>       only test files whose path contains the text
  --group <text>      print only groups whose name contains the text, with their tests
  --lines <number>    lines of each failure (default 12)
  --timeout <seconds> limit of one test (default 10)
  --silence <seconds> how long a test process may report nothing (default 90)
  --json <path>       write the results as JSON
  --save              write the results to ${resultsPath}; not with --way or --only`;

const { values: options } = parseArgs({
  options: {
    framework: { type: 'string' },
    checkout: { type: 'string' },
    way: { type: 'string' },
    only: { type: 'string' },
    group: { type: 'string' },
    lines: { type: 'string', default: '12' },
    timeout: { type: 'string', default: '10' },
    silence: { type: 'string', default: '90' },
    json: { type: 'string' },
    save: { type: 'boolean', default: false },
  },
});

/** Runs the files with differences once more: what a busy machine has changed does not differ twice. */
async function confirmed(run: SuiteRun, way: Way, results: WayResults): Promise<WayResults> {
  const all = testFiles(run);
  const fileOf = (test: string): string => test.split(' > ')[0] ?? '';
  const files = all.filter((file) => results.differences.some(({ test }) => fileOf(test) === file));
  if (files.length === 0) return results;
  const [bare, wrapped] = [await runSuite({ ...run, files }), await runSuite({ ...run, files, way })];
  const again = new Set(compare(bare, wrapped).map(({ test }) => test));
  return { ...results, differences: results.differences.filter(({ test }) => again.has(test) || !files.includes(fileOf(test))) };
}

async function runWays(framework: Framework, run: SuiteRun): Promise<FrameworkResults> {
  const { checkout } = run;
  const bare = await runSuite(run);
  const chosen = framework.ways.filter(({ name, isControl }) => isControl || options.way === undefined || options.way === name);
  const control = chosen.find(({ isControl }) => isControl);
  const controlled = control && (await runSuite({ ...run, way: control }));
  const ways: WayResults[] = [];
  const isWrapping = ({ isControl }: Way): boolean => isControl !== true;
  for (const way of chosen.filter(isWrapping))
    ways.push(await confirmed(run, way, resultsOfWay(way, { bare, wrapped: await runSuite({ ...run, way }), control: controlled })));
  if (control && controlled) ways.unshift({ ...resultsOfWay(control, { bare, wrapped: controlled }), isControl: true });
  const { name, title, adapter, repository } = framework;
  return { name, title, adapter, repository, ...versionOf(framework, checkout), files: testFiles(run).length, bare: countsOf(bare), ways };
}

async function main(): Promise<void> {
  const framework = frameworks.find(({ name }) => name === options.framework);
  const isKnownWay = options.way === undefined || framework?.ways.some(({ name }) => name === options.way);
  const isPartial = options.way !== undefined || options.only !== undefined;
  if (!framework || options.checkout === undefined || !isKnownWay || (options.save && isPartial)) {
    console.error(usage);
    process.exitCode = 2;
    return;
  }
  const limits = { testTimeoutMs: Number(options.timeout) * 1_000, silenceMs: Number(options.silence) * 1_000 };
  const results = await runWays(framework, { framework, checkout: resolve(options.checkout), filter: options.only, ...limits });
  console.log(reportOf(results, Number(options.lines), options.group));
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
  if (options.save) {
    const root = join(import.meta.dirname, '../../..');
    const order = frameworks.map(({ name }) => name);
    saveResults(join(root, resultsPath), results, order);
    execFileSync('oxfmt', [resultsPath], { cwd: root });
  }
  const isOpen = results.ways.some(
    ({ isControl, differences }) => !isControl && differences.some((each) => argumentOf(framework.name, each) === undefined),
  );
  if (isOpen) process.exitCode = 1;
}

await main();
