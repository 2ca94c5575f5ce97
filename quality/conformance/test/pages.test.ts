/** The page matches what the results print, and names the installed versions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { normalize } from '../../../tools/docs/page.ts';
import { contenders } from '../src/contenders/index.ts';
import { pagePath, printPage, resultsPath } from '../src/pages.ts';
import { root } from '../src/run.ts';
import type { Results } from '../src/run.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const results = JSON.parse(read(resultsPath)) as Results;

test(`${pagePath} is what \`npm run conformance\` prints`, () => {
  expect(normalize(read(pagePath))).toBe(normalize(printPage(results)));
});

test('the named versions are pinned and installed', () => {
  const { dependencies } = JSON.parse(read('quality/conformance/package.json')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const [name, version] of Object.entries(dependencies)) {
    const title = name === '@holdfast/core' ? 'Holdfast' : name;
    expect(contenders.map((each) => each.title).join(' + ')).toContain(`${title} ${version}`);
    expect((JSON.parse(read(`node_modules/${name}/package.json`)) as { readonly version: string }).version, name).toBe(version);
  }
});
