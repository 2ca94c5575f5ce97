/** What npm installs with a package: its dependencies, and theirs. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

interface PackageJson {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const packages = new Map(
  globSync(['packages/*/package.json', 'packages/{stores,adapters}/*/package.json', 'apps/*/package.json'], { cwd: root })
    .map((path) => JSON.parse(readFileSync(join(root, path), 'utf8')) as PackageJson)
    .map((each) => [each.name, each] as const),
);

/** The packages of the workspace that npm installs with `name`; npm leaves optional peers out. */
function installedWith(name: string, found = new Set<string>()): ReadonlySet<string> {
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = packages.get(name) ?? { name };
  const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  for (const each of [...Object.keys(dependencies), ...peers]) {
    if (found.has(each) || !packages.has(each)) continue;
    installedWith(each, found.add(each));
  }
  return found;
}

test('the gateway installs no lab', () => {
  const installed = installedWith('@holdfast/gateway');
  expect(installed).toContain('@holdfast/manifest');
  expect(installed).toContain('@holdfast/core');
  expect(installed).not.toContain('@holdfast/simulate');
  expect(installedWith('holdfast')).toContain('@holdfast/simulate');
});

test('the core installs nothing', () => {
  expect(packages.get('@holdfast/core')?.dependencies).toBeUndefined();
});
