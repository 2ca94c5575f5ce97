// Programs of documents, of keys and certificates, of packages, of the shell and of the kernel's interfaces.
import { exec, execFile, spawn } from 'node:child_process';
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
/** Run by a tool of its own, or by something that may have done more: nothing shows that it was not carried out. */
const PA = (category, more) => ({ label: label('permanent', category, true, more) });
const run = (program, args, more = {}) => promisify(execFile)(program, args, { timeout: 20_000, ...more, env: { ...process.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', ...more.env } });
const shell = (line, more = {}) => promisify(exec)(line, { timeout: 20_000, ...more, env: { ...process.env, LC_ALL: 'C' } });
const file = (w, name, text) => { writeFileSync(`${w.tmp}/${name}`, text); return `${w.tmp}/${name}`; };
const folder = (w, name, files = {}) => { const dir = `${w.tmp}/${name}`; mkdirSync(dir, { recursive: true }); for (const [inner, text] of Object.entries(files)) writeFileSync(`${dir}/${inner}`, text); return dir; };
const on = (program, rest) => ({ ...rest, needs: [program] });
const free = { unscored: ['ambiguous'] };
const tcp = async (w, act) => w.listen(w.track(net.createServer((socket) => { socket.on('error', () => {}); act(socket); })));
/** How tools often report a program: an Error of their own with what it printed. */
const told = (program, args, more) => new Promise((resolve, reject) => { const child = spawn(program, args, { env: { ...process.env, LC_ALL: 'C' }, ...more }); let words = ''; child.stderr.on('data', (d) => { words += d; }); child.on('error', reject); child.on('close', (code) => (code === 0 ? resolve() : reject(Object.assign(new Error(`${program} exited with code ${code}: ${words.trim()}`), { exitCode: code, stderr: words })))); });
const bare = (program, args) => new Promise((resolve, reject) => { const child = spawn(program, args, { env: { ...process.env, LC_ALL: 'C' } }); let words = ''; child.stderr.on('data', (d) => { words += d; }); child.on('error', reject); child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(words.trim())))); });

