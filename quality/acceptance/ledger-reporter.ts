/**
 * Writes `ledger.json`: which condition is covered by which tests, and whether they passed. Fails the run when a condition has no test.
 *
 * 1. The content depends only on the tests and their results: no times, no order of execution.
 * 2. A run of some of the tests does not change the ledger.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

interface Condition {
  readonly id: string;
  readonly title: string;
  readonly source: string;
}

export interface LedgerEntry {
  /** Tags of the numbered conditions have a prefix: a bare number cannot be given as a tag on the command line. */
  readonly condition: string;
  readonly title: string;
  readonly tests: readonly string[];
  readonly result: 'passed' | 'failed' | 'missing';
}

const folder = import.meta.dirname;
const ledgerFile = join(folder, 'ledger.json');
/** Formatted as the formatter does. */
const lineLength = 140;

export default class LedgerReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(testModules: readonly TestModule[]): void {
    const modules = testModules.filter(({ project }) => project.name === 'acceptance');
    if (modules.length === 0 || this.#isPart(modules)) return;
    const ledger = createLedger(modules.flatMap(({ children }) => [...children.allTests()]));
    writeFileSync(ledgerFile, formatLedger(ledger));
    const missing = ledger.filter(({ result }) => result === 'missing');
    for (const { condition, title } of missing) this.#vitest?.logger.error(`No test of condition ${condition}: ${title}`);
    if (missing.length > 0) process.exitCode = 1;
  }

  #isPart(modules: readonly TestModule[]): boolean {
    const tags = this.#vitest?.config.tagsFilter ?? [];
    if (tags.length > 0 || this.#vitest?.getGlobalTestNamePattern() !== undefined) return true;
    const ran = new Set(modules.map(({ moduleId }) => moduleId));
    return readdirSync(folder).some((name) => name.endsWith('.test.ts') && !ran.has(join(folder, name)));
  }
}

function createLedger(tests: readonly TestCase[]): readonly LedgerEntry[] {
  const conditions = JSON.parse(readFileSync(join(folder, 'conditions.json'), 'utf8')) as readonly Condition[];
  return conditions.map(({ id, title }) => {
    // A skipped test covers nothing.
    const own = tests.filter((test) => test.tags.includes(id) && test.result().state !== 'skipped');
    const passed = own.every((test) => test.result().state === 'passed');
    return {
      condition: id.replace(/^S1-/, ''),
      title,
      tests: own.map(({ fullName }) => fullName).toSorted(),
      result: own.length === 0 ? 'missing' : passed ? 'passed' : 'failed',
    };
  });
}

function formatLedger(ledger: readonly LedgerEntry[]): string {
  const entries = ledger.map(({ condition, title, tests, result }) => {
    const fields = [
      `"condition": ${JSON.stringify(condition)}`,
      `"title": ${JSON.stringify(title)}`,
      `"tests": ${formatNames(tests)}`,
      `"result": ${JSON.stringify(result)}`,
    ];
    return `  {\n${fields.map((field) => `    ${field}`).join(',\n')}\n  }`;
  });
  return `[\n${entries.join(',\n')}\n]\n`;
}

function formatNames(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name));
  const line = `[${quoted.join(', ')}]`;
  return `    "tests": ${line},`.length <= lineLength ? line : `[\n${quoted.map((name) => `      ${name}`).join(',\n')}\n    ]`;
}
