// Command-line programs of the network as a tool runs them.
import { exec, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['node'];

const options = { timeout: 15_000, env: { ...process.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o StrictHostKeyChecking=yes' } };
const run = (program, args, more) => promisify(execFile)(program, args, { ...options, ...more });
const P = (category, more) => ({ label: label('permanent', category, false, more) });
const T = (category, ambiguous, more) => ({ label: label('transient', category, ambiguous, more) });
const curl = (...args) => run('curl', ['-sS', '-d', 'x', ...args]);
const ssh = ['-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'ConnectTimeout=2'];

export const cases = [
  c('curl-name', 'curl: an unknown name', (w) => curl(`http://${w.names.nxdomain}/`), { ...T('network', false, { unscored: ['classification'] }), needs: ['netns'] }),
  c('curl-refused', 'curl: nobody listens', (w) => curl(w.refused), T('network', false)),
  c('curl-empty', 'curl: closed without an answer', (w) => curl(w.fault('close-request')), T('network', true)),
  c('curl-reset', 'curl: reset after the request', (w) => curl(w.fault('reset-request')), T('network', true)),
  c('curl-cut', 'curl: cut in the body', (w) => curl(w.fault('close-mid-body')), T('network', true)),
  c('curl-timeout', 'curl: no answer in time', (w) => curl('-m', '0.4', w.fault('silent')), T('timeout', true)),
  c('curl-connect-timeout', 'curl: not connected in time', async (w) => curl('--connect-timeout', '0.4', await w.blackhole()), { ...T('timeout', false, { also: ['network'] }), needs: ['netns'] }),
  c('curl-404', 'curl -f: HTTP 404', (w) => curl('-f', w.canned({ status: 404 })), P('not_found')),
  c('curl-401', 'curl -f: HTTP 401', (w) => curl('-f', w.canned({ status: 401 })), P('auth')),
  c('curl-429', 'curl -f: HTTP 429', (w) => curl('-f', w.canned({ status: 429 })), T('rate_limit', false)),
  c('curl-503', 'curl -f: HTTP 503', (w) => curl('-f', w.canned({ status: 503 })), T('unavailable', false, { unscored: ['ambiguous'] })),
  c('curl-url', 'curl: a malformed URL', () => curl('http://[::bad'), P('invalid_input')),
  c('curl-protocol', 'curl: an unknown protocol', () => curl('foo://127.0.0.1/'), P('unsupported', { also: ['invalid_input'] })),
  c('curl-option', 'curl: an unknown option', (w) => curl('--no-such-option', w.refused), P('invalid_input', { also: ['unsupported'] })),
  c('curl-certificate', 'curl: a self-signed certificate', async (w) => curl(await w.tlsUrl('self-signed')), P('network', { unscored: ['category'] })),
  c('curl-redirects', 'curl: a redirect loop', (w) => curl('-L', '--max-redirs', '3', w.url('/redirect-loop')), P('contract', { also: ['unsupported'], unscored: ['ambiguous'] })),
  c('curl-silent-refused', 'curl -s: no message at all, exit code 7', (w) => run('curl', ['-s', '-d', 'x', w.refused]), T('network', false)),
  c('curl-shell', 'curl in a shell: nobody listens', (w) => promisify(exec)(`curl -sS -d x ${w.refused}`, options), T('network', false)),
  c('git-refused', 'git ls-remote: nobody listens', (w) => run('git', ['ls-remote', `${w.refused}/x.git`]), { ...T('network', false), needs: ['git'] }),
  c('git-404', 'git ls-remote: HTTP 404', (w) => run('git', ['ls-remote', w.canned({ status: 404 })]), { ...P('not_found'), needs: ['git'] }),
  c('git-401', 'git ls-remote: HTTP 401 without a terminal', (w) => run('git', ['ls-remote', w.canned({ status: 401, headers: { 'www-authenticate': 'Basic realm=x' } })]), { ...P('auth'), needs: ['git'] }),
  c('git-503', 'git ls-remote: HTTP 503', (w) => run('git', ['ls-remote', w.canned({ status: 503 })]), { ...T('unavailable', false, { unscored: ['ambiguous'] }), needs: ['git'] }),
  c('git-local', 'git clone: no such repository', (w) => run('git', ['clone', `${w.tmp}/nothing.git`, `${w.tmp}/c3`]), { ...P('not_found'), needs: ['git'] }),
  c('git-exists', 'git clone into a folder that is not empty', async (w) => { await run('git', ['init', '-q', `${w.tmp}/src`]); return run('git', ['clone', `${w.tmp}/src`, w.tmp]); }, { ...P('conflict'), needs: ['git'] }),
  c('git-subcommand', 'git: an unknown command', () => run('git', ['frobnicate']), { ...P('unsupported', { also: ['invalid_input', 'not_found'] }), needs: ['git'] }),
  c('git-revision', 'git show: an unknown revision', async (w) => { await run('git', ['init', '-q', `${w.tmp}/rev`]); return run('git', ['show', 'nothing'], { cwd: `${w.tmp}/rev` }); }, { ...P('not_found', { also: ['invalid_input'] }), needs: ['git'] }),
  c('git-lock', 'git: another process has the index lock', async (w) => { const dir = `${w.tmp}/lk`; await run('git', ['init', '-q', dir]); await run('touch', [`${dir}/.git/index.lock`, `${dir}/a`]); return run('git', ['add', 'a'], { cwd: dir }); }, { ...T('conflict', false), needs: ['git'] }),
  c('git-push-rejected', 'git push: not a fast-forward', async (w) => {
    const env = { env: { ...options.env, GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' } };
    const sh = (script) => run('sh', ['-ec', script], env);
    await sh(`cd ${w.tmp}; git init -q --bare b.git; git clone -q b.git w1; git clone -q b.git w2; for d in w1 w2; do (cd $d; git commit -q --allow-empty -m $d); done; (cd w1; git push -q origin HEAD:main)`);
    return run('git', ['push', '-q', 'origin', 'HEAD:main'], { cwd: `${w.tmp}/w2` });
  }, { ...P('conflict'), needs: ['git'] }),
  c('ssh-refused', 'ssh: nobody listens', (w) => run('ssh', [...ssh, '-p', String(w.refusedPort), '127.0.0.1', 'pay']), { ...T('network', false), needs: ['ssh'] }),
  c('ssh-name', 'ssh: an unknown name', (w) => run('ssh', [...ssh, w.names.nxdomain, 'pay']), { ...T('network', false, { unscored: ['classification'] }), needs: ['ssh', 'netns'] }),
  c('ssh-closed', 'ssh: closed before the handshake', (w) => run('ssh', [...ssh, '-p', String(w.port('close-accept')), '127.0.0.1', 'pay']), { ...T('network', false), needs: ['ssh'] }),
  c('scp-missing', 'scp: no such file', (w) => run('scp', [`${w.tmp}/none`, `${w.tmp}/to`]), { ...P('not_found'), needs: ['scp'] }),
  c('kubectl-refused', 'kubectl: nobody listens', (w) => run('kubectl', ['--server', w.refused, 'get', 'pods', '--request-timeout=2s']), { ...T('network', false), needs: ['kubectl'] }),
  c('docker-none', 'docker: no daemon', () => run('docker', ['-H', 'unix:///no/such.sock', 'ps']), { ...T('network', false, { also: ['unavailable'] }), needs: ['docker'] }),
  c('pip-none', 'pip: no such package', (w) => run('pip', ['install', '--disable-pip-version-check', '--retries', '0', '--index-url', w.canned({ status: 404 }), 'no-such-package-x']), { ...P('not_found'), needs: ['pip'] }),
  c('apt-none', 'apt-get: no such package', () => run('apt-get', ['install', '-s', 'no-such-package-x']), { ...P('not_found'), needs: ['apt-get'] }),
  c('cat-denied', 'cat: a folder', (w) => run('cat', [w.tmp]), P('invalid_input', { also: ['unsupported'] })),
  c('sh-syntax', 'sh: a syntax error', () => run('sh', ['-c', 'if']), { ...P('invalid_input', { unscored: ['ambiguous'] }) }),
  c('script-unknown', 'a script of the tool that ends with 1', () => run('sh', ['-c', 'echo "Seat 12A is taken" >&2; exit 1']), { label: label('transient', 'unknown', true, { unscored: ['classification', 'category'] }) }),
  c('script-paid', 'a script that has paid before its curl fails', (w) => promisify(exec)(`echo paid; curl -sS -d x ${w.refused}`, options), T('network', true)),
  c('killed', 'killed by SIGKILL', () => run('sh', ['-c', 'kill -9 $$']), { label: label('transient', 'network', true, { unscored: ['classification', 'category'] }) }),
  c('exit-137', 'a shell reports that its child was killed: 137', () => run('sh', ['-c', 'sh -c "kill -9 \\$\\$"; exit $?']), { label: label('transient', 'resource', true, { unscored: ['classification', 'category'] }) }),
  c('gcc-none', 'gcc: no such file', (w) => run('gcc', ['none.c'], { cwd: w.tmp }), { ...P('not_found'), needs: ['gcc'] }),
  c('patch-none', 'patch: no such file', (w) => run('patch', ['-i', 'none.patch'], { cwd: w.tmp }), { ...P('not_found'), needs: ['patch'] }),
  c('tar-none', 'tar: no such archive', (w) => run('tar', ['xf', 'none.tar'], { cwd: w.tmp }), P('not_found')),
  c('touch-denied', 'touch: not allowed', () => run('touch', ['/proc/x']), P('permission', { also: ['not_found', 'unsupported'] })),
  c('cp-folder', 'cp: a folder without -r', (w) => run('cp', [w.tmp, `${w.tmp}/x2`]), P('invalid_input', { also: ['unsupported'], unscored: ['ambiguous'] })),
  c('chown-user', 'chown: no such user', (w) => run('chown', ['nobody_x', w.tmp]), P('not_found', { also: ['invalid_input'] })),
  c('kill-none', 'kill: no such process', () => run('/bin/kill', ['999999']), { ...P('not_found'), needs: ['/bin/kill'] }),
  c('useradd-exists', 'useradd: the user exists', () => run('useradd', ['root']), { ...P('conflict'), needs: ['useradd', 'root'] }),
  c('iconv-charset', 'iconv: an unknown character set', () => run('iconv', ['-f', 'NOPE', '/etc/hostname']), { ...P('unsupported', { also: ['invalid_input'], unscored: ['ambiguous'] }), needs: ['iconv'] }),
  c('awk-syntax', 'awk: a syntax error', () => run('awk', ['{']), P('invalid_input', { unscored: ['ambiguous'] })),
  c('sed-syntax', 'sed: a syntax error', () => run('sed', ['s/a']), P('invalid_input')),
  c('gzip-format', 'gunzip: not in its format', async (w) => { await run('sh', ['-c', 'echo x > x.gz'], { cwd: w.tmp }); return run('gunzip', ['x.gz'], { cwd: w.tmp }); }, P('invalid_input', { also: ['contract', 'unsupported'] })),
  c('openssl-none', 'openssl: no such certificate', (w) => run('openssl', ['x509', '-in', `${w.tmp}/none.pem`]), { ...P('not_found'), needs: ['openssl'] }),
  c('psql-refused', 'psql: nobody listens', (w) => run('psql', ['-h', '127.0.0.1', '-p', String(w.refusedPort), '-c', 'insert']), { ...T('network', false), needs: ['psql'] }),
  c('redis-cli-refused', 'redis-cli: nobody listens', (w) => run('redis-cli', ['-p', String(w.refusedPort), 'set', 'a', '1']), { ...T('network', false), needs: ['redis-cli'] }),
  c('npm-script', 'npm run: no such script', async (w) => { await run('sh', ['-c', 'echo "{}" > package.json'], { cwd: w.tmp }); return run('npm', ['run', 'nope'], { cwd: w.tmp }); }, P('not_found', { also: ['invalid_input'], unscored: ['ambiguous'] })),
  c('git-no-repository', 'git: not in a repository', (w) => run('git', ['status'], { cwd: w.tmp, env: { ...options.env, GIT_CEILING_DIRECTORIES: '/' } }), { ...P('not_found', { also: ['invalid_input'] }), needs: ['git'] }),
];
