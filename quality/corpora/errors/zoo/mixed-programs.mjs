// Programs of every kind: services of AWS, urllib and requests, databases, git, archives, builds.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';
export const packages = ['node'];
/** Starts many programs: not part of a usual run. */
export const slow = true;
const P = (category, ambiguous, more) => ({ label: label('permanent', category, ambiguous, more) });
const T = (category, ambiguous, more) => ({ label: label('transient', category, ambiguous, more) });
const free = { unscored: ['ambiguous'] };
const run = (program, args, more = {}) => promisify(execFile)(program, args, { timeout: 20_000, ...more, env: { ...process.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', ...more.env } });
const file = (w, name, text) => { fs.writeFileSync(`${w.tmp}/${name}`, text); return `${w.tmp}/${name}`; };
const folder = (w, name, files = {}) => { const dir = `${w.tmp}/${name}`; fs.mkdirSync(dir, { recursive: true }); for (const [k, v] of Object.entries(files)) fs.writeFileSync(`${dir}/${k}`, v); return dir; };
const aws = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_DEFAULT_REGION: 'eu-central-1', AWS_MAX_ATTEMPTS: '1', AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/none', AWS_SHARED_CREDENTIALS_FILE: '/none' };
const awsJson = (id, service, args, status, type, message, wanted) => c(`aws-${id}`, `aws ${service}: ${type}`, async (w) => run('aws', ['--endpoint-url', await w.ownServer({ status, headers: { 'content-type': 'application/x-amz-json-1.1' }, body: JSON.stringify({ __type: type, message }) }), service, ...args], { env: aws }), wanted);
const py = (id, how, text, wanted) => c(`py-${id}`, how, (w) => run('python3', ['-c', typeof text === 'function' ? text(w) : text]), wanted);
const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' };
const repo = async (w, name) => { const dir = folder(w, name); await run('sh', ['-ec', 'git init -q; echo 1 > a; git add a; git commit -qm 1'], { cwd: dir, env: who }); return dir; };
const git = (id, args, wanted, prepare = ':') => c(`git-${id}`, `git ${args.join(' ')}`, async (w) => { const dir = await repo(w, `d4-${id}`); await run('sh', ['-ec', prepare], { cwd: dir, env: who }); return run('git', args, { cwd: dir, env: who }); }, wanted);
const psql = (id, how, text, wanted) => c(`psql-${id}`, how, async (w) => { const at = await w.postgres(); return run('psql', ['-h', at.host, '-p', String(at.port), '-U', at.user, '-d', at.database, '-v', 'ON_ERROR_STOP=1', '-c', text], { env: { PGPASSWORD: at.password } }); }, wanted);
const my = (id, how, text, wanted) => c(`mysql-${id}`, how, async (w) => { const at = await w.mariadb(); return run('mariadb', ['--no-defaults', '-h', at.host, '-P', String(at.port), `-u${at.user}`, `-p${at.password}`, at.database, '-e', text]); }, wanted);
export const cases = [
  awsJson('kms', 'kms', ['decrypt', '--ciphertext-blob', 'YQ=='], 400, 'InvalidCiphertextException', '', P('invalid_input', false, { also: ['auth'] })),
  awsJson('ssm', 'ssm', ['get-parameter', '--name', 'x'], 400, 'ParameterNotFound', '', P('not_found', false)),
  awsJson('ssm-throttle', 'ssm', ['get-parameter', '--name', 'x'], 400, 'ThrottlingException', 'Rate exceeded', T('rate_limit', false)),
  awsJson('secrets', 'secretsmanager', ['get-secret-value', '--secret-id', 'x'], 400, 'AccessDeniedException', 'User is not authorized to perform: secretsmanager:GetSecretValue', P('permission', false)),
  awsJson('kinesis', 'kinesis', ['put-record', '--stream-name', 's', '--partition-key', 'p', '--data', 'YQ=='], 400, 'ProvisionedThroughputExceededException', 'Rate exceeded for shard', T('rate_limit', false)),
  awsJson('ecs', 'ecs', ['list-clusters'], 500, 'ServerException', 'Service is unable to process', T('unavailable', true)),
  awsJson('conflict', 'dynamodb', ['create-table', '--table-name', 't', '--attribute-definitions', 'AttributeName=a,AttributeType=S', '--key-schema', 'AttributeName=a,KeyType=HASH', '--billing-mode', 'PAY_PER_REQUEST'], 400, 'ResourceInUseException', 'Table already exists: t', P('conflict', false)),
  py('http-error', 'urllib: HTTP 500', (w) => `import urllib.request as u\nu.urlopen('${w.canned({ status: 500 })}', data=b'x')`, T('unavailable', true, { unscored: ['classification'] })),
  py('http-409', 'requests: HTTP 409', (w) => `import requests\nrequests.post('${w.canned({ status: 409 })}').raise_for_status()`, P('conflict', true, { unscored: ['classification'] })),
  py('http-413', 'requests: HTTP 413', (w) => `import requests\nrequests.post('${w.canned({ status: 413 })}').raise_for_status()`, P('payload_too_large', true)),
  py('http-504', 'requests: HTTP 504', (w) => `import requests\nrequests.post('${w.canned({ status: 504 })}').raise_for_status()`, T('timeout', true, { also: ['unavailable'] })),
  py('imap', 'imaplib: nobody listens', (w) => `import imaplib\nimaplib.IMAP4('127.0.0.1', ${w.refusedPort})`, T('network', true)),
  py('chunk', 'requests: a chunk that is none', (w) => `import requests\nrequests.post('${w.fault('bad-chunk')}')`, P('contract', true, { also: ['network'], unscored: ['classification'] })),
  py('pickle', 'pickle: not its format', `import pickle\npickle.loads(b'nonsense')`, P('invalid_input', true, { also: ['contract', 'bug'], unscored: ['classification', 'category'] })),
  py('stop', 'StopIteration', `next(iter([]))`, P('bug', true, { unscored: ['classification', 'category'] })),
  py('dict', 'a dict that changes while it is read', `d={1:2}\nfor k in d: d[k+1]=1`, P('bug', true, { unscored: ['classification', 'category'] })),
  py('notdir', 'NotADirectoryError', `open('/etc/passwd/x')`, P('not_found', true, { also: ['invalid_input'] })),
  py('exists', 'FileExistsError', `import os\nos.mkdir('/tmp')`, P('conflict', true)),
  py('pipe', 'BrokenPipeError', `import socket\na,b=socket.socketpair()\nb.close()\na.send(b'x')`, T('network', true)),
  py('import', 'ImportError of a name', `from json import nope`, P('not_found', true, { also: ['bug'], ...free })),
  py('raise', 'a RuntimeError of its own', `raise RuntimeError('Seat 12A is taken')`, T('unknown', true, { unscored: ['classification', 'category'] })),
  py('ssl-version', 'ssl: a host name that does not match', async () => '', P('network', true, { unscored: ['category'] })),
  psql('fk', 'psql: a foreign key', 'insert into lines values (1, 99)', P('conflict', false)),
  psql('null', 'psql: a null', "insert into items values (77, null)", P('invalid_input', false)),
  psql('check', 'psql: a check constraint', "insert into items values (78, 'a', -1)", P('invalid_input', false, { also: ['conflict'] })),
  psql('column', 'psql: no such column', 'select nope from items', P('not_found', false, { also: ['invalid_input'] })),
  psql('function', 'psql: no such function', 'select nope()', P('not_found', false, { also: ['invalid_input'] })),
  psql('long', 'psql: a value that is too long', "insert into items values (79, 'a', 1, 'too long')", P('invalid_input', false, { also: ['payload_too_large'] })),
  psql('exists', 'psql: the table exists', 'create table items (a int)', P('conflict', false)),
  my('null', 'mariadb: a null', 'insert into items values (50, null, 1)', P('invalid_input', false, { also: ['conflict'] })),
  my('fk', 'mariadb: a foreign key', 'insert into orderlines values (1, 99)', P('conflict', false)),
  my('column', 'mariadb: no such column', 'select nope from items', P('not_found', false, { also: ['invalid_input'] })),
  my('range', 'mariadb: out of range', "insert into items values (51, 'x', -1)", P('invalid_input', false)),
  my('timeout', 'mariadb: the time limit of a statement', 'set statement max_statement_time=0.1 for select sleep(3)', T('timeout', false, { ...free })),
  my('exists', 'mariadb: the table exists', 'create table items (a int)', P('conflict', false)),
  git('show', ['show', 'HEAD:nope'], P('not_found', false)),
  git('fetch', ['fetch', '/none'], P('not_found', false)),
  git('branch-d', ['branch', '-d', 'nope'], P('not_found', false)),
  git('revert', ['revert', 'nope'], P('not_found', false, { also: ['invalid_input'] })),
  git('submodule', ['submodule', 'update', '--init', 'nope'], P('not_found', false, { also: ['invalid_input'] })),
  git('mv', ['mv', 'nope', 'b'], P('not_found', false, { also: ['invalid_input'] })),
  git('not-merged', ['branch', '-d', 'o'], P('conflict', false), 'git checkout -qb o; echo 2 > a; git commit -qam 2; git checkout -q -'),
  git('option', ['log', '--nonsense'], P('invalid_input', false, { also: ['unsupported'] })),
  git('rebase-none', ['rebase', '--continue'], P('invalid_input', false, { also: ['conflict', 'not_found'] })),
  git('locked', ['commit', '-qam', 'x'], T('conflict', false), 'echo 2 > a; touch .git/index.lock'),
  c('curl-http2', 'curl: HTTP/0.9', (w) => run('curl', ['-sS', '-d', 'x', w.fault('garbage')]), P('contract', true, { also: ['unsupported', 'network'], unscored: ['classification'] })),
  c('curl-body', 'curl -d: no such file', (w) => run('curl', ['-sS', '--data-binary', `@${w.tmp}/none`, '-f', w.canned({ status: 400 })]), P('invalid_input', false, { also: ['not_found'] })),
  c('curl-402', 'curl -f: HTTP 402', (w) => run('curl', ['-sSf', '-d', 'x', w.canned({ status: 402 })]), P('quota_exhausted', false)),
  c('curl-retry', 'curl --retry: 503 to the end', (w) => run('curl', ['-sSf', '--retry', '1', '--retry-delay', '0', '-d', 'x', w.canned({ status: 503 })]), T('unavailable', false, free)),
  c('wget-retry', 'wget: refused, several tries, without a word', (w) => run('wget', ['-q', '-t', '2', '--retry-connrefused', '--waitretry=0', '-O', '/dev/null', w.refused]), T('network', false, free)),
  c('ssh-config', 'ssh: a bad option', () => run('ssh', ['-o', 'Nonsense=1', '127.0.0.1', 'pay']), P('invalid_input', false)),
  c('scp-many', 'scp: several sources, no folder', (w) => run('scp', [file(w, 's1', 'x'), file(w, 's2', 'x'), file(w, 's3', 'x')]), P('invalid_input', false, { also: ['not_found', 'conflict'], ...free })),
  c('tar-empty', 'tar: nothing to put into an archive', (w) => run('tar', ['cf', `${w.tmp}/e.tar`]), P('invalid_input', false)),
  c('tar-missing', 'tar: no such file to put into an archive', (w) => run('tar', ['cf', `${w.tmp}/e2.tar`, `${w.tmp}/none-x`]), P('not_found', false, free)),
  c('unzip-member', 'unzip: no such member', async (w) => { await run('zip', ['-q', `${w.tmp}/z.zip`, file(w, 'zz', 'x')]); return run('unzip', ['-o', `${w.tmp}/z.zip`, 'nope', '-d', w.tmp]); }, P('not_found', false)),
  c('jq-type', 'jq: a function on a wrong type', () => run('jq', ['-n', '1+"a"']), P('invalid_input', false, { also: ['bug'] })),
  c('gcc-warning', 'gcc -Werror', (w) => run('gcc', ['-Wall', '-Werror', '-c', file(w, 'w.c', 'int f(void) { int x; return 0; }'), '-o', `${w.tmp}/w.o`]), P('invalid_input', false)),
  c('make-missing', 'make: no makefile', (w) => run('make', [], { cwd: folder(w, 'mk4') }), P('not_found', true, { also: ['invalid_input'], ...free })),
  c('npm-outside', 'npm ls: a package that is missing', (w) => run('npm', ['ls', 'nope'], { cwd: folder(w, 'nl', { 'package.json': '{"dependencies":{"nope":"1"}}' }) }), P('not_found', false, { also: ['invalid_input'] })),
  c('npm-timeout', 'npm: no answer in time', (w) => run('npm', ['view', 'x', '--registry', w.fault('silent'), '--fetch-retries', '0', '--fetch-timeout', '500', '--cache', `${w.tmp}/npm5`]), T('timeout', true, { also: ['network'] })),
  c('npm-500', 'npm: HTTP 500', (w) => run('npm', ['view', 'x', '--registry', w.canned({ status: 500, body: {} }), '--fetch-retries', '0', '--cache', `${w.tmp}/npm5`]), T('unavailable', true, { unscored: ['classification'] })),
  c('npm-json-body', 'npm: not JSON', (w) => run('npm', ['view', 'x', '--registry', w.canned({ body: '<html>', headers: { 'content-type': 'text/html' } }), '--fetch-retries', '0', '--cache', `${w.tmp}/npm5`]), P('contract', true, free)),
  c('docker-auth', 'docker: 401 of the daemon', async (w) => run('docker', ['-H', (await w.ownServer({ status: 401, headers: { 'content-type': 'application/json' }, body: { message: 'unauthorized: incorrect username or password' } })).replace('http:', 'tcp:'), 'rm', 'x'], { env: { DOCKER_API_VERSION: '1.41' } }), P('auth', false)),
  c('docker-network', 'docker: no such network', async (w) => run('docker', ['-H', (await w.ownServer({ status: 404, headers: { 'content-type': 'application/json' }, body: { message: 'network nope not found' } })).replace('http:', 'tcp:'), 'network', 'rm', 'nope'], { env: { DOCKER_API_VERSION: '1.41' } }), P('not_found', false)),
  c('kubectl-webhook', 'kubectl: a webhook denied the request', async (w) => run('kubectl', ['--server', await w.ownServer({ status: 403, headers: { 'content-type': 'application/json' }, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'admission webhook "x" denied the request: no', reason: 'Forbidden', code: 403 } }), 'create', '--raw', '/api/v1/x', '-f', file(w, 'p4.json', '{}')]), P('permission', false)),
  c('kubectl-internal', 'kubectl: InternalError', async (w) => run('kubectl', ['--server', await w.ownServer({ status: 500, headers: { 'content-type': 'application/json' }, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'Internal error occurred: etcd', reason: 'InternalError', code: 500 } }), 'get', '--raw', '/api/v1/x']), T('unavailable', true, { unscored: ['classification'] })),
  c('openssl-cert', 'openssl x509: not a certificate', (w) => run('openssl', ['x509', '-in', file(w, 'nc.pem', 'nonsense')]), P('invalid_input', false, { also: ['not_found', 'network'], unscored: ['category'] })),
  c('sqlite-arg', 'sqlite3: no such option', () => run('sqlite3', ['-nonsense', ':memory:']), P('invalid_input', false, { also: ['unsupported'] })),
  c('chmod-user', 'chown: a user and a group that are none', (w) => run('chown', ['nope_x:nope_y', w.tmp]), P('not_found', false, { also: ['invalid_input'] })),
  c('ln-missing', 'ln: no such source', (w) => run('ln', [`${w.tmp}/none-x`, `${w.tmp}/lnx`]), P('not_found', false)),
  c('cp-same', 'cp: onto itself', (w) => run('cp', [file(w, 'cps', 'x'), `${w.tmp}/cps`]), P('invalid_input', false, { also: ['conflict'] })),
  c('mkdir-file', 'mkdir: below a file', (w) => run('mkdir', [`${file(w, 'mf', 'x')}/y`]), P('not_found', false, { also: ['invalid_input', 'conflict'] })),
  c('grep-folder', 'grep: no such file', (w) => run('grep', ['x', `${w.tmp}/none-x`]), P('not_found', false)),
  c('gzip-exists', 'gzip: the output exists', (w) => { file(w, 'gz1.gz', 'x'); return run('gzip', [file(w, 'gz1', 'x')], { timeout: 3000 }); }, P('conflict', false)),
  c('zstd-missing', 'zstd: no such file', (w) => run('zstd', [`${w.tmp}/none-x`]), P('not_found', false)),
  c('gpg-file', 'gpg: no such file', (w) => run('gpg', ['--batch', '--homedir', folder(w, 'gpg5'), '-d', `${w.tmp}/none-x`]), P('not_found', false)),
  c('terraform-file', 'terraform show: no such plan', (w) => run('terraform', ['show', '-no-color', `${w.tmp}/none.plan`]), P('not_found', false, { also: ['invalid_input'] })),
  c('rustc-missing', 'rustc: no such file', (w) => run('rustc', [`${w.tmp}/none.rs`], { cwd: w.tmp }), P('not_found', false)),
  c('cmake-generator', 'cmake: an unknown generator', (w) => run('cmake', ['-G', 'Nope', folder(w, 'cg4', { 'CMakeLists.txt': '' })], { cwd: w.tmp }), P('invalid_input', false, { also: ['unsupported', 'not_found'] })),
  c('java-usage', 'javac: an unknown flag', () => run('javac', ['-nonsense']), P('invalid_input', false, { also: ['unsupported'] })),
  c('pip-hash', 'pip: a requirement that conflicts', (w) => run('pip', ['install', '--disable-pip-version-check', '--no-index', '-r', file(w, 'rq.txt', 'a b c\n')]), P('invalid_input', false)),
];
cases.find(({ id }) => id === 'py-ssl-version').provoke = async (w) => run('python3', ['-c', `import requests\nrequests.post('${await w.tlsUrl('wrong-host')}', verify='${w.tmp}/certs/ca.pem')`]);