export const cases = [
  // an Error of the tool around a program
  c('told-curl-refused', 'curl as a tool tells it: nobody listens', (w) => told('curl', ['-sS', '-d', 'x', w.refused]), T('network', false, free)),
  c('told-curl-404', 'curl -f as a tool tells it: HTTP 404', (w) => told('curl', ['-sSf', '-d', 'x', w.canned({ status: 404 })]), P('not_found', free)),
  c('told-git', 'git as a tool tells it: no such repository', (w) => told('git', ['clone', `${w.tmp}/none.git`, `${w.tmp}/told`]), on('git', P('not_found', free))),
  c('told-script', 'a script as a tool tells it', () => told('sh', ['-c', 'echo "cannot open ledger: No such file or directory" >&2; exit 1']), PA('not_found')),
  c('bare-curl-refused', 'only the words of curl: nobody listens', (w) => bare('curl', ['-sS', '-d', 'x', w.refused]), T('network', false, free)),
  c('bare-curl-timeout', 'only the words of curl: no answer in time', (w) => bare('curl', ['-sS', '-m', '0.4', '-d', 'x', w.fault('silent')]), T('timeout', true)),
  c('bare-psql', 'only the words of psql: nobody listens', (w) => bare('psql', ['-h', '127.0.0.1', '-p', String(w.refusedPort), '-c', 'insert']), on('psql', T('network', false, free))),
  c('bare-python', 'only the words of python: nobody listens', (w) => bare('python3', ['-c', `import urllib.request as u; u.urlopen('${w.refused}', data=b'x')`]), on('python3', T('network', true))),
  c('pipe', 'a pipe whose first program fails', (w) => shell(`set -o pipefail; curl -sS -d x ${w.refused} | tee ${w.tmp}/out`, { shell: '/bin/bash' }), T('network', true)),
  c('and', 'two steps: the second fails', (w) => shell(`touch ${w.tmp}/done && cat ${w.tmp}/none`), PA('not_found')),
  c('xargs', 'xargs: a program fails', (w) => shell(`echo a b | xargs -n1 cat`), PA('not_found')),
  c('time-out-shell', 'timeout around curl', (w) => run('timeout', ['0.4', 'curl', '-sS', '-d', 'x', w.fault('silent')]), T('timeout', true)),
  c('env-missing', 'env: no such program', () => run('env', ['no_such_program_x']), P('not_found', free)),
  c('nice-curl', 'nice around curl: nobody listens', (w) => run('nice', ['curl', '-sS', '-d', 'x', w.refused]), T('network', false)),
  // documents and data
  c('rst-missing', 'rst2html: no such file', (w) => run('rst2html.py', [`${w.tmp}/none.rst`]), on('rst2html.py', PA('not_found', free))),
  c('pygmentize-lexer', 'pygmentize: an unknown lexer', () => run('pygmentize', ['-l', 'nope', '/etc/hostname']), on('pygmentize', PA('not_found', { also: ['invalid_input', 'unsupported'], ...free }))),
  c('jsonschema', 'jsonschema: it does not match', (w) => run('jsonschema', ['-i', file(w, 'i.json', '"x"'), file(w, 's.json', '{"type":"number"}')]), on('jsonschema', PA('invalid_input', free))),
  c('uconv', 'uconv: an unknown encoding', () => run('uconv', ['-f', 'nope', '/etc/hostname']), on('uconv', PA('unsupported', { also: ['invalid_input'], ...free }))),
  c('yq-syntax', 'yq: a filter with a syntax error', (w) => run('yq', ['.a[', file(w, 'y.yaml', 'a: 1\n')]), on('yq', P('invalid_input'))),
  c('yq-input', 'yq: not YAML', (w) => run('yq', ['.', file(w, 'y2.yaml', 'a: [\n')]), on('yq', P('invalid_input', { also: ['contract'] }))),
  c('jq-null', 'jq: iterating over null', () => run('jq', ['-n', 'null | .[]']), on('jq', PA('invalid_input', { also: ['bug'], ...free }))),
  c('json-pp', 'json_pp: not JSON', (w) => shell(`json_pp < ${file(w, 'jp.json', '{oops')}`), on('json_pp', PA('invalid_input', { also: ['contract'], ...free }))),
  c('msgfmt', 'msgfmt: a syntax error', (w) => run('msgfmt', [file(w, 'a.po', 'msgid "a\n'), '-o', '/dev/null']), on('msgfmt', PA('invalid_input', free))),
  c('bc-divide', 'awk: division by zero', () => run('awk', ['BEGIN { print 1/0 }']), P('invalid_input', { also: ['bug'], ...free })),
  c('split-missing', 'split: no such file', (w) => run('split', [`${w.tmp}/none`]), P('not_found', free)),
  c('numfmt', 'numfmt: not a number', () => run('numfmt', ['--from=si', 'abc']), P('invalid_input', free)),
  c('seq', 'seq: not a number', () => run('seq', ['a']), P('invalid_input', free)),
  // keys and certificates
  c('ssh-key', 'ssh-keygen: no such key', (w) => run('ssh-keygen', ['-l', '-f', `${w.tmp}/none`]), on('ssh-keygen', P('not_found'))),
  c('ssh-add', 'ssh-add: no agent', () => run('ssh-add', ['-l'], { env: { SSH_AUTH_SOCK: '/none' } }), on('ssh-add', P('not_found', { also: ['network', 'unavailable', 'auth'], unscored: ['classification'] }))),
  c('openssl-pkey', 'openssl pkey: not a key', (w) => run('openssl', ['pkey', '-in', file(w, 'no.pem', 'nonsense')]), on('openssl', P('invalid_input', { also: ['not_found', 'unsupported'] }))),
  c('openssl-command', 'openssl: an unknown command', () => run('openssl', ['nonsense']), on('openssl', P('invalid_input', { also: ['unsupported', 'not_found'] }))),
  c('gpg-decrypt', 'gpg: not encrypted data', (w) => run('gpg', ['--batch', '--homedir', folder(w, 'gpg3'), '-d', file(w, 'no.gpg', 'nonsense')]), on('gpg', P('invalid_input', { also: ['contract'] }))),
  c('keytool-alias', 'keytool: no such keystore', (w) => run('keytool', ['-list', '-keystore', `${w.tmp}/none.ks`, '-storepass', 'secret']), on('keytool', P('not_found'))),
  c('jarsigner', 'jarsigner: no such archive', (w) => run('jarsigner', ['-verify', `${w.tmp}/none.jar`]), on('jarsigner', P('not_found', free))),
  // packages
  c('dpkg-deb', 'dpkg-deb: not an archive', (w) => run('dpkg-deb', ['-x', file(w, 'no.deb', 'nonsense'), `${w.tmp}/dd`]), on('dpkg-deb', P('invalid_input', { also: ['contract'] }))),
  c('apt-cache', 'apt-cache: no such package', () => run('apt-cache', ['show', 'no-such-package-x']), on('apt-cache', P('not_found', free))),
  c('apt-operation', 'apt-get: an unknown operation', () => run('apt-get', ['frobnicate']), on('apt-get', P('invalid_input', { also: ['unsupported'] }))),
  c('npm-json', 'npm: an unknown command', () => run('npm', ['frobnicate']), on('npm', P('invalid_input', { also: ['unsupported', 'not_found'] }))),
  c('npm-dns', 'npm: an unknown name', (w) => run('npm', ['view', 'x', '--registry', `http://${w.names.nxdomain}/`, '--fetch-retries', '0', '--cache', `${w.tmp}/npm4`]), { ...T('network', false, { unscored: ['classification'] }), needs: ['npm', 'netns'] }),
  c('npm-reset', 'npm: reset', (w) => run('npm', ['view', 'x', '--registry', w.fault('reset-request'), '--fetch-retries', '0', '--cache', `${w.tmp}/npm4`]), on('npm', T('network', true))),
  c('npx-missing', 'npx: not in the registry', (w) => run('npx', ['--yes', '--registry', w.canned({ status: 404, body: {} }), 'no-such-package-x'], { env: { npm_config_fetch_retries: '0', npm_config_cache: `${w.tmp}/npm4` } }), on('npx', P('not_found', free))),
  c('pip-python', 'pip: a version that does not exist', (w) => run('pip', ['install', '--disable-pip-version-check', '--retries', '0', '--no-index', 'no-such-package-x==99']), on('pip', P('not_found', { also: ['invalid_input'] }))),
  c('pip-option', 'pip: an unknown option', () => run('pip', ['install', '--nonsense', 'x']), on('pip', P('invalid_input', { also: ['unsupported'] }))),
  c('pip-503', 'pip: HTTP 503', (w) => run('pip', ['download', '--disable-pip-version-check', '--retries', '0', '--no-deps', '-d', w.tmp, `${w.canned({ status: 503 })}/a-1.0.tar.gz`]), on('pip', T('unavailable', false, free))),
  c('cargo-install', 'cargo: no such path', (w) => run('cargo', ['install', '--offline', '--path', `${w.tmp}/none`, '--root', `${w.tmp}/ci`]), on('cargo', P('not_found', { also: ['invalid_input'] }))),
  c('rustup', 'rustup: an unknown toolchain', () => run('rustup', ['run', 'no-such-toolchain-x', 'rustc']), on('rustup', PA('not_found', { also: ['invalid_input'], ...free }))),
  c('cpan', 'perl -c: a syntax error', (w) => run('perl', ['-c', file(w, 'c.pl', 'my $x = ;')]), on('perl', PA('invalid_input', { also: ['bug'], ...free }))),
  c('node-check', 'node --check: a syntax error', (w) => run(process.execPath, ['--check', file(w, 'nc.js', 'a b')]), PA('invalid_input', { also: ['bug'], ...free })),
  c('tclsh-missing', 'tclsh: no such file', (w) => run('tclsh', [`${w.tmp}/none.tcl`]), on('tclsh', PA('not_found', free))),
  c('python-missing', 'python: no such file', (w) => run('python3', [`${w.tmp}/none.py`]), on('python3', PA('not_found', free))),
  c('java-missing', 'java -jar: no such archive', (w) => run('java', ['-jar', `${w.tmp}/none.jar`]), on('java', PA('not_found', free))),
  // the kernel and the system
  c('mkfs-missing', 'mkfs: no such device', (w) => run('mkfs.ext4', ['-q', `${w.tmp}/none`]), { ...P('not_found', free), needs: ['mkfs.ext4'] }),
  c('mount-type', 'mount: an unknown file system', (w) => run('mount', ['-t', 'nope', 'none', folder(w, 'mt')]), { ...P('unsupported', { also: ['not_found', 'invalid_input'] }), needs: ['mount', 'root'] }),
  c('losetup', 'losetup: no such file', (w) => run('losetup', ['/dev/loop9', `${w.tmp}/none`]), { ...P('not_found', free), needs: ['losetup', 'root'] }),
  c('taskset', 'taskset: not a mask', () => run('taskset', ['zz', 'true']), on('taskset', PA('invalid_input', free))),
  c('renice', 'renice: no such process', () => run('renice', ['5', '-p', '999999']), on('renice', P('not_found', free))),
  c('pgrep-option', 'pgrep: an unknown option', () => run('pgrep', ['--nonsense']), on('pgrep', P('invalid_input', { also: ['unsupported'], ...free }))),
  c('ip-command', 'ip: an unknown object', () => run('ip', ['nonsense']), on('ip', P('invalid_input', { also: ['unsupported', 'not_found'] }))),
  c('ip-namespace', 'ip netns: no such namespace', () => run('ip', ['netns', 'exec', 'nope', 'true']), { ...P('not_found', free), needs: ['ip', 'root'] }),
  c('chown-group', 'chown: an invalid group', (w) => run('chown', [':no_such_group_x', w.tmp]), P('not_found', { also: ['invalid_input'] })),
  c('useradd-name', 'useradd: an invalid name', () => run('useradd', ['0:x']), { ...P('invalid_input'), needs: ['useradd', 'root'] }),
  c('useradd-group', 'useradd: no such group', () => run('useradd', ['-g', 'no_such_group_x', 'u_x']), { ...P('not_found'), needs: ['useradd', 'root'] }),
  c('systemctl-unit', 'systemctl: no systemd, status', () => run('systemctl', ['status', 'x']), on('systemctl', P('unsupported', { unscored: ['classification', 'category', 'ambiguous'] }))),
  c('journalctl', 'journalctl: no such file', () => run('journalctl', ['--file', '/none.journal']), on('journalctl', P('not_found', free))),
  c('busctl', 'busctl: no bus', () => run('busctl', ['list']), on('busctl', T('network', false, { also: ['not_found', 'unavailable'], unscored: ['classification', 'ambiguous'] }))),
  c('strace', 'strace: no such program', () => run('strace', ['no_such_program_x']), on('strace', PA('not_found', free))),
  c('valgrind', 'valgrind: no such program', () => run('valgrind', ['no_such_program_x']), on('valgrind', PA('not_found', free))),
  c('nm-format', 'nm: not its format', (w) => run('nm', [file(w, 'nmx', 'nonsense')]), on('nm', P('invalid_input', { also: ['unsupported', 'contract'], ...free }))),
  c('readelf-missing', 'readelf: no such file', (w) => run('readelf', ['-h', `${w.tmp}/none`]), on('readelf', P('not_found', free))),
  c('ld-missing', 'ld: no such object', (w) => run('ld', [`${w.tmp}/none.o`]), on('ld', P('not_found'))),
  c('ninja-target', 'ninja: no such target', (w) => run('ninja', ['nope'], { cwd: folder(w, 'nj3', { 'build.ninja': 'rule a\n  command = true\n' }) }), on('ninja', P('not_found', free))),
  // network
  c('curl-smtp', 'curl: an SMTP server refuses the recipient', async (w) => run('curl', ['-sS', '--mail-from', 'a@x', '--mail-rcpt', 'b@x', '-T', file(w, 'mail', 'hi'), `smtp://127.0.0.1:${await tcp(w, (s) => { s.write('220 x\r\n'); s.on('data', (d) => s.write(/^RCPT/.test(d) ? '550 No such user\r\n' : '250 ok\r\n')); })}`]), on('curl', P('not_found', { also: ['invalid_input', 'permission', 'network', 'unknown'], unscored: ['category', 'classification', 'ambiguous'] }))),
  c('curl-409', 'curl -f: HTTP 409', (w) => run('curl', ['-sS', '-f', '-d', 'x', w.canned({ status: 409 })]), on('curl', P('conflict', { unscored: ['classification'] }))),
  c('curl-413', 'curl -f: HTTP 413', (w) => run('curl', ['-sS', '-f', '-d', 'x', w.canned({ status: 413 })]), on('curl', P('payload_too_large'))),
  c('curl-504', 'curl -f: HTTP 504', (w) => run('curl', ['-sS', '-f', '-d', 'x', w.canned({ status: 504 })]), on('curl', T('timeout', true, { also: ['unavailable'] }))),
  c('curl-headers-cut', 'curl: reset in the headers', (w) => run('curl', ['-sS', '-d', 'x', w.fault('reset-mid-headers')]), on('curl', T('network', true))),
  c('curl-socks', 'curl: no SOCKS proxy', (w) => run('curl', ['-sS', '-x', `socks5://127.0.0.1:${w.refusedPort}`, '-d', 'x', 'http://127.0.0.1:29872/']), on('curl', T('network', false))),
  c('ftp-refused', 'curl: FTP, nobody listens', (w) => run('curl', ['-sS', `ftp://127.0.0.1:${w.refusedPort}/x`]), on('curl', T('network', false))),
  c('scp-refused', 'scp: nobody listens', (w) => run('scp', ['-o', 'BatchMode=yes', '-P', String(w.refusedPort), file(w, 'scpf', 'x'), '127.0.0.1:/tmp/x']), on('scp', T('network', false))),
  c('rsync-ssh', 'rsync over ssh: nobody listens', (w) => run('rsync', ['-e', `ssh -o BatchMode=yes -p ${w.refusedPort}`, file(w, 'rsf', 'x'), '127.0.0.1:/tmp/x']), on('rsync', T('network', false))),
  c('rsync-auth', 'rsync: an unknown module', async (w) => run('rsync', [file(w, 'rsm', 'x'), `rsync://127.0.0.1:${await tcp(w, (s) => { s.write('@RSYNCD: 31.0 sha512 md5\n'); let n = 0; s.on('data', () => { n += 1; if (n === 1) s.end("@ERROR: Unknown module 'm'\n"); }); })}/m/`]), on('rsync', P('not_found', free))),
  c('ssh-garbage', 'ssh: the other side is no ssh server', async (w) => run('ssh', ['-o', 'BatchMode=yes', '-p', String(await tcp(w, (s) => s.end('HTTP/1.1 400 Bad Request\r\n\r\n'))), '127.0.0.1', 'pay']), on('ssh', T('network', false, { also: ['contract', 'invalid_input'], unscored: ['classification', 'category'] }))),
  c('socat-name', 'socat: an unknown name', (w) => run('socat', ['-u', '/dev/null', `TCP:${w.names.nxdomain}:1`]), { ...T('network', false, { unscored: ['classification'] }), needs: ['socat', 'netns'] }),
  c('http-server-port', 'python -m http.server: the port is in use', (w) => run('python3', ['-m', 'http.server', String(w.httpPort), '--bind', '127.0.0.1']), on('python3', { label: label('transient', 'conflict', true, { also: ['resource'], unscored: ['classification', 'ambiguous'] }) })),
  c('initdb-exists', 'initdb: the folder is not empty', (w) => shell(`su postgres -c "$(ls /usr/lib/postgresql/*/bin/initdb | tail -1) -D /usr"`), { label: label('permanent', 'conflict', true, { ...free }), needs: ['initdb', 'root'] }),
  c('pg-ctl', 'pg_ctl: no server is running', (w) => shell(`su postgres -c "$(ls /usr/lib/postgresql/*/bin/pg_ctl | tail -1) -D /none status"`), { label: label('permanent', 'not_found', true, { also: ['network', 'unavailable'], unscored: ['classification', 'ambiguous'] }), needs: ['initdb', 'root'] }),
  c('mariadb-check', 'mariadb-check: a wrong password', async (w) => { const at = await w.mariadb(); return run('mariadb-check', ['--no-defaults', '-h', at.host, '-P', String(at.port), `-u${at.user}`, '-pwrong', 'shop']); }, { ...P('auth'), needs: ['mariadbd'] }),
  c('mysqlimport', 'mysqlimport: no such table', async (w) => { const at = await w.mariadb(); return run('mysqlimport', ['--no-defaults', '--local', '-h', at.host, '-P', String(at.port), `-u${at.user}`, `-p${at.password}`, 'shop', `${folder(w, 'import', { 'nope.txt': '1\n' })}/nope.txt`]); }, { ...P('not_found'), needs: ['mariadbd'] }),
  c('sqlite-full', 'sqlite3: a check constraint', () => run('sqlite3', [':memory:', 'create table t(a check(a>0)); insert into t values(0)']), on('sqlite3', PA('invalid_input', { also: ['conflict'] }))),
  c('sqlite-cantopen', 'sqlite3: no such folder', () => run('sqlite3', ['/none/none.db', 'select 1']), on('sqlite3', P('not_found'))),
  c('createdb-password', 'createdb: a wrong password', async (w) => { const at = await w.postgres(); return run('createdb', ['-h', at.host, '-p', String(at.port), '-U', at.user, 'x'], { env: { PGPASSWORD: 'wrong' } }); }, { ...P('auth'), needs: ['postgres'] }),
  c('psql-reset', 'psql: reset at the startup', (w) => run('psql', ['-h', '127.0.0.1', '-p', String(w.port('reset-request')), '-c', 'insert']), on('psql', T('network', false, free))),
  c('docker-many', 'docker: the registry limits pulls', async (w) => run('docker', ['-H', (await w.ownServer({ status: 429, headers: { 'content-type': 'application/json' }, body: { message: 'toomanyrequests: You have reached your pull rate limit.' } })).replace('http:', 'tcp:'), 'rmi', 'x'], { env: { DOCKER_API_VERSION: '1.41' } }), on('docker', T('rate_limit', false))),
  c('kubectl-timeout', 'kubectl: 504 Timeout', async (w) => run('kubectl', ['--server', await w.ownServer({ status: 504, headers: { 'content-type': 'application/json' }, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'Timeout: request did not complete within the allotted timeout', reason: 'Timeout', code: 504 } }), 'get', '--raw', '/api/v1/x']), on('kubectl', T('timeout', true))),
  c('kubectl-invalid', 'kubectl: Invalid', async (w) => run('kubectl', ['--server', await w.ownServer({ status: 422, headers: { 'content-type': 'application/json' }, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'Pod "x" is invalid: spec.containers: Required value', reason: 'Invalid', code: 422 } }), 'create', '--raw', '/api/v1/namespaces/x/pods', '-f', file(w, 'pod3.json', '{}')]), on('kubectl', P('invalid_input'))),
  c('aws-validation', 'aws dynamodb: ValidationException', async (w) => run('aws', ['--endpoint-url', await w.ownServer({ status: 400, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: '{"__type":"com.amazon.coral.validate#ValidationException","message":"One or more parameter values were invalid"}' }), 'dynamodb', 'describe-table', '--table-name', 't'], { env: aws }), on('aws', P('invalid_input'))),
  c('aws-internal', 'aws dynamodb: InternalServerError', async (w) => run('aws', ['--endpoint-url', await w.ownServer({ status: 500, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: '{"__type":"x#InternalServerError","message":"The request could not be processed"}' }), 'dynamodb', 'describe-table', '--table-name', 't'], { env: aws }), on('aws', T('unavailable', true))),
  c('aws-limit', 'aws: LimitExceededException', async (w) => run('aws', ['--endpoint-url', await w.ownServer({ status: 400, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: '{"__type":"x#LimitExceededException","message":"Subscriber limit exceeded"}' }), 'dynamodb', 'describe-table', '--table-name', 't'], { env: aws }), on('aws', T('rate_limit', false, { also: ['quota_exhausted', 'resource'], unscored: ['classification'] }))),
];
const aws = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_DEFAULT_REGION: 'eu-central-1', AWS_MAX_ATTEMPTS: '1', AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/none', AWS_SHARED_CREDENTIALS_FILE: '/none' };
