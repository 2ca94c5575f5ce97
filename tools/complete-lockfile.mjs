/**
 * Adds the platform builds (darwin, win32, android …) that `npm install` left out of package-lock.json because the registry
 * did not serve them. `npm ci` requires an entry for each, even on machines that never install it.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const file = 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));

/** `@oxfmt/binding-linux-arm-gnueabihf` → os linux, cpu arm, libc glibc */
const platformOf = (name) => {
  const [, os, cpu, abi = ''] = /(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(?:-(\w+))?$/.exec(name) ?? [];
  if (os === undefined) throw new Error(`No platform in the name of ${name}: add its entry by hand.`);
  const libc = os !== 'linux' ? undefined : abi.startsWith('musl') ? ['musl'] : abi.startsWith('gnu') ? ['glibc'] : undefined;
  return { cpu: [cpu], ...(libc ? { libc } : {}), os: [os] };
};

const isLocked = (owner, name) => {
  for (let folder = owner; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`] !== undefined) return true;
    if (folder === '' || !folder.includes('node_modules/')) return lock.packages[`node_modules/${name}`] !== undefined;
  }
};

const added = Object.entries(lock.packages).flatMap(([owner, { optionalDependencies = {}, dev }]) =>
  Object.entries(optionalDependencies)
    .filter(([name]) => !isLocked(owner, name))
    .map(([name, version]) => [
      `node_modules/${name}`,
      { version, ...platformOf(name), ...(dev ? { dev } : {}), license: 'MIT', optional: true },
    ]),
);

const byPath = ([left], [right]) => left.localeCompare(right, 'en');
lock.packages = Object.fromEntries([...Object.entries(lock.packages), ...added].toSorted(byPath));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added.length} platform builds added to ${file}.`);
