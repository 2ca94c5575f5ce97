/**
 * A program: `npm run bench` runs every case on the built packages and writes README.md and results.json;
 * `npm run bench -- <case …> [--quick] [--only <contender>] [--profile | --allocations]` runs some and only prints; a case with its own page writes it.
 */
import { parseArgs } from 'node:util';
import { cases } from './cases/index.ts';
import { buildPackages, middleRun, runCase, type Flag } from './child.ts';
import { printReport } from './report/print.ts';
import type { Report } from './report/report.ts';
import { writePage, writeResults } from './report/results.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    profile: { type: 'boolean', default: false },
    allocations: { type: 'boolean', default: false },
  },
});

const known = cases.map(({ name }) => name);
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No case is named ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
  process.exit(2);
}

const inspects = values.profile || values.allocations;
const usual = inspects ? cases.filter(({ holdfast }) => holdfast !== undefined).map(({ name }) => name) : known;
// Real comparisons use what users install; the sources are for development.
const sources = (values.quick || inspects) && !values.built;
if (!sources) buildPackages();

const flags: Flag[] = [
  ...(values.quick ? ['--quick'] : []),
  ...(values.profile ? ['--profile'] : []),
  ...(values.allocations ? ['--allocations'] : []),
  ...values.only.map((name) => `--only=${name}`),
];
const reports: Report[] = [];
for (const name of positionals.length > 0 ? positionals : usual) {
  const options = { sources, flags, largeNursery: values.allocations };
  const report = values.quick || inspects ? await runCase(name, options) : await middleRun(name, options);
  if (!report) continue;
  printReport(report);
  const page = cases.find((known) => known.name === name)?.page;
  if (page === undefined) reports.push(report);
  else if (!values.quick && !inspects && values.only.length === 0) writePage(page, report);
}

const everything = positionals.length === 0 && values.only.length === 0 && !values.quick && !inspects;
if (everything) {
  for (const name of ['success', 'one-retry']) {
    const report = await runCase(name, { sources, flags: ['--profile'], largeNursery: false });
    if (report) reports.push(report);
  }
  writeResults(reports);
}
