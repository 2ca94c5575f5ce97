/**
 * `docs/adapters.md` is what `npm run adapters` prints, and every bare case is played again: it comes out as the committed results say.
 * With Holdfast the cases are played by the contract tests of each adapter.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pagePath, printPage, resultsPath } from '../../quality/adapters/pages.ts';
import type { FrameworkResults } from '../../quality/adapters/run.ts';
import { adapterFolders, allCases, harnessesOf, runBare } from '../../quality/adapters/run.ts';
import { argumentOf } from '../../quality/conformance/frameworks/argued.ts';
import { frameworks as frameworkDescriptions } from '../../quality/conformance/frameworks/frameworks.ts';
import { readResults, resultsPath as frameworkTestsPath } from '../../quality/conformance/frameworks/results.ts';
import { normalize } from '../../tools/docs/page.ts';
import { root } from './pages.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const results = JSON.parse(read(resultsPath)) as readonly FrameworkResults[];
const ownTests = readResults(join(root, frameworkTestsPath));

test('the page is what the results print', () => {
  expect(normalize(read(pagePath))).toBe(normalize(printPage(results, ownTests)));
});

test('the frameworks’ own tests have been run, nothing hangs, and each difference is argued', () => {
  expect(ownTests.map(({ name }) => name)).toEqual(frameworkDescriptions.map(({ name }) => name));
  for (const { name, bare, ways } of ownTests) {
    expect(bare.passed, name).toBeGreaterThan(0);
    expect(ways.map((way) => way.name)).toEqual(frameworkDescriptions.find((each) => each.name === name)?.ways.map((way) => way.name));
    for (const { name: way, isControl, wrapped, differences } of ways.filter((each) => !each.isControl)) {
      expect(wrapped.hung, `${name}, ${way}`).toBe(0);
      expect(
        differences.filter((each) => argumentOf(name, each) === undefined),
        `${name}, ${way}`,
      ).toEqual([]);
      expect(isControl).toBeUndefined();
    }
  }
});

test('with Holdfast no case fails, and none is left out', () => {
  for (const { id, wrapped } of results) {
    expect(Object.keys(wrapped).toSorted(), id).toEqual([...allCases].toSorted());
    expect(
      Object.entries(wrapped).filter(([, { verdict }]) => verdict === 'fail'),
      id,
    ).toEqual([]);
  }
});

const frameworks = (
  await Promise.all(
    adapterFolders.map(async (folder) => (await harnessesOf(folder)).map((harness) => ({ folder, harness, id: harness.id }))),
  )
).flat();

test('the results are those of the adapters that are here', () => {
  expect(results.map(({ id }) => id)).toEqual(frameworks.map(({ id }) => id));
});

const verdicts = (column: FrameworkResults['bare'] = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(column).map(([id, { verdict }]) => [id, verdict]));

describe.concurrent('bare frameworks, played again', () => {
  test.each(frameworks)(
    '$id',
    async ({ folder, harness }) => {
      const committed = results.find(({ id }) => id === harness.id)?.bare ?? {};
      expect(verdicts(await runBare(folder, harness, committed))).toEqual(verdicts(committed));
    },
    600_000,
  );
});
