/**
 * Checks each published package as packed: its metadata, its shape with publint and "are the types wrong", and its README's example in a project of its own. One
 * process packs all of them and another checks them: starting the tools
 * separately for each package would take many times as long.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { problemsOfConsumer } from './packages/consumer.mjs';
import { metadataProblems } from './packages/metadata.mjs';
import { fileNameOf, publishedPackages } from './packages/published.mjs';

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
  const tarballOf = ({ name, version }) => join(folder, `${fileNameOf(name)}-${version}.tgz`);
  for (const each of packages) {
    const { name } = each;
    const packed = readFileSync(tarballOf(each));
    const problems = [...metadataProblems(each), ...(await problemsOfShape(packed)), ...(await problemsOfTypes(packed))];
    if (problems.length > 0) failures.push(name);
    for (const problem of problems) console.error(`${name}: ${problem}`);
  }
  const used = problemsOfConsumer(packages, tarballOf, mkdtempSync(join(folder, 'project-')));
  if (used.length > 0) failures.push('in a project of their own');
  for (const problem of used) console.error(problem);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

console.log(failures.length === 0 ? 'All packages are valid.' : `Invalid packages: ${failures.join(', ')}`);
process.exit(failures.length === 0 ? 0 : 1);
