/** Owns running many seeds within a test: a failure contains one command for each seed with findings, and the smallest scene of the first. */
import { expect } from 'vitest';
import type { FuzzFinding, FuzzOptions } from '../src/index.ts';
import { explainFinding, fuzz } from '../src/index.ts';

/** Number of seeds with random turns in a run of all tests. More: `HOLDFAST_FUZZ_SEEDS=20000 npx vitest run --project fuzz`. */
export const seedCount: number = Number(process.env['HOLDFAST_FUZZ_SEEDS'] ?? 1_000);

/** More add no information. */
const MAX_FINDINGS = 5;

export async function expectNothingFound(seeds: Iterable<number>, options: readonly FuzzOptions[] = [{}]): Promise<void> {
  const findings: { readonly finding: FuzzFinding; readonly options: FuzzOptions }[] = [];
  for (const seed of seeds)
    for (const one of options) {
      const finding = await fuzz(String(seed), one);
      if (finding) findings.push({ finding, options: one });
      if (findings.length >= MAX_FINDINGS) break;
    }
  const [first] = findings;
  if (!first) return;
  const commands = findings.map(({ finding }) => `${finding.command}\n  ${finding.found[0] ?? ''}`);
  expect.fail(`${commands.join('\n')}\n\n${await explainFinding(first.finding, first.options)}`);
}

export function* range(from: number, until: number): Generator<number> {
  for (let seed = from; seed < until; seed++) yield seed;
}
