// Programs for files, archives, keys, builds and the system.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['node'];
/** Starts many programs: not part of a usual run. */
export const slow = true;

const P = (category, more) => ({ label: label('permanent', category, false, more) });
const T = (category, ambiguous, more) => ({ label: label('transient', category, ambiguous, more) });
const run = (program, args, more = {}) => promisify(execFile)(program, args, { timeout: 20_000, ...more, env: { ...process.env, LC_ALL: 'C', ...more.env } });
const file = (w, name, text) => { writeFileSync(`${w.tmp}/${name}`, text); return `${w.tmp}/${name}`; };
const folder = (w, name, files = {}) => { const dir = `${w.tmp}/${name}`; mkdirSync(dir, { recursive: true }); for (const [inner, text] of Object.entries(files)) writeFileSync(`${dir}/${inner}`, text); return dir; };
const on = (program, rest) => ({ ...rest, needs: [program] });
const partly = { unscored: ['ambiguous'] };

export const cases = [
  c('socat-refused', 'socat: nobody listens', (w) => run('socat', ['-u', '/dev/null', `TCP:127.0.0.1:${w.refusedPort}`]), on('socat', T('network', false))),
  c('sftp-refused', 'sftp: nobody listens', (w) => run('sftp', ['-b', '/dev/null', '-P', String(w.refusedPort), '127.0.0.1']), on('sftp', T('network', false))),
  c('rsync-greeting', 'rsync: closed before its greeting', (w) => run('rsync', [file(w, 'r1', 'x'), `rsync://127.0.0.1:${w.port('close-accept')}/m/`]), on('rsync', T('network', false, { also: ['contract'] }))),
  c('keygen-passphrase', 'ssh-keygen: a wrong passphrase', async (w) => { await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'right', '-f', `${w.tmp}/key`]); return run('ssh-keygen', ['-y', '-P', 'wrong', '-f', `${w.tmp}/key`]); }, on('ssh-keygen', P('auth', { also: ['invalid_input'] }))),
  c('openssl-decrypt', 'openssl enc: a wrong password', async (w) => { await run('openssl', ['enc', '-aes-256-cbc', '-pbkdf2', '-k', 'right', '-in', file(w, 'plain', 'text'), '-out', `${w.tmp}/secret`]); return run('openssl', ['enc', '-d', '-aes-256-cbc', '-pbkdf2', '-k', 'wrong', '-in', `${w.tmp}/secret`]); }, on('openssl', P('auth', { also: ['invalid_input'], ...partly }))),
  c('openssl-verify', 'openssl verify: not trusted', async (w) => { await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=x', '-keyout', `${w.tmp}/vk`, '-out', `${w.tmp}/vc`]); return run('openssl', ['verify', `${w.tmp}/vc`]); }, on('openssl', P('network', { unscored: ['category'] }))),
  c('gpg-data', 'gpg: no OpenPGP data', (w) => run('gpg', ['--batch', '--homedir', folder(w, 'gpg'), '--import', file(w, 'no.asc', 'nonsense')]), on('gpg', P('invalid_input', { also: ['contract'] }))),
  c('gpg-recipient', 'gpg: no key of the recipient', (w) => run('gpg', ['--batch', '--homedir', folder(w, 'gpg'), '-r', 'nope@example.com', '-e', file(w, 'to-encrypt', 'x')]), on('gpg', P('not_found', { also: ['auth'] }))),
  c('zstd-broken', 'zstd: not in its format', (w) => run('zstd', ['-d', file(w, 'no.zst', 'nonsense')]), on('zstd', P('invalid_input', { also: ['contract', 'unsupported'] }))),
  c('xz-exists', 'xz: the output exists', (w) => { file(w, 'ex.xz', 'x'); return run('xz', [file(w, 'ex', 'x')]); }, on('xz', P('conflict'))),
  c('xz-broken', 'xz: not in its format', (w) => run('xz', ['-d', file(w, 'no.xz', 'nonsense')]), on('xz', P('invalid_input', { also: ['contract', 'unsupported'] }))),
  c('bzip2-missing', 'bzip2: no such file', (w) => run('bzip2', [`${w.tmp}/none`]), on('bzip2', P('not_found'))),
  c('bzip2-broken', 'bzip2: not in its format', (w) => run('bzip2', ['-d', file(w, 'no.bz2', 'nonsense')]), on('bzip2', P('invalid_input', { also: ['contract', 'unsupported'] }))),
  c('lz4-missing', 'lz4: no such file', (w) => run('lz4', [`${w.tmp}/none`]), on('lz4', P('not_found'))),
  c('unzip-missing', 'unzip: no such archive', (w) => run('unzip', [`${w.tmp}/none.zip`]), on('unzip', P('not_found'))),
  c('zip-nothing', 'zip: nothing to do', (w) => run('zip', [`${w.tmp}/a.zip`, `${w.tmp}/none`]), on('zip', P('not_found', { also: ['invalid_input'] }))),
  c('jq-index', 'jq: an index that does not fit', (w) => run('jq', ['.a', file(w, 'list.json', '[1]')]), on('jq', P('invalid_input', { also: ['contract', 'bug'] }))),
  c('jq-missing', 'jq: no such file', (w) => run('jq', ['.', `${w.tmp}/none.json`]), on('jq', P('not_found'))),
  c('javac-error', 'javac: a type error', (w) => run('javac', ['-d', w.tmp, file(w, 'A.java', 'class A { int x = "y"; }')]), on('javac', P('invalid_input'))),
  c('java-class', 'java: no such class', () => run('java', ['NoSuchClassX']), on('java', P('not_found'))),
  c('mvn-pom', 'mvn: no project', (w) => run('mvn', ['-q', '-o', 'package'], { cwd: folder(w, 'mvn') }), on('mvn', P('not_found', { also: ['invalid_input'], ...partly }))),
  c('rustc-error', 'rustc: a type error', (w) => run('rustc', [file(w, 'a.rs', 'fn main() { let x: i32 = "y"; }'), '-o', `${w.tmp}/rs`], { cwd: w.tmp, env: { HOME: process.env.HOME } }), on('rustc', P('invalid_input'))),
  c('gcc-syntax', 'gcc: a syntax error', (w) => run('gcc', ['-c', file(w, 'a.c', 'int main( { return 0; }'), '-o', `${w.tmp}/a.o`]), on('gcc', P('invalid_input'))),
  c('gcc-undefined', 'gcc: an undefined reference', (w) => run('gcc', [file(w, 'u.c', 'int nope(void); int main(void) { return nope(); }'), '-o', `${w.tmp}/u`]), on('gcc', P('invalid_input', { also: ['not_found'] }))),
  c('cmake-lists', 'cmake: no project', (w) => run('cmake', [folder(w, 'cm')], { cwd: w.tmp }), on('cmake', P('not_found', { also: ['invalid_input'] }))),
  c('ninja-file', 'ninja: no build file', (w) => run('ninja', [], { cwd: folder(w, 'nj') }), on('ninja', P('not_found', { ...partly }))),
  c('rm-missing', 'rm: no such file', (w) => run('rm', [`${w.tmp}/none`]), P('not_found')),
  c('rm-folder', 'rm: a folder', (w) => run('rm', [folder(w, 'rmf')]), P('invalid_input', { also: ['unsupported'] })),
  c('rmdir-full', 'rmdir: not empty', (w) => run('rmdir', [folder(w, 'rmd', { a: 'x' })]), P('conflict')),
  c('mv-folder', 'mv: no such folder', (w) => run('mv', [file(w, 'mv1', 'x'), `${w.tmp}/none/none`]), P('not_found')),
  c('ln-exists', 'ln: it exists', (w) => run('ln', ['-s', 'x', file(w, 'ln1', 'x')]), P('conflict')),
  c('ls-loop', 'cat: too many levels of links', (w) => { symlinkSync('loop', `${w.tmp}/loop`); return run('cat', [`${w.tmp}/loop`]); }, P('invalid_input', { unscored: ['category'] })),
  c('chmod-mode', 'chmod: an invalid mode', (w) => run('chmod', ['zz', w.tmp]), P('invalid_input')),
  c('date-invalid', 'date: not a date', () => run('date', ['-d', 'not a date']), P('invalid_input')),
  c('head-number', 'head: not a number', () => run('head', ['-n', 'x', '/etc/passwd']), P('invalid_input')),
  c('find-missing', 'find: no such folder', (w) => run('find', [`${w.tmp}/none`]), on('find', P('not_found'))),
  c('tee-full', 'cp: no space left on the device', () => run('cp', ['/etc/passwd', '/dev/full']), { label: label('permanent', 'resource', true, { unscored: ['classification', 'ambiguous'] }) }),
  c('timeout-124', 'timeout: the program ran too long', () => run('timeout', ['0.3', 'sleep', '5']), { label: label('transient', 'timeout', true) }),
  c('execfile-time', 'the time limit of execFile', () => run('sleep', ['5'], { timeout: 200 }), { label: label('transient', 'timeout', true) }),
  c('execfile-output', 'more output than maxBuffer', () => run('yes', [], { maxBuffer: 1000 }), { label: label('permanent', 'payload_too_large', true, { also: ['resource'] }) }),
  c('not-executable', 'a file that may not be run', (w) => run(file(w, 'noexec', '#!/bin/sh\n'), []), P('permission')),
  c('systemctl-none', 'systemctl: no systemd', () => run('systemctl', ['start', 'x']), on('systemctl', P('unsupported', { also: ['network', 'unavailable'], unscored: ['classification', 'category'] }))),
  c('groupadd-exists', 'groupadd: it exists', () => run('groupadd', ['root']), { ...P('conflict'), needs: ['groupadd', 'root'] }),
  c('userdel-missing', 'userdel: no such user', () => run('userdel', ['no_such_user_x']), { ...P('not_found'), needs: ['userdel', 'root'] }),
  c('ip-device', 'ip: no such device', () => run('ip', ['link', 'show', 'nope0']), on('ip', P('not_found'))),
  c('ip-address', 'ip: not an address', () => run('ip', ['addr', 'add', '999.1.1.1', 'dev', 'lo']), on('ip', P('invalid_input'))),
  c('mount-missing', 'mount: no such device', (w) => run('mount', ['/dev/none', w.tmp]), { ...P('not_found'), needs: ['mount', 'root'] }),
  c('umount-not', 'umount: not mounted', (w) => run('umount', [folder(w, 'um')]), { ...P('invalid_input', { also: ['not_found', 'conflict'] }), needs: ['umount', 'root'] }),
  c('dpkg-archive', 'dpkg: no such archive', (w) => run('dpkg', ['-i', `${w.tmp}/none.deb`]), { ...P('not_found'), needs: ['dpkg', 'root'] }),
  c('dpkg-package', 'dpkg: not installed', () => run('dpkg', ['-L', 'no-such-package-x']), on('dpkg', P('not_found'))),
  c('man-none', 'man: no such page', () => run('man', ['no_such_page_x']), on('man', P('not_found'))),
  c('git-tag-exists', 'git: the tag exists', async (w) => { const dir = await repository(w, 'tg'); await run('git', ['tag', 'v1'], { cwd: dir }); return run('git', ['tag', 'v1'], { cwd: dir }); }, on('git', P('conflict'))),
  c('git-checkout', 'git: local changes would be overwritten', async (w) => { const dir = await repository(w, 'co'); await run('sh', ['-ec', 'git checkout -qb o; echo 2 > a; git commit -qam 2; git checkout -q -; echo 3 > a'], { cwd: dir, env: who }); return run('git', ['checkout', 'o'], { cwd: dir }); }, on('git', P('conflict'))),
  c('git-apply', 'git apply: the patch does not apply', async (w) => run('git', ['apply', file(w, 'p.patch', '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-other\n+x\n')], { cwd: await repository(w, 'ap') }), on('git', P('conflict', { also: ['invalid_input'] }))),
  c('git-merge', 'git merge: a conflict, on stdout', async (w) => { const dir = await repository(w, 'mg'); await run('sh', ['-ec', 'git checkout -qb o; echo 2 > a; git commit -qam 2; git checkout -q -; echo 3 > a; git commit -qam 3'], { cwd: dir, env: who }); return run('git', ['merge', 'o'], { cwd: dir, env: who }); }, on('git', P('conflict', { ...partly }))),
  c('git-remote', 'git push: no such remote', async (w) => run('git', ['push', 'nowhere', 'HEAD'], { cwd: await repository(w, 'pu') }), on('git', P('not_found'))),
  c('git-403', 'git ls-remote: HTTP 403', (w) => run('git', ['ls-remote', w.canned({ status: 403 })]), on('git', P('permission'))),
  c('git-identity', 'git commit: no identity', async (w) => { const dir = folder(w, 'id'); await run('git', ['init', '-q'], { cwd: dir }); return run('git', ['commit', '--allow-empty', '-m', 'x'], { cwd: dir, env: { HOME: '/none', GIT_CONFIG_NOSYSTEM: '1', EMAIL: '', GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.useConfigOnly', GIT_CONFIG_VALUE_0: 'true' } }); }, on('git', P('invalid_input', { also: ['auth', 'not_found'] }))),
];

const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' };
async function repository(w, name) {
  const dir = folder(w, name);
  await run('sh', ['-ec', 'git init -q; echo 1 > a; git add a; git commit -qm 1'], { cwd: dir, env: who });
  return dir;
}
