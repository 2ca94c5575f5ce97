// Programs of the system, of compilers, of version control and of services.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { promisify } from 'node:util';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['node'];
/** Starts many programs: not part of a usual run. */
export const slow = true;

const P = (category, more) => ({ label: label('permanent', category, false, more) });
const T = (category, ambiguous, more) => ({ label: label('transient', category, ambiguous, more) });
const run = (program, args, more = {}) => promisify(execFile)(program, args, { timeout: 20_000, ...more, env: { ...process.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', ...more.env } });
const file = (w, name, text) => { writeFileSync(`${w.tmp}/${name}`, text); return `${w.tmp}/${name}`; };
const folder = (w, name, files = {}) => { const dir = `${w.tmp}/${name}`; mkdirSync(dir, { recursive: true }); for (const [inner, text] of Object.entries(files)) writeFileSync(`${dir}/${inner}`, text); return dir; };
const on = (program, rest) => ({ ...rest, needs: [program] });
const free = { unscored: ['ambiguous'] };
const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' };
async function repository(w, name, script = '') {
  const dir = folder(w, name);
  await run('sh', ['-ec', `git init -q; git config advice.detachedHead false; echo 1 > a; git add a; git commit -qm 1; ${script}`], { cwd: dir, env: who });
  return dir;
}
const git = (name, script, args, rest) => c(`git-${name}`, `git: ${rest.how}`, async (w) => run('git', args, { cwd: await repository(w, `g-${name}`, script), env: who }), on('git', rest.wanted));
const curl = (...args) => run('curl', ['-sS', '-d', 'x', ...args]);
const tcp = async (w, act) => w.listen(w.track(net.createServer((socket) => { socket.on('error', () => {}); act(socket); })));
const both = 'git checkout -qb o; echo 2 > a; git commit -qam 2; git checkout -q -; echo 3 > a; git commit -qam 3;';

export const cases = [
  // curl beyond HTTP
  c('curl-upload-file', 'curl -T: no such file', (w) => run('curl', ['-sS', '-T', `${w.tmp}/none`, w.url('/')]), on('curl', P('not_found'))),
  c('curl-write', 'curl -o: the output cannot be written, after the request', (w) => curl('-o', '/none/none', w.url('/big')), on('curl', { label: label('permanent', 'resource', true, { also: ['not_found', 'permission', 'network', 'unknown'], unscored: ['classification', 'category'] }) })),
  c('curl-garbage', 'curl: the answer is not HTTP', (w) => curl(w.fault('garbage')), on('curl', { label: label('permanent', 'contract', true, { also: ['unsupported', 'network'], unscored: ['classification'] }) })),
  c('curl-encoding', 'curl --compressed: an encoding that is broken', (w) => curl('--compressed', w.fault('bad-gzip')), on('curl', { label: label('permanent', 'contract', true) })),
  c('curl-ftp-login', 'curl: an FTP server refuses the login', async (w) => run('curl', ['-sS', `ftp://a:b@127.0.0.1:${await tcp(w, (s) => { s.write('220 x\r\n'); s.on('data', (d) => s.write(/^USER/.test(d) ? '331 x\r\n' : '530 Login incorrect\r\n')); })}/x`]), on('curl', P('auth'))),
  c('curl-proxy-407', 'curl: the proxy wants a login', async (w) => curl('-x', `http://127.0.0.1:${await tcp(w, (s) => s.once('data', () => s.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n')))}`, 'https://127.0.0.1:29871/'), on('curl', P('auth', { also: ['network'] }))),
  c('curl-proxy-503', 'curl: the proxy answers 503 to CONNECT', async (w) => curl('-x', `http://127.0.0.1:${await tcp(w, (s) => s.once('data', () => s.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')))}`, 'https://127.0.0.1:29871/'), on('curl', T('unavailable', false, { also: ['network'] }))),
  c('curl-422', 'curl --fail-with-body: HTTP 422', (w) => curl('--fail-with-body', w.canned({ status: 422, body: { message: 'name is too short' } })), on('curl', P('invalid_input'))),
  c('curl-500', 'curl -f: HTTP 500', (w) => curl('-f', w.canned({ status: 500 })), on('curl', T('unavailable', true, { unscored: ['classification'] }))),
  c('curl-tls-plain', 'curl: TLS to a plain port', (w) => curl(w.url().replace('http:', 'https:')), on('curl', P('network', { unscored: ['classification', 'category'] }))),
  c('curl-handshake', 'curl: closed in the handshake', async (w) => curl(await w.tlsUrl('abort-handshake')), on('curl', T('network', false, { unscored: ['classification'] }))),
  c('wget-403', 'wget: HTTP 403', (w) => run('wget', ['-q', '-S', '-O', '/dev/null', '-t', '1', w.canned({ status: 403 })]), on('wget', P('permission'))),
  c('wget-429', 'wget: HTTP 429', (w) => run('wget', ['-O', '/dev/null', '-t', '1', w.canned({ status: 429 })]), on('wget', T('rate_limit', false))),
  c('wget-closed', 'wget: closed without an answer', (w) => run('wget', ['-O', '/dev/null', '-t', '1', w.fault('close-request')]), on('wget', T('network', true))),
  c('wget-output', 'wget: no such folder for the output', (w) => run('wget', ['-O', '/none/none', '-t', '1', w.url()]), on('wget', P('not_found', free))),
  c('s-client-alert', 'openssl s_client: a protocol version that the server refuses', async (w) => run('openssl', ['s_client', '-brief', '-tls1_2', '-connect', (await w.tlsUrl('tls13-only')).slice(8)]), on('openssl', P('network', { unscored: ['category'] }))),
  // files
  c('id-user', 'id: no such user', () => run('id', ['no_such_user_x']), P('not_found')),
  c('sort-missing', 'sort: no such file', (w) => run('sort', [`${w.tmp}/none`]), P('not_found')),
  c('sha-check', 'sha256sum -c: another checksum', (w) => run('sha256sum', ['-c', file(w, 'sums', `${'0'.repeat(64)}  ${file(w, 'summed', 'x')}\n`)]), P('conflict', { also: ['invalid_input', 'contract'], unscored: ['category'] })),
  c('base64-input', 'base64 -d: invalid input', (w) => run('base64', ['-d', file(w, 'b64', '!!!')]), P('invalid_input', { also: ['contract'] })),
  c('tar-member', 'tar: no such member', async (w) => { await run('tar', ['cf', `${w.tmp}/m.tar`, '-C', folder(w, 'tm', { a: 'x' }), '.']); return run('tar', ['xf', `${w.tmp}/m.tar`, '-C', w.tmp, 'nope']); }, P('not_found')),
  c('tar-compression', 'tar: compressed in another way', (w) => run('tar', ['xzf', file(w, 'n.tgz', 'nonsense')]), P('invalid_input', { also: ['contract'] })),
  c('scp-local', 'scp: a folder without -r', (w) => run('scp', [folder(w, 'scpd'), `${w.tmp}/scp2`]), on('scp', P('invalid_input', { also: ['unsupported'] }))),
  c('rsync-partial', 'rsync: some files could not be read', (w) => run('rsync', ['-a', file(w, 'ra', 'x'), `${w.tmp}/none`, folder(w, 'rto')]), on('rsync', { label: label('permanent', 'not_found', true, { ...free }) })),
  c('ln-folder', 'ln: a hard link to a folder', (w) => run('ln', [folder(w, 'hl'), `${w.tmp}/hl2`]), P('permission', { also: ['invalid_input', 'unsupported'] })),
  c('cut-option', 'cut: options that do not fit', () => run('cut', ['/etc/passwd']), P('invalid_input')),
  c('mkfifo-exists', 'mkfifo: it exists', (w) => run('mkfifo', [file(w, 'ff', 'x')]), P('conflict', free)),
  c('mktemp-template', 'mktemp: a template without X', () => run('mktemp', ['abc']), P('invalid_input', free)),
  c('truncate-size', 'truncate: an invalid size', (w) => run('truncate', ['-s', 'zz', `${w.tmp}/t`]), P('invalid_input', free)),
  c('stat-missing', 'stat: no such file', (w) => run('stat', [`${w.tmp}/none`]), P('not_found')),
  c('tail-option', 'tail: an unknown option', () => run('tail', ['--nonsense']), P('invalid_input', { also: ['unsupported'] })),
  c('find-predicate', 'find: an unknown predicate', () => run('find', ['/tmp', '-nonsense']), on('find', P('invalid_input', { also: ['unsupported', 'not_found'] }))),
  c('dd-operand', 'dd: an unknown operand', () => run('dd', ['nonsense=1']), P('invalid_input', { also: ['unsupported'] })),
  c('sed-file', 'sed: no such file', (w) => run('sed', ['-i', 's/a/b/', `${w.tmp}/none`]), P('not_found')),
  c('awk-file', 'awk: no such file', (w) => run('awk', ['{print}', `${w.tmp}/none`]), P('not_found')),
  c('iconv-input', 'iconv: an illegal sequence', (w) => run('iconv', ['-f', 'utf-8', '-t', 'ascii', file(w, 'ic', 'é')]), on('iconv', P('invalid_input', { also: ['contract', 'unsupported'] }))),
  c('cmp-missing', 'cmp: no such file', (w) => run('cmp', ['/etc/passwd', `${w.tmp}/none`]), on('cmp', P('not_found'))),
  c('chmod-missing', 'chmod: no such file', (w) => run('chmod', ['644', `${w.tmp}/none`]), P('not_found')),
  c('touch-folder', 'touch: no such folder', (w) => run('touch', [`${w.tmp}/none/x`]), P('not_found')),
  c('mkdir-parent', 'mkdir: no such parent', (w) => run('mkdir', [`${w.tmp}/none/x`]), P('not_found')),
  c('mv-same', 'mv: onto itself', (w) => run('mv', [file(w, 'same', 'x'), `${w.tmp}/same`]), P('invalid_input', { also: ['conflict'] })),
  c('cp-space', 'cp: no space in a small file system', async (w) => { const dir = folder(w, 'small'); await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', dir]); return run('cp', ['/bin/bash', dir]); }, { label: label('permanent', 'resource', true, { unscored: ['classification', 'ambiguous'] }), needs: ['root', 'netns'] }),
  c('cp-readonly', 'cp: a read-only file system', async (w) => { const dir = folder(w, 'rofs'); await run('mount', ['-t', 'tmpfs', '-o', 'ro', 'none', dir]); return run('cp', ['/etc/passwd', dir]); }, { ...P('permission', { also: ['resource'] }), needs: ['root', 'netns'] }),
  c('umount-busy', 'umount: the target is busy', async (w) => { const dir = folder(w, 'busy'); await run('mount', ['-t', 'tmpfs', 'none', dir]); const held = execFile('sleep', ['5'], { cwd: dir }); try { return await run('umount', [dir]); } finally { held.kill(); } }, { ...T('conflict', false), needs: ['root', 'netns'] }),
  c('ip-route-exists', 'ip route: it exists', () => run('ip', ['route', 'add', 'local', '127.0.0.1', 'dev', 'lo', 'table', 'local', 'proto', 'kernel', 'scope', 'host', 'src', '127.0.0.1']), { ...P('conflict'), needs: ['ip', 'netns'] }),
  c('sysctl-key', 'sysctl: no such key', () => run('sysctl', ['nope.nope']), on('sysctl', P('not_found', free))),
  c('groupdel-missing', 'groupdel: no such group', () => run('groupdel', ['no_such_group_x']), { ...P('not_found'), needs: ['groupdel', 'root'] }),
  c('usermod-group', 'usermod: no such group', () => run('usermod', ['-aG', 'no_such_group_x', 'root']), { ...P('not_found'), needs: ['usermod', 'root'] }),
  c('flock-held', 'flock -n: the lock is held, without a word', async (w) => { const name = file(w, 'lk', ''); const held = execFile('flock', [name, 'sleep', '5']); await w.sleep(200); try { return await run('flock', ['-n', name, 'true']); } finally { held.kill(); } }, { label: label('transient', 'conflict', true, { unscored: ['classification', 'category', 'ambiguous'] }), needs: ['flock'] }),
  // builds
  c('gcc-header', 'gcc: no such header', (w) => run('gcc', ['-c', file(w, 'h.c', '#include <none.h>\n'), '-o', `${w.tmp}/h.o`]), on('gcc', P('not_found', { also: ['invalid_input'] }))),
  c('gcc-library', 'gcc: no such library', (w) => run('gcc', [file(w, 'l.c', 'int main(void){return 0;}'), '-lnope_x', '-o', `${w.tmp}/l`]), on('gcc', P('not_found', { also: ['invalid_input'] }))),
  c('gpp-type', 'g++: a type error', (w) => run('g++', ['-c', file(w, 'b.cpp', 'int x = "y";'), '-o', `${w.tmp}/b.o`]), on('g++', P('invalid_input'))),
  c('objdump-format', 'objdump: not its format', (w) => run('objdump', ['-d', file(w, 'od', 'nonsense')]), on('objdump', P('invalid_input', { also: ['unsupported', 'contract'], ...free }))),
  c('pkg-config', 'pkg-config: no such package', () => run('pkg-config', ['--libs', 'nope-x']), on('pkg-config', P('not_found', free))),
  c('javac-missing', 'javac: no such file', (w) => run('javac', [`${w.tmp}/None.java`]), on('javac', P('not_found', { also: ['invalid_input'] }))),
  c('javac-symbol', 'javac: an unknown symbol', (w) => run('javac', ['-d', w.tmp, file(w, 'B.java', 'class B { Nope n; }')]), on('javac', P('invalid_input', { also: ['not_found'] }))),
  c('keytool-password', 'keytool: a wrong password', async (w) => { const at = ['-keystore', `${w.tmp}/ks`]; await run('keytool', ['-genkeypair', '-alias', 'a', '-keyalg', 'EC', '-dname', 'CN=x', '-storepass', 'secret', ...at]); return run('keytool', ['-list', '-storepass', 'wrong1', ...at]); }, on('keytool', P('auth', { also: ['invalid_input'], ...free }))),
  c('cargo-error', 'cargo: a manifest that does not parse', (w) => run('cargo', ['metadata', '--offline', '--manifest-path', `${folder(w, 'cg', { 'Cargo.toml': '[package\n' })}/Cargo.toml`]), on('cargo', P('invalid_input', free))),
  c('rustfmt-error', 'rustfmt: a syntax error', (w) => run('rustfmt', [file(w, 'f.rs', 'fn main( {')]), on('rustfmt', P('invalid_input', free))),
  c('make-syntax', 'make: a syntax error in the makefile', (w) => run('make', ['-f', file(w, 'Mk', 'nonsense\n')]), on('make', P('invalid_input', free))),
  c('make-step', 'make: a step fails', (w) => run('make', ['-f', file(w, 'Mk2', 'all:\n\t@echo paid; exit 3\n')]), on('make', { label: label('permanent', 'unknown', true, { unscored: ['classification', 'category'] }) })),
  c('cmake-syntax', 'cmake: a syntax error', (w) => run('cmake', ['-B', `${w.tmp}/cmb`, folder(w, 'cms', { 'CMakeLists.txt': 'project(\n' })]), on('cmake', P('invalid_input'))),
  c('cmake-package', 'cmake: no such package', (w) => run('cmake', ['-B', `${w.tmp}/cmc`, folder(w, 'cmp', { 'CMakeLists.txt': 'cmake_minimum_required(VERSION 3.5)\nproject(x NONE)\nfind_package(NopeX REQUIRED)\n' })]), on('cmake', P('not_found', { also: ['invalid_input'] }))),
  // version control
  git('branch-exists', 'git branch b', ['branch', 'b'], { how: 'the branch exists', wanted: P('conflict') }),
  git('branch-name', '', ['branch', 'a..b'], { how: 'not a name of a branch', wanted: P('invalid_input') }),
  git('branch-missing', '', ['checkout', 'nope'], { how: 'no such branch', wanted: P('not_found') }),
  git('stash-none', '', ['stash', 'pop'], { how: 'no stash', wanted: P('not_found', free) }),
  git('rm-missing', '', ['rm', 'nope'], { how: 'no such path', wanted: P('not_found') }),
  git('config-key', '', ['config', 'nokey', 'x'], { how: 'a key without a section', wanted: P('invalid_input') }),
  git('nothing', '', ['commit', '-m', 'x'], { how: 'nothing to commit', wanted: P('conflict', { unscored: ['category', 'ambiguous'] }) }),
  git('cherry-pick', both, ['cherry-pick', 'o'], { how: 'cherry-pick has a conflict', wanted: P('conflict', free) }),
  git('rebase', both, ['rebase', 'o'], { how: 'rebase has a conflict', wanted: P('conflict', free) }),
  git('remote-exists', 'git remote add r /x', ['remote', 'add', 'r', '/y'], { how: 'the remote exists', wanted: P('conflict') }),
  git('upstream', '', ['push'], { how: 'no destination configured', wanted: P('invalid_input', { also: ['not_found'] }) }),
  git('dirty-rebase', 'git checkout -qb o; git checkout -q -; echo 9 > a', ['rebase', 'o'], { how: 'local changes are in the way of a rebase', wanted: P('conflict') }),
  git('worktree', 'git worktree add -q ../wt-x -b x', ['worktree', 'add', '../wt-y', 'x'], { how: 'the branch is checked out elsewhere', wanted: P('conflict') }),
  c('git-hook', 'git push: a hook of the remote declines', async (w) => { const dir = await repository(w, 'hk', `git init -q --bare ../hk.git; printf '#!/bin/sh\\necho no >&2; exit 1\\n' > ../hk.git/hooks/pre-receive; chmod +x ../hk.git/hooks/pre-receive`); return run('git', ['push', '../hk.git', 'HEAD:main'], { cwd: dir }); }, on('git', P('permission', { also: ['conflict', 'invalid_input'], unscored: ['category'] }))),
  c('git-500', 'git ls-remote: HTTP 500', (w) => run('git', ['ls-remote', w.canned({ status: 500 })]), on('git', T('unavailable', true, { unscored: ['classification', 'ambiguous'] }))),
  c('git-429', 'git ls-remote: HTTP 429', (w) => run('git', ['ls-remote', w.canned({ status: 429 })]), on('git', T('rate_limit', false))),
  c('git-reset', 'git ls-remote: reset', (w) => run('git', ['ls-remote', w.fault('reset-request', '/x.git')]), on('git', T('network', true))),
  c('git-ssh', 'git ls-remote: ssh is refused', (w) => run('git', ['ls-remote', `ssh://127.0.0.1:${w.refusedPort}/x.git`], { env: { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes' } }), { ...T('network', false), needs: ['git', 'ssh'] }),
  // services
  c('postgres-root', 'postgres: not as root', () => run('sh', ['-c', 'exec $(ls /usr/lib/postgresql/*/bin/postgres | tail -1) -D /none']), { label: label('permanent', 'permission', true, { also: ['invalid_input', 'not_found'], unscored: ['ambiguous'] }), needs: ['postgres', 'root'] }),
  c('redis-config', 'redis-server: no such configuration', () => run('redis-server', ['/none.conf']), on('redis-server', P('not_found', free))),
  c('nats-config', 'nats-server: no such configuration', () => run('nats-server', ['-c', '/none.conf']), on('nats-server', P('not_found', free))),
  c('mosquitto-config', 'mosquitto: no such configuration', () => run('mosquitto', ['-c', '/none.conf']), on('mosquitto', P('not_found', free))),
  c('mysqladmin-refused', 'mysqladmin: nobody listens', (w) => run('mysqladmin', ['--no-defaults', '-h', '127.0.0.1', '-P', String(w.refusedPort), 'ping']), on('mysqladmin', T('network', false))),
  c('pgbench-refused', 'pgbench: nobody listens', (w) => run('pgbench', ['-h', '127.0.0.1', '-p', String(w.refusedPort), '-U', 'u']), on('pgbench', T('network', false))),
  c('vacuumdb-database', 'vacuumdb: no such database', async (w) => { const at = await w.postgres(); return run('vacuumdb', ['-h', at.host, '-p', String(at.port), '-U', at.user, 'nope'], { env: { PGPASSWORD: at.password } }); }, { ...P('not_found', free), needs: ['postgres', 'vacuumdb'] }),
  c('psql-file', 'psql -f: no such file', async (w) => { const at = await w.postgres(); return run('psql', ['-h', at.host, '-p', String(at.port), '-U', at.user, '-d', at.database, '-f', '/none.sql'], { env: { PGPASSWORD: at.password } }); }, { ...P('not_found'), needs: ['postgres', 'psql'] }),
  c('psql-lock', 'psql: the lock timeout', async (w) => { const at = await w.postgres(); const args = ['-h', at.host, '-p', String(at.port), '-U', at.user, '-d', at.database, '-v', 'ON_ERROR_STOP=1', '-c']; const env = { PGPASSWORD: at.password }; const holder = execFile('psql', [...args, 'begin; lock table lines; select pg_sleep(3)'], { env: { ...process.env, ...env } }); await w.sleep(600); try { return await run('psql', [...args, 'set lock_timeout = 200; lock table lines'], { env }); } finally { holder.kill(); } }, { ...T('conflict', false, free), needs: ['postgres', 'psql'] }),
  c('aws-copy-file', 'aws s3 cp: no such file', (w) => run('aws', ['--endpoint-url', w.refused, 's3', 'cp', `${w.tmp}/none`, 's3://b/k'], { env: aws }), on('aws', P('not_found'))),
  c('aws-copy-refused', 'aws s3 cp: nobody listens', (w) => run('aws', ['--endpoint-url', w.refused, 's3', 'cp', file(w, 'awsf', 'x'), 's3://b/k'], { env: aws }), on('aws', T('network', false))),
  c('aws-token', 'aws sts: ExpiredToken', async (w) => run('aws', ['--endpoint-url', await w.ownServer({ status: 403, headers: { 'content-type': 'text/xml' }, body: '<ErrorResponse><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>The security token included in the request is expired</Message></Error></ErrorResponse>' }), 'sts', 'get-caller-identity'], { env: aws }), on('aws', P('auth'))),
  c('aws-lambda', 'aws lambda: TooManyRequestsException', async (w) => run('aws', ['--endpoint-url', await w.ownServer({ status: 429, headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'TooManyRequestsException' }, body: '{"Reason":"ReservedFunctionConcurrentInvocationLimitExceeded","message":"Rate Exceeded."}' }), 'lambda', 'invoke', '--function-name', 'f', '/dev/null'], { env: aws }), on('aws', T('rate_limit', false))),
  c('aws-region', 'aws: no region', (w) => run('aws', ['s3api', 'list-buckets', '--endpoint-url', w.refused], { env: { ...aws, AWS_DEFAULT_REGION: '' } }), on('aws', { label: label('permanent', 'invalid_input', false, { also: ['network', 'not_found'], unscored: ['classification', 'category'] }) })),
  c('npm-publish', 'npm publish: 403', async (w) => run('npm', ['publish', '--registry', `${await w.ownServer({ status: 403, body: { error: 'You cannot publish over the previously published versions: 1.0.0.' } })}/`, '--cache', `${w.tmp}/npm`], { cwd: folder(w, 'np', { 'package.json': '{"name":"x-y-z","version":"1.0.0"}', '.npmrc': '//127.0.0.1/:_authToken=x\n' }) }), on('npm', P('permission', { also: ['conflict', 'auth'], ...free }))),
  c('npm-version', 'npm: no matching version', async (w) => run('npm', ['install', 'x@9', '--registry', `${await w.ownServer({ body: { name: 'x', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { name: 'x', version: '1.0.0', dist: { tarball: 'http://127.0.0.1/x', shasum: '0' } } } } })}/`, '--cache', `${w.tmp}/npm2`], { cwd: folder(w, 'nv', { 'package.json': '{}' }) }), on('npm', P('not_found', { also: ['invalid_input'] }))),
  c('npm-spec', 'npm: not a specification of a package', (w) => run('npm', ['install', '@@@'], { cwd: folder(w, 'ns', { 'package.json': '{}' }) }), on('npm', P('invalid_input'))),
  c('pip-refused', 'pip download: a direct URL, nobody listens', (w) => run('pip', ['download', '--disable-pip-version-check', '--retries', '0', '--no-deps', '-d', w.tmp, `${w.refused}/a-1.0.tar.gz`]), on('pip', T('network', false))),
  c('docker-500', 'docker: the daemon fails', async (w) => run('docker', ['-H', (await w.ownServer({ status: 500, headers: { 'content-type': 'application/json' }, body: { message: 'server error' } })).replace('http:', 'tcp:'), 'stop', 'x'], { env: { DOCKER_API_VERSION: '1.41' } }), on('docker', T('unavailable', true, { unscored: ['classification', 'ambiguous'] }))),
  c('docker-image', 'docker: no such image', async (w) => run('docker', ['-H', (await w.ownServer({ status: 404, headers: { 'content-type': 'application/json' }, body: { message: 'No such image: x:latest' } })).replace('http:', 'tcp:'), 'rmi', 'x'], { env: { DOCKER_API_VERSION: '1.41' } }), on('docker', P('not_found'))),
  c('kubectl-exists', 'kubectl create --raw: AlreadyExists', async (w) => run('kubectl', ['--server', await w.ownServer({ status: 409, headers: { 'content-type': 'application/json' }, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'pods "x" already exists', reason: 'AlreadyExists', code: 409 } }), 'create', '--raw', '/api/v1/namespaces/x/pods', '-f', file(w, 'pod.json', '{}')]), on('kubectl', P('conflict'))),
  c('kubectl-context', 'kubectl: no such context', () => run('kubectl', ['--context', 'nope', 'get', 'pods']), on('kubectl', P('not_found', { also: ['invalid_input'] }))),
  c('terraform-init', 'terraform: not initialised', (w) => run('terraform', ['plan', '-no-color', '-input=false'], { cwd: folder(w, 'tfi', { 'main.tf': 'resource "null_resource" "a" {}\n' }) }), on('terraform', P('invalid_input', { also: ['not_found', 'conflict'], unscored: ['category'] }))),
];
const aws = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_DEFAULT_REGION: 'eu-central-1', AWS_MAX_ATTEMPTS: '1', AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/none', AWS_SHARED_CREDENTIALS_FILE: '/none' };
