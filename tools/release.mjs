/**
 * Releases all packages in one version: `npm run release` checks everything that a release needs and prints what would be published; `npm run release -- --publish`
 * publishes it with provenance, which registries accept only from a build service with OpenID Connect.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { publishedPackages } from './packages/published.mjs';

const output = (program, ...args) => execFileSync(program, args, { encoding: 'utf8' });
const show = (program, args, env = {}) => execFileSync(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });

/** Why the commit that is checked out cannot be released. */
function obstacles(packages) {
  const versions = new Set(packages.map(({ version }) => version));
  const [version] = versions;
  const heading = new RegExp(`^## ${String(version).replaceAll('.', '\\.')} \\(\\d{4}-\\d{2}-\\d{2}\\)$`, 'mu');
  return [
    ...(versions.size === 1 ? [] : [`the packages have different versions: ${[...versions].join(', ')}`]),
    ...(heading.test(readFileSync('CHANGELOG.md', 'utf8')) ? [] : [`CHANGELOG.md has no heading "## ${version} (<date>)"`]),
    ...(output('git', 'status', '--porcelain') === '' ? [] : ['files are changed and not committed']),
  ];
}

const publishes = process.argv.includes('--publish');
const packages = publishedPackages();
const found = obstacles(packages);
for (const obstacle of found) console.error(`Not ready: ${obstacle}.`);
if (publishes && found.length > 0) process.exit(1);

show('npm', ['run', '--silent', 'build']);
show('npm', ['run', '--silent', 'check:packages']);
const packed = JSON.parse(output('npm', 'pack', '--dry-run', '--json', ...packages.map(({ folder }) => `./${folder}`)));
for (const { id, entryCount, size } of Object.values(packed)) console.log(`${id}: ${entryCount} files, ${Math.ceil(size / 1_000)} kB`);

if (publishes) show('npx', ['changeset', 'publish'], { NPM_CONFIG_PROVENANCE: 'true' });
else console.log(`\n${packages.length} packages would be published. Nothing was.`);
