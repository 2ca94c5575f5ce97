/**
 * Every rule of `.dependency-cruiser.mjs` catches a deliberate violation, in a small copy of the repository's folders.
 * A rule without a violation fails here, so a new rule needs a line below.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface Rule {
  readonly name: string;
}

const root = join(import.meta.dirname, '../../..');
const { default: config } = (await import(join(root, '.dependency-cruiser.mjs'))) as {
  readonly default: { readonly forbidden: readonly Rule[] };
};
const rules = config.forbidden.map(({ name }) => name);

const core = 'packages/core/src';
const cli = 'apps/cli/src/index.ts';

/** rule → the file that breaks it, and what that file imports: a file of the tree, or a module by its name. */
const plants: Readonly<Record<string, readonly [from: string, to: string]>> = {
  ...Object.fromEntries(
    rules.flatMap((name) => {
      const [, kind, folder] = /^(rooms|vendors)-of-(.*)$/.exec(name) ?? [];
      if (folder === undefined) return [];
      return [[name, [`${folder}/src/planted-${kind}.ts`, kind === 'rooms' ? cli : 'some-vendor']]];
    }),
  ),
  'wing-engine': [`${core}/engine/planted.ts`, `${core}/projections/index.ts`],
  'wing-projections': [`${core}/projections/planted.ts`, `${core}/runtime/index.ts`],
  'wing-runtime': [`${core}/runtime/planted.ts`, `${core}/agent/index.ts`],
  'wing-agent': [`${core}/agent/planted.ts`, `${core}/replay/index.ts`],
  'wing-replay': [`${core}/replay/planted.ts`, `${core}/standalone/index.ts`],
  'wing-standalone': [`${core}/standalone/planted.ts`, `${core}/distributed/index.ts`],
  'wing-distributed': [`${core}/distributed/planted.ts`, `${core}/agent/index.ts`],
  'every-wing-is-in-the-table': [`${core}/newcomer/planted.ts`, `${core}/engine/index.ts`],
  'core-without-node': [`${core}/engine/planted-node.ts`, 'node:fs'],
  'every-package-is-in-the-table': ['packages/newcomer/src/planted.ts', 'packages/newcomer/src/index.ts'],
  gateway: ['apps/gateway/src/planted.ts', `${core}/testing/index.ts`],
  'cli-without-dashboard': ['apps/cli/src/planted.ts', 'apps/dashboard/src/index.ts'],
  'dashboard-knows-the-contract-only': ['apps/dashboard/src/planted.ts', `${core}/index.ts`],
  'no-reaching-in': ['packages/wire/src/planted.ts', `${core}/engine/index.ts`],
  'as-a-user-would': ['quality/acceptance/planted.ts', `${core}/index.ts`],
  'internal-is-for-sister-packages': ['examples/01-one-tool/planted.ts', `${core}/internal.ts`],
  'testing-is-for-tests': [`${core}/runtime/planted-testing.ts`, `${core}/testing/index.ts`],
  'no-cycles': [`${core}/engine/one.ts`, `${core}/engine/other.ts`],
  declared: ['packages/wire/src/planted-undeclared.ts', 'some-vendor'],
  resolvable: ['apps/cli/src/planted-missing.ts', './nowhere.ts'],
};

interface Violation {
  readonly from: string;
  readonly rule: Rule;
}

describe('import rules', () => {
  let folder: string;
  let violations: readonly Violation[];

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };

  const importOf = (from: string, to: string): string => {
    const isFile = to.includes('/src/');
    const path = relative(dirname(from), to);
    const specifier = isFile && !to.startsWith('.') ? (path.startsWith('.') ? path : `./${path}`) : to;
    return `import '${specifier}';\nexport {};\n`;
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-import-rules-'));
    copyFileSync(join(root, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'));
    write('package.json', '{ "name": "planted" }');
    write('node_modules/some-vendor/package.json', '{ "name": "some-vendor", "main": "index.js" }');
    write('node_modules/some-vendor/index.js', '');
    for (const [, to] of Object.values(plants)) if (to.includes('/src/')) write(to, 'export {};\n');
    for (const [from, to] of Object.values(plants)) write(from, importOf(from, to));
    write(`${core}/engine/other.ts`, "import './one.ts';\nexport {};\n");
    const depcruise = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
    const options = ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', 'packages', 'apps', 'quality', 'examples'];
    let output: string;
    try {
      output = execFileSync(process.execPath, [depcruise, ...options], { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 });
    } catch (error) {
      output = String((error as { readonly stdout?: unknown }).stdout);
    }
    ({
      summary: { violations },
    } = JSON.parse(output) as { readonly summary: { readonly violations: readonly Violation[] } });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('every rule has a deliberate violation', () => {
    expect(Object.keys(plants).toSorted()).toEqual(rules.toSorted());
  });

  test.each(Object.entries(plants))('%s', (name, [from]) => {
    expect(violations.filter(({ rule }) => rule.name === name).map((violation) => violation.from)).toContain(from);
  });
});
