/** Owns the files of a full run: README.md for readers, results.json for programs, and pages of single cases. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machine } from './machine.ts';
import { pageOf, readme } from './readme.ts';
import type { Report } from './report.ts';

const folder = join(import.meta.dirname, '../..');

export function writeResults(reports: readonly Report[]): void {
  const run = { ...machine(), date: new Date().toISOString().slice(0, 10) };
  writeFileSync(join(folder, 'README.md'), readme(reports, run));
  writeFileSync(join(folder, 'results.json'), `${JSON.stringify({ ...run, reports }, undefined, 2)}\n`);
  spawnSync('oxfmt', ['README.md', 'results.json'], { cwd: folder, stdio: 'inherit' });
}

/** Writes a report with its own page. */
export function writePage(file: string, report: Report): void {
  const run = { ...machine(), date: new Date().toISOString().slice(0, 10) };
  writeFileSync(join(folder, file), pageOf(report, run));
  spawnSync('oxfmt', [file], { cwd: folder, stdio: 'inherit' });
}
