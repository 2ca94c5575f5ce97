// Programs of clouds and clusters, each against a server that answers wrongly.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['node'];
/** Starts many programs: not part of a usual run. */
export const slow = true;

const P = (category, more) => ({ label: label('permanent', category, false, more) });
const T = (category, ambiguous, more) => ({ label: label('transient', category, ambiguous, more) });
const run = (program, args, more = {}) => promisify(execFile)(program, args, { timeout: 20_000, ...more, env: { ...process.env, LC_ALL: 'C', ...more.env } });

const keys = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_DEFAULT_REGION: 'eu-central-1', AWS_MAX_ATTEMPTS: '1', AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/none', AWS_SHARED_CREDENTIALS_FILE: '/none' };
const aws = (url, args, env = {}) => run('aws', ['--endpoint-url', url, ...args], { env: { ...keys, ...env } });
const put = ['s3api', 'put-object', '--bucket', 'orders', '--key', 'a'];
const send = ['sqs', 'send-message', '--queue-url', 'http://127.0.0.1/1/q', '--message-body', 'x'];
const xml = (status, code, message) => ({ status, headers: { 'content-type': 'application/xml' }, body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message><RequestId>1</RequestId></Error>` });
const json = (status, type, message) => ({ status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify({ __type: type, message }) });
const needsAws = (rest) => ({ ...rest, needs: ['aws'] });

const kubectl = (url, args) => run('kubectl', ['--server', url, '--request-timeout=5s', ...args]);
const state = (code, reason, message, details) => ({ status: code, headers: { 'content-type': 'application/json' }, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code, ...(details ? { details } : {}) } });
const raw = ['get', '--raw', '/api/v1/namespaces/x/pods'];
const kube = (spec) => async (w) => kubectl(await w.ownServer(spec), raw);
const needsKubectl = (rest) => ({ ...rest, needs: ['kubectl'] });

const docker = (args) => async (url) => run('docker', ['-H', url.replace('http:', 'tcp:'), ...args], { env: { DOCKER_API_VERSION: '1.41' } });
const daemon = (status, message, args = ['rm', 'x']) => async (w) => docker(args)(await w.ownServer({ status, headers: { 'content-type': 'application/json' }, body: { message } }));
const needsDocker = (rest) => ({ ...rest, needs: ['docker'] });

const folder = (w, name, files) => { const dir = `${w.tmp}/${name}`; mkdirSync(dir, { recursive: true }); for (const [file, text] of Object.entries(files)) writeFileSync(`${dir}/${file}`, text); return dir; };

export const cases = [
  c('aws-refused', 'aws: nobody listens', (w) => aws(w.refused, put), needsAws(T('network', false))),
  c('aws-denied', 'aws s3api: AccessDenied', async (w) => aws(await w.ownServer(xml(403, 'AccessDenied', 'Access Denied')), put), needsAws(P('permission'))),
  c('aws-slow-down', 'aws s3api: SlowDown', async (w) => aws(await w.ownServer(xml(503, 'SlowDown', 'Please reduce your request rate.')), put), needsAws(T('rate_limit', false, { also: ['unavailable'] }))),
  c('aws-bucket', 'aws s3api: NoSuchBucket', async (w) => aws(await w.ownServer(xml(404, 'NoSuchBucket', 'The specified bucket does not exist')), put), needsAws(P('not_found'))),
  c('aws-throttled', 'aws dynamodb: ThrottlingException', async (w) => aws(await w.ownServer(json(400, 'com.amazonaws.dynamodb#ThrottlingException', 'Rate of requests exceeds the allowed throughput.')), ['dynamodb', 'delete-table', '--table-name', 'orders']), needsAws(T('rate_limit', false))),
  c('aws-condition', 'aws dynamodb: ConditionalCheckFailedException', async (w) => aws(await w.ownServer(json(400, 'com.amazonaws.dynamodb#ConditionalCheckFailedException', 'The conditional request failed')), ['dynamodb', 'put-item', '--table-name', 'o', '--item', '{"a":{"S":"b"}}']), needsAws(P('conflict'))),
  c('aws-no-credentials', 'aws: no credentials', (w) => aws(w.refused, put, { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' }), needsAws(P('auth'))),
  c('aws-parameter', 'aws: a parameter that its schema refuses', (w) => aws(w.refused, ['dynamodb', 'put-item', '--table-name', 'o', '--item', '{"a":{"X":"b"}}']), needsAws(P('invalid_input'))),
  c('aws-read-timeout', 'aws: no answer in time', (w) => aws(w.fault('silent', ''), [...send, '--cli-read-timeout', '1']), needsAws(T('timeout', true))),
  c('aws-closed', 'aws: closed without an answer', (w) => aws(w.fault('close-request', ''), send), needsAws(T('network', true))),
  c('aws-command', 'aws: an unknown command', (w) => aws(w.refused, ['s3api', 'frobnicate']), needsAws(P('invalid_input', { also: ['unsupported'] }))),
  c('kubectl-missing', 'kubectl: NotFound', kube(state(404, 'NotFound', 'pods "x" not found')), needsKubectl(P('not_found'))),
  c('kubectl-forbidden', 'kubectl: Forbidden', kube(state(403, 'Forbidden', 'pods is forbidden: User "u" cannot list resource "pods" in API group "" in the namespace "x"')), needsKubectl(P('permission'))),
  c('kubectl-conflict', 'kubectl: Conflict', kube(state(409, 'Conflict', 'Operation cannot be fulfilled on pods "x": the object has been modified; please apply your changes to the latest version and try again')), needsKubectl(T('conflict', false, { unscored: ['classification'] }))),
  c('kubectl-login', 'kubectl: Unauthorized', kube(state(401, 'Unauthorized', 'Unauthorized')), needsKubectl(P('auth'))),
  c('kubectl-many', 'kubectl: TooManyRequests', kube(state(429, 'TooManyRequests', 'too many requests, please try again later')), needsKubectl(T('rate_limit', false))),
  c('kubectl-down', 'kubectl: ServiceUnavailable', kube(state(503, 'ServiceUnavailable', 'the server is currently unable to handle the request')), needsKubectl(T('unavailable', false, { unscored: ['ambiguous'] }))),
  c('kubectl-file', 'kubectl apply: no such file', (w) => kubectl(w.refused, ['apply', '-f', `${w.tmp}/none.yaml`]), needsKubectl(P('not_found'))),
  c('kubectl-silent', 'kubectl: no answer in time', (w) => run('kubectl', ['--server', w.fault('silent', ''), '--request-timeout=1s', ...raw]), needsKubectl(T('timeout', true))),
  c('docker-refused', 'docker: nobody listens', (w) => docker(['rm', 'x'])(w.refused), needsDocker(T('network', false, { also: ['unavailable'] }))),
  c('docker-container', 'docker: no such container', daemon(404, 'No such container: x'), needsDocker(P('not_found'))),
  c('docker-name', 'docker: the name is in use', daemon(409, 'Conflict. The container name "/x" is already in use by container "abc". You have to remove (or rename) that container to be able to reuse that name.'), needsDocker(P('conflict'))),
  c('docker-port', 'docker: the port is allocated', daemon(500, 'driver failed programming external connectivity on endpoint x: Bind for 0.0.0.0:80 failed: port is already allocated'), needsDocker(P('conflict', { also: ['resource', 'unavailable'], unscored: ['classification', 'ambiguous'] }))),
  c('docker-denied', 'docker: access denied by a registry', daemon(403, 'pull access denied for x, repository does not exist or may require \'docker login\': denied: requested access to the resource is denied'), needsDocker(P('permission', { also: ['auth', 'not_found'] }))),
  c('docker-flag', 'docker: an unknown flag', (w) => docker(['rm', '--nonsense', 'x'])(w.refused), needsDocker(P('invalid_input', { also: ['unsupported'] }))),
  c('terraform-syntax', 'terraform: a syntax error', (w) => run('terraform', ['validate', '-no-color'], { cwd: folder(w, 'tf1', { 'main.tf': 'resource "a" {\n' }) }), { ...P('invalid_input'), needs: ['terraform'] }),
  c('terraform-reference', 'terraform: an undeclared variable', (w) => run('terraform', ['validate', '-no-color'], { cwd: folder(w, 'tf2', { 'main.tf': 'output "a" {\n  value = var.nope\n}\n' }) }), { ...P('invalid_input', { also: ['not_found'] }), needs: ['terraform'] }),
  c('terraform-plan', 'terraform: no saved plan of that name', (w) => run('terraform', ['apply', '-no-color', 'none.plan'], { cwd: folder(w, 'tf3', { 'main.tf': 'output "a" {\n  value = 1\n}\n' }) }), { ...P('not_found'), needs: ['terraform'] }),
  c('terraform-lock', 'terraform: another process has the lock of the state', async (w) => {
    const dir = folder(w, 'tf4', { 'main.tf': 'output "a" {\n  value = 1\n}\n', 'terraform.tfstate': '' });
    const holder = execFile('python3', ['-c', 'import fcntl,time,sys\nf=open("terraform.tfstate","r+")\nfcntl.lockf(f,fcntl.LOCK_EX)\nprint("held",flush=True)\ntime.sleep(15)'], { cwd: dir });
    await new Promise((resolve) => { holder.stdout.once('data', resolve); });
    try { return await run('terraform', ['apply', '-auto-approve', '-no-color'], { cwd: dir }); } finally { holder.kill(); }
  }, { ...T('conflict', false), needs: ['terraform', 'python3'] }),
  c('gcloud-account', 'gcloud: no account', (w) => run('gcloud', ['compute', 'instances', 'list', '--project', 'x', '--quiet'], { env: { CLOUDSDK_CONFIG: `${w.tmp}/gcloud`, CLOUDSDK_CORE_CHECK_GCE_METADATA: 'false' } }), { ...P('auth'), needs: ['gcloud'] }),
  c('gcloud-command', 'gcloud: an unknown command', (w) => run('gcloud', ['compute', 'frobnicate'], { env: { CLOUDSDK_CONFIG: `${w.tmp}/gcloud` } }), { ...P('invalid_input', { also: ['unsupported'] }), needs: ['gcloud'] }),
  c('promtool-refused', 'promtool: nobody listens', (w) => run('promtool', ['query', 'instant', w.refused, 'up']), { ...T('network', false), needs: ['promtool'] }),
  c('promtool-rules', 'promtool: rules that do not parse', (w) => run('promtool', ['check', 'rules', `${folder(w, 'prom', { 'r.yml': 'groups: 7\n' })}/r.yml`]), { ...P('invalid_input'), needs: ['promtool'] }),
  c('npm-needs-login', 'npm: not logged in', (w) => run('npm', ['whoami', '--registry', w.refused, '--userconfig', `${w.tmp}/none`]), { ...P('auth'), needs: ['npm'] }),
  c('npm-401', 'npm: HTTP 401', (w) => run('npm', ['view', 'x', '--registry', w.canned({ status: 401, headers: { 'www-authenticate': 'Basic' }, body: {} }), '--fetch-retries', '0', '--cache', `${w.tmp}/npm`]), { ...P('auth'), needs: ['npm'] }),
  c('npm-429', 'npm: HTTP 429', (w) => run('npm', ['view', 'x', '--registry', w.canned({ status: 429, body: {} }), '--fetch-retries', '0', '--cache', `${w.tmp}/npm`]), { ...T('rate_limit', false), needs: ['npm'] }),
  c('npm-503', 'npm: HTTP 503', (w) => run('npm', ['view', 'x', '--registry', w.canned({ status: 503, body: {} }), '--fetch-retries', '0', '--cache', `${w.tmp}/npm`]), { ...T('unavailable', false, { unscored: ['ambiguous'] }), needs: ['npm'] }),
  c('npm-lock', 'npm ci: no lock file', (w) => run('npm', ['ci'], { cwd: folder(w, 'npmci', { 'package.json': '{"name":"x"}' }) }), { ...P('invalid_input', { also: ['not_found'] }), needs: ['npm'] }),
  c('npm-manifest', 'npm: a manifest that is not JSON', (w) => run('npm', ['pack'], { cwd: folder(w, 'npmj', { 'package.json': '{"name":' }) }), { ...P('invalid_input', { also: ['contract'] }), needs: ['npm'] }),
  c('pip-requirement', 'pip: an invalid requirement', () => run('pip', ['install', '--disable-pip-version-check', 'a b c ==']), { ...P('invalid_input'), needs: ['pip'] }),
  c('pip-file', 'pip: no such requirements file', () => run('pip', ['install', '--disable-pip-version-check', '-r', 'none.txt']), { ...P('not_found'), needs: ['pip'] }),
  c('pip-wheel', 'pip: a wheel that is no archive', (w) => run('pip', ['install', '--disable-pip-version-check', '--no-deps', '--target', `${w.tmp}/pt`, `${folder(w, 'wheel', { 'a-1.0-py3-none-any.whl': 'nonsense' })}/a-1.0-py3-none-any.whl`]), { ...P('invalid_input', { also: ['contract'] }), needs: ['pip'] }),
];
