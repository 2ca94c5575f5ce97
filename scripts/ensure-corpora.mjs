/**
 * What the corpus of real errors needs: its client libraries, and the programs it misbehaves with. Run by `npm test` before
 * the tests; does nothing where nothing is missing. Without root or apt the programs are left out, and the corpus skips
 * their cases.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const corpus = join(import.meta.dirname, '..', 'corpora', 'errors');
const stamp = join(corpus, 'node_modules', '.installed');
const wanted = createHash('sha256')
  .update(readFileSync(join(corpus, 'package-lock.json')))
  .digest('hex');

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

function installClients() {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Installing the client libraries of the error corpus …');
  const started = performance.now();
  const quiet = { PUPPETEER_SKIP_DOWNLOAD: '1', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' };
  // What is there already stays: only the difference is fetched.
  const command = existsSync(join(corpus, 'node_modules')) ? ['install', '--no-save'] : ['ci'];
  execFileSync('npm', [...command, '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], {
    cwd: corpus,
    env: { ...process.env, ...quiet },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  writeFileSync(stamp, wanted);
  console.log(`… in ${seconds(started)}`);
}

/** A program, and the Debian package it comes with. */
const programs = {
  '/usr/bin/openssl': 'openssl',
  '/usr/bin/git': 'git',
  '/usr/bin/python3': 'python3',
  '/usr/bin/redis-server': 'redis-server',
  '/usr/sbin/ip': 'iproute2',
  '/usr/sbin/mariadbd': 'mariadb-server',
  '/usr/sbin/mosquitto': 'mosquitto',
  '/usr/bin/nats-server': 'nats-server',
  '/usr/lib/postgresql': 'postgresql',
};

const isThere = (path) =>
  existsSync(path) || existsSync(path.replace('/usr/bin/', '/usr/sbin/')) || existsSync(path.replace('/usr/sbin/', '/usr/bin/'));

function installPrograms() {
  const missing = Object.entries(programs)
    .filter(([path]) => !isThere(path))
    .map(([, name]) => name);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    console.warn(`NOT INSTALLED: ${missing.join(', ')}. The corpus of real errors skips the cases that need them.`);
    return;
  }
  console.log(`Installing ${missing.join(', ')} for the error corpus …`);
  const started = performance.now();
  // Nothing is started: the corpus starts its own servers.
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const aptGet = (...parameters) =>
    execFileSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...parameters], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    aptGet('update', '-qq');
    aptGet('install', '-y', '-qq', '--no-install-recommends', ...missing);
    console.log(`… in ${seconds(started)}`);
  } catch {
    console.warn(`NOT INSTALLED: ${missing.join(', ')}. The corpus of real errors skips the cases that need them.`);
  }
}

installPrograms();
installClients();
