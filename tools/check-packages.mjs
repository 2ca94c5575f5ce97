/**
 * Checks each published package as packed, with publint and "are the types wrong". One process packs all of them and another checks them: starting the tools
 * separately for each package would take many times as long.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { publishedPackages } from './published-packages.mjs';

/** Resolution modes that cannot load ES modules. */
const withoutModules = ['node10', 'node16-cjs'];

const problemsOfTypes = async (packed) => {
  const { types, problems } = await checkPackage(createPackageFromTarballData(new Uint8Array(packed)));
  return types ? problems.filter(({ resolutionKind }) => !withoutModules.includes(resolutionKind)).map((each) => JSON.stringify(each)) : [];
};

const problemsOfShape = async (packed) => {
  const tarball = packed.buffer.slice(packed.byteOffset, packed.byteOffset + packed.byteLength);
  const { messages, pkg } = await publint({ strict: true, level: 'error', pack: { tarball } });
  return messages.map((each) => formatMessage(each, pkg, { color: false }));
};

const packages = publishedPackages();
const folder = mkdtempSync(join(tmpdir(), 'holdfast-packages-'));
const failures = [];
try {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, ...packages.map((each) => `./${each.folder}`)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const { name, version } of packages) {
    const packed = readFileSync(join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`));
    const problems = [...(await problemsOfShape(packed)), ...(await problemsOfTypes(packed))];
    if (problems.length > 0) failures.push(name);
    for (const problem of problems) console.error(`${name}: ${problem}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

console.log(failures.length === 0 ? 'All packages are valid.' : `Invalid packages: ${failures.join(', ')}`);
process.exit(failures.length === 0 ? 0 : 1);
