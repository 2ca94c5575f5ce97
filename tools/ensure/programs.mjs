/**
 * Owns the programs that the tests need on the machine. On Debian and Ubuntu, as root, missing ones are installed together, without starting any; elsewhere
 * a message says what to install. Without the optional ones, the error corpus skips the cases that need them, and the deployment is tested without HAProxy.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

export const chromiumPath = process.env.HOLDFAST_CHROMIUM ?? '/usr/bin/chromium';

/** A program, and its Debian package. */
const required = {
  [chromiumPath]: 'chromium',
  '/usr/bin/prometheus': 'prometheus',
  '/usr/bin/prometheus-alertmanager': 'prometheus-alertmanager',
  '/usr/lib/postgresql': 'postgresql',
};
const optional = {
  '/usr/bin/openssl': 'openssl',
  '/usr/bin/git': 'git',
  '/usr/bin/python3': 'python3',
  '/usr/bin/redis-server': 'redis-server',
  '/usr/sbin/haproxy': 'haproxy',
  '/usr/sbin/ip': 'iproute2',
  '/usr/sbin/mariadbd': 'mariadb-server',
  '/usr/sbin/mosquitto': 'mosquitto',
  '/usr/bin/nats-server': 'nats-server',
};

const isThere = (path) =>
  existsSync(path) || existsSync(path.replace('/usr/bin/', '/usr/sbin/')) || existsSync(path.replace('/usr/sbin/', '/usr/bin/'));

const missingOf = (programs) =>
  Object.entries(programs)
    .filter(([path]) => !isThere(path))
    .map(([, name]) => name);

/** Rejects when a required program is missing. */
export async function installPrograms() {
  const wanted = [...missingOf(required), ...missingOf(optional)];
  if (wanted.length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) await install(wanted);
  const lacking = missingOf(optional);
  if (lacking.length > 0) console.warn(`NOT INSTALLED: ${lacking.join(', ')}. The error corpus skips the cases that need them.`);
  const missing = missingOf(required);
  if (missing.length > 0)
    throw new Error(`The tests need ${missing.join(', ')} (Debian: apt-get install; a Chromium elsewhere: HOLDFAST_CHROMIUM).`);
}

async function install(names) {
  console.log(`Installing ${names.join(', ')} …`);
  const started = performance.now();
  await aptGet('update', '-qq');
  if ((await aptGet('install', '-y', '-qq', '--no-install-recommends', ...names)) === 0)
    console.log(`… programs after ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/** Resolves with the exit code. The tests start their own servers, so no service is started here. */
async function aptGet(...parameters) {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const child = spawn('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...parameters], {
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  return code;
}
