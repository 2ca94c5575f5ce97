/**
 * What the tests need from the machine beside `npm ci`: the Node of this repository, and a Chromium.
 * Debian and Ubuntu with root get Chromium installed; everyone else is told what to do.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const wantedMajor = 24;
const major = Number(process.versions.node.split('.')[0]);
if (major !== wantedMajor) {
  console.error(
    `Tests run on Node ${wantedMajor}, this is ${process.version}. Run them with "npm test": npm puts the Node of this repository first.`,
  );
  process.exit(1);
}

const chromiumPath = process.env.HOLDFAST_CHROMIUM ?? '/usr/bin/chromium';
const isRoot = process.getuid?.() === 0;

if (!existsSync(chromiumPath)) {
  if (!isRoot || !existsSync('/usr/bin/apt-get') || process.env.HOLDFAST_CHROMIUM !== undefined) {
    console.error(`No Chromium at ${chromiumPath}. Install it (Debian: apt-get install chromium) or set HOLDFAST_CHROMIUM to its path.`);
    process.exit(1);
  }
  console.log('Installing Chromium for the browser tests …');
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = (...parameters) =>
    execFileSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...parameters], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  aptGet('update', '-qq');
  aptGet('install', '-y', '-qq', '--no-install-recommends', 'chromium');
}

console.log(`Node ${process.version}, Chromium at ${chromiumPath}`);
