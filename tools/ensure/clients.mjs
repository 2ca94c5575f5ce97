/** Owns the client libraries of the error corpus: a separate package, installed when its lock file has changed. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const corpus = join(import.meta.dirname, '../../quality/corpora/errors');
const stamp = join(corpus, 'node_modules', '.installed');

export async function installClients() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(corpus, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Installing the client libraries of the error corpus …');
  const started = performance.now();
  const quiet = { PUPPETEER_SKIP_DOWNLOAD: '1', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' };
  // Existing packages stay: only the difference is downloaded.
  const command = existsSync(join(corpus, 'node_modules')) ? ['install', '--no-save'] : ['ci'];
  const child = spawn('npm', [...command, '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], {
    cwd: corpus,
    env: { ...process.env, ...quiet },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('The client libraries of the error corpus could not be installed.');
  writeFileSync(stamp, wanted);
  console.log(`… clients after ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
