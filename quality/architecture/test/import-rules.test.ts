/**
 * Every rule of `.dependency-cruiser.mjs` catches a deliberate violation, in a small copy of the repository's folders.
 * A rule without a violation fails here, so a new rule needs a line below.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

/** A file that breaks a rule, and what it imports: a file of the tree, or a module by its name. `type`: in a type-only import. */
type Plant = readonly [from: string, to: string, kind?: 'type'];

/** rule → the files that break it. */
const plants: Readonly<Record<string, readonly Plant[]>> = {
  ...Object.fromEntries(
    rules.flatMap((name) => {
      const [, kind, folder] = /^(rooms|vendors)-of-(.*)$/.exec(name) ?? [];
      if (folder === undefined) return [];
      return [[name, [[`${folder}/src/planted-${kind}.ts`, kind === 'rooms' ? cli : 'some-vendor']]]];
    }),
  ),
  'wing-engine': [
    [`${core}/engine/planted.ts`, `${core}/projections/index.ts`],
    [`${core}/engine/planted-type.ts`, `${core}/projections/index.ts`, 'type'],
  ],
  'wing-projections': [[`${core}/projections/planted.ts`, `${core}/runtime/index.ts`]],
  'wing-runtime': [[`${core}/runtime/planted.ts`, `${core}/agent/index.ts`]],
  'wing-agent': [[`${core}/agent/planted.ts`, `${core}/replay/index.ts`]],
  'wing-replay': [[`${core}/replay/planted.ts`, `${core}/standalone/index.ts`]],
  'wing-standalone': [[`${core}/standalone/planted.ts`, `${core}/distributed/index.ts`]],
  'wing-distributed': [[`${core}/distributed/planted.ts`, `${core}/agent/index.ts`]],
  'every-wing-is-in-the-table': [
    [`${core}/newcomer/planted.ts`, `${core}/engine/index.ts`],
    [`${core}/engine-extra/planted.ts`, `${core}/engine/index.ts`],
    [`${core}/runtime2.ts`, `${core}/engine/index.ts`],
  ],
  'core-without-node': [[`${core}/engine/planted-node.ts`, 'node:fs']],
  'every-package-is-in-the-table': [['packages/newcomer/src/planted.ts', 'packages/newcomer/src/index.ts']],
  'every-app-is-in-the-table': [['apps/newcomer/src/planted.ts', 'apps/newcomer/src/index.ts']],
  gateway: [
    ['apps/gateway/src/planted.ts', `${core}/testing/index.ts`],
    ['apps/gateway/src/planted-lab.ts', '@holdfast/simulate', 'type'],
  ],
  'gateway-without-the-lab': [['apps/gateway/src/planted-manifest.ts', 'packages/manifest/src/planted-lab.ts']],
  'cli-without-dashboard': [['apps/cli/src/planted.ts', 'apps/dashboard/src/index.ts']],
  'dashboard-knows-the-contract-only': [['apps/dashboard/src/planted.ts', `${core}/index.ts`]],
  'no-reaching-in': [['packages/wire/src/planted.ts', `${core}/engine/index.ts`]],
  'as-a-user-would': [['quality/acceptance/planted.ts', `${core}/index.ts`]],
  'internal-is-for-sister-packages': [
    ['examples/01-one-tool/planted.ts', `${core}/internal.ts`],
    ['examples/01-one-tool/planted-name.ts', '@holdfast/core/internal/plain'],
  ],
  'testing-is-for-tests': [
    [`${core}/runtime/planted-testing.ts`, `${core}/testing/index.ts`],
    ['packages/wire/src/planted-testing.ts', '@holdfast/core/testing'],
    ['packages/adapters/openai/src/planted-testing.ts', '@holdfast/adapter-kit/testing'],
    ['apps/cli/src/planted-testing.ts', '@holdfast/core/testing', 'type'],
  ],
  'no-cycles': [[`${core}/engine/one.ts`, `${core}/engine/other.ts`]],
  declared: [['packages/wire/src/planted-undeclared.ts', 'some-vendor']],
  resolvable: [['apps/cli/src/planted-missing.ts', './nowhere.ts']],
};

/** The packages that are imported by name, with their own `package.json`. */
const named: Readonly<Record<string, string>> = {
  '@holdfast/core': 'packages/core',
  '@holdfast/adapter-kit': 'packages/adapters/kit',
  '@holdfast/simulate': 'packages/simulate',
};

const isFile = (to: string): boolean => to.includes('/src/');

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

  const importOf = ([from, to, kind]: Plant): string => {
    const path = relative(dirname(from), to);
    const specifier = isFile(to) ? (path.startsWith('.') ? path : `./${path}`) : to;
    return kind === 'type'
      ? `import type * as planted from '${specifier}';\nexport type Planted = typeof planted;\n`
      : `import '${specifier}';\n`;
  };

  /** A sister package as npm links it: its `package.json`, with an empty file for each entry. */
  const linkPackage = (name: string, path: string): void => {
    const text = readFileSync(join(root, path, 'package.json'), 'utf8');
    write(`${path}/package.json`, text);
    for (const [, entry] of text.matchAll(/"@holdfast\/source": "\.\/([^"]*)"/g)) write(`${path}/${entry}`, 'export {};\n');
    mkdirSync(join(folder, 'node_modules/@holdfast'), { recursive: true });
    symlinkSync(join(folder, path), join(folder, 'node_modules', name));
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-import-rules-'));
    copyFileSync(join(root, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'));
    write('package.json', '{ "name": "planted" }');
    write('node_modules/some-vendor/package.json', '{ "name": "some-vendor", "main": "index.js" }');
    write('node_modules/some-vendor/index.js', '');
    for (const [name, path] of Object.entries(named)) linkPackage(name, path);
    const all = Object.values(plants).flat();
    for (const [, to] of all) if (isFile(to)) write(to, 'export {};\n');
    for (const plant of all) write(plant[0], importOf(plant));
    write('packages/manifest/src/planted-lab.ts', "import '@holdfast/simulate';\nexport {};\n");
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

  test.each(Object.entries(plants))('%s', (name, each) => {
    const caught = violations.filter(({ rule }) => rule.name === name).map(({ from }) => from);
    expect(each.map(([from]) => from).filter((from) => !caught.includes(from))).toEqual([]);
  });
});
