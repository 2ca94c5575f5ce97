// Command-line programs as a tool runs them: through node:child_process.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { writeFileSync } from 'node:fs';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['node'];

const run = (...args) => promisify(execFile)(...args, { timeout: 15_000, env: { ...process.env, LC_ALL: 'C' } });
const file = (w, name, text) => { writeFileSync(`${w.tmp}/${name}`, text); return `${w.tmp}/${name}`; };
const P = (category, options) => ({ label: label('permanent', category, false, options) });
const refused = { label: label('transient', 'network', false) };

export const cases = [
  c('wget-404', 'wget: HTTP 404', (w) => run('wget', ['-O', '/dev/null', '-t', '1', w.canned({ status: 404 })]), { ...P('not_found'), needs: ['wget'] }),
  c('wget-503', 'wget: HTTP 503', (w) => run('wget', ['-O', '/dev/null', '-t', '1', w.canned({ status: 503 })]), { label: label('transient', 'unavailable', false, { unscored: ['ambiguous'] }), needs: ['wget'] }),
  c('wget-401', 'wget: HTTP 401', (w) => run('wget', ['-O', '/dev/null', '-t', '1', w.canned({ status: 401 })]), { ...P('auth'), needs: ['wget'] }),
  c('wget-refused', 'wget: nobody listens', (w) => run('wget', ['-O', '/dev/null', '-t', '1', w.refused]), { ...refused, needs: ['wget'] }),
  c('wget-timeout', 'wget: no answer', (w) => run('wget', ['-O', '/dev/null', '-t', '1', '-T', '0.4', w.fault('silent')]), { label: label('transient', 'timeout', true), needs: ['wget'] }),
  c('wget-name', 'wget: an unknown name', (w) => run('wget', ['-O', '/dev/null', '-t', '1', `http://${w.names.nxdomain}/`]), { label: label('transient', 'network', false, { unscored: ['classification'] }), needs: ['wget', 'netns'] }),
  c('rsync-missing', 'rsync: no such source', (w) => run('rsync', [`${w.tmp}/none`, `${w.tmp}/to`]), { ...P('not_found'), needs: ['rsync'] }),
  c('rsync-refused', 'rsync: nobody listens', (w) => run('rsync', [`rsync://127.0.0.1:${w.refusedPort}/m/`, `${w.tmp}/to`]), { ...refused, needs: ['rsync'] }),
  c('tar-missing', 'tar: no such file', (w) => run('tar', ['xf', `${w.tmp}/none.tar`]), P('not_found')),
  c('tar-broken', 'tar: not an archive', (w) => run('tar', ['xf', file(w, 'no.tar', 'nonsense'.repeat(200))]), P('invalid_input', { also: ['contract'] })),
  c('unzip-broken', 'unzip: not an archive', (w) => run('unzip', ['-t', file(w, 'no.zip', 'nonsense')]), { ...P('invalid_input', { also: ['not_found'] }), needs: ['unzip'] }),
  c('jq-syntax', 'jq: a filter that does not compile', () => run('jq', ['-n', '.a[']), { ...P('invalid_input'), needs: ['jq'] }),
  c('jq-input', 'jq: input that is not JSON', (w) => run('jq', ['.', file(w, 'no.json', '{oops')]), { ...P('invalid_input', { also: ['contract'] }), needs: ['jq'] }),
  c('openssl-refused', 'openssl s_client: nobody listens', (w) => run('openssl', ['s_client', '-connect', `127.0.0.1:${w.refusedPort}`]), refused),
  c('openssl-key', 'openssl: no such key file', (w) => run('openssl', ['rsa', '-in', `${w.tmp}/none.pem`]), P('not_found', { also: ['invalid_input'] })),
  c('sqlite-syntax', 'sqlite3: a syntax error', (w) => run('sqlite3', [':memory:', 'SELEC 1']), { ...P('invalid_input'), needs: ['sqlite3'] }),
  c('sqlite-table', 'sqlite3: no such table', () => run('sqlite3', [':memory:', 'SELECT * FROM orders']), { ...P('not_found'), needs: ['sqlite3'] }),
  c('sqlite-constraint', 'sqlite3: a unique constraint', () => run('sqlite3', [':memory:', 'CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES(1); INSERT INTO t VALUES(1)']), { label: label('permanent', 'conflict', true, { why: 'the statements before it have run' }), needs: ['sqlite3'] }),
  c('psql-refused', 'psql: nobody listens', (w) => run('psql', ['-h', '127.0.0.1', '-p', String(w.refusedPort), '-U', 'u', '-c', 'SELECT 1']), { ...refused, needs: ['psql'] }),
  c('redis-cli-refused', 'redis-cli: nobody listens', (w) => run('redis-cli', ['-h', '127.0.0.1', '-p', String(w.refusedPort), 'SET', 'a', '1']), { ...refused, needs: ['redis-cli'] }),
  c('python-refused', 'python urllib: nobody listens', (w) => run('python3', ['-c', `import urllib.request as u; u.urlopen('${w.refused}', data=b'x')`]), { label: label('transient', 'network', false, { unscored: ['ambiguous'], why: 'a script may have done more before' }), needs: ['python3'] }),
  c('python-404', 'python urllib: HTTP 404', (w) => run('python3', ['-c', `import urllib.request as u; u.urlopen('${w.canned({ status: 404 })}', data=b'x')`]), { ...P('not_found', { unscored: ['ambiguous'], why: 'a script may have done more before' }), needs: ['python3'] }),
  c('python-503', 'python urllib: HTTP 503', (w) => run('python3', ['-c', `import urllib.request as u; u.urlopen('${w.canned({ status: 503 })}', data=b'x')`]), { label: label('transient', 'unavailable', false, { unscored: ['ambiguous'] }), needs: ['python3'] }),
  c('python-timeout', 'python urllib: no answer', (w) => run('python3', ['-c', `import urllib.request as u; u.urlopen('${w.fault('silent')}', data=b'x', timeout=0.3)`]), { label: label('transient', 'timeout', true), needs: ['python3'] }),
  c('python-missing-module', 'python: no such module', () => run('python3', ['-c', 'import no_such_module_x']), { label: label('permanent', 'not_found', true, { also: ['bug', 'unsupported'], unscored: ['ambiguous'] }), needs: ['python3'] }),
  c('make-no-target', 'make: no such target', (w) => run('make', ['-C', w.tmp, 'nothing']), { ...P('not_found', { also: ['invalid_input'], unscored: ['ambiguous'], why: 'a script may have done more before' }), needs: ['make'] }),
  c('npm-no-script', 'npm run: no such script', (w) => { file(w, 'package.json', '{"name":"x"}'); return run('npm', ['run', 'nothing', '--prefix', w.tmp]); }, { ...P('not_found', { also: ['invalid_input'], unscored: ['ambiguous'], why: 'a script may have done more before' }), needs: ['npm'] }),
  c('npm-refused', 'npm view: nobody listens', (w) => run('npm', ['view', 'left-pad', '--registry', w.refused, '--fetch-retries', '0', '--cache', `${w.tmp}/npm`]), { ...refused, needs: ['npm'] }),
  c('npm-404', 'npm view: HTTP 404', (w) => run('npm', ['view', 'left-pad', '--registry', w.canned({ status: 404, body: {} }), '--fetch-retries', '0', '--cache', `${w.tmp}/npm`]), { ...P('not_found'), needs: ['npm'] }),
  c('cp-missing', 'cp: no such file', (w) => run('cp', [`${w.tmp}/none`, `${w.tmp}/to`]), P('not_found')),
  c('mkdir-exists', 'mkdir: it exists', (w) => run('mkdir', [w.tmp]), P('conflict')),
  c('grep-pattern', 'grep: an invalid pattern', (w) => run('grep', ['[a', '/etc/passwd']), P('invalid_input')),
  c('gzip-broken', 'gzip: not in its format', (w) => run('gzip', ['-d', file(w, 'no.gz', 'nonsense')]), P('invalid_input', { also: ['contract'] })),
  c('cargo-none', 'cargo: no manifest', (w) => run('cargo', ['build', '--manifest-path', `${w.tmp}/Cargo.toml`]), { ...P('not_found', { also: ['invalid_input'], unscored: ['ambiguous'], why: 'a script may have done more before' }), needs: ['cargo'] }),
  c('full-disk', 'dd: no space left on the device', () => run('dd', ['if=/dev/zero', 'of=/dev/full', 'bs=1', 'count=1']), { label: label('permanent', 'resource', true, { unscored: ['classification', 'ambiguous'] }) }),
];
