// Programs of other languages that a tool starts: what they print last, and how they end. They may have done something before.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['node'];
/** Starts many programs: not part of a usual run. */
export const slow = true;

const run = (program, args, more = {}) => promisify(execFile)(program, args, { timeout: 20_000, ...more, env: { ...process.env, LC_ALL: 'C', ...more.env } });
const file = (w, name, text) => { writeFileSync(`${w.tmp}/${name}`, text); return `${w.tmp}/${name}`; };
/** A script may have done its work before: not one of these is evidence that nothing happened. */
const S = (classification, category, more) => label(classification, category, true, more);
const python = (text) => (w) => run('python3', ['-c', typeof text === 'function' ? text(w) : text]);
const py = (id, how, text, wanted) => c(`python-${id}`, how, python(text), { label: wanted, needs: ['python3'] });
const requests = (call) => (w) => `import requests\n${call(w)}`;
const post = (url, rest = '') => `r = requests.post('${url}', json={'a': 1}${rest})\nr.raise_for_status()\nr.json()`;
const perl = (text) => (w) => run('perl', ['-e', typeof text === 'function' ? text(w) : text]);
const node = (text) => (w) => run(process.execPath, ['-e', typeof text === 'function' ? text(w) : text]);

export const cases = [
  py('requests-refused', 'requests: nobody listens', requests((w) => post(w.refused)), S('transient', 'network')),
  py('requests-read-timeout', 'requests: no answer in time', requests((w) => post(w.fault('silent'), ', timeout=0.3')), S('transient', 'timeout')),
  py('requests-403', 'requests: HTTP 403', requests((w) => post(w.canned({ status: 403 }))), S('permanent', 'permission')),
  py('requests-429', 'requests: HTTP 429', requests((w) => post(w.canned({ status: 429 }))), S('transient', 'rate_limit')),
  py('requests-502', 'requests: HTTP 502', requests((w) => post(w.canned({ status: 502 }))), S('transient', 'unavailable')),
  py('requests-json', 'requests: not JSON', requests((w) => post(w.canned({ body: '<html>' }))), S('permanent', 'contract', { unscored: ['classification'] })),
  py('requests-closed', 'requests: closed without an answer', requests((w) => post(w.fault('close-request'))), S('transient', 'network')),
  py('requests-cut', 'requests: cut in the body', requests((w) => post(w.fault('close-mid-body'))), S('transient', 'network')),
  py('requests-certificate', 'requests: a self-signed certificate', async () => '', S('permanent', 'network', { unscored: ['category'] })),
  py('requests-schema', 'requests: a URL without a scheme', requests(() => post('nothing')), S('permanent', 'invalid_input')),
  py('requests-redirects', 'requests: a redirect loop', requests((w) => `requests.get('${w.url('/redirect-loop')}')`), S('permanent', 'contract', { also: ['unsupported', 'network'] })),
  py('boto3-refused', 'boto3: nobody listens', (w) => `import boto3\nfrom botocore.config import Config\nboto3.client('s3', endpoint_url='${w.refused}', region_name='eu-west-1', aws_access_key_id='a', aws_secret_access_key='b', config=Config(retries={'max_attempts': 0})).put_object(Bucket='b', Key='k', Body=b'x')`, S('transient', 'network')),
  py('boto3-throttled', 'boto3: ThrottlingException', (w) => `import boto3\nfrom botocore.config import Config\nboto3.client('dynamodb', endpoint_url='${w.canned({ status: 400, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: '{"__type":"x#ThrottlingException","message":"Rate exceeded"}' })}', region_name='eu-west-1', aws_access_key_id='a', aws_secret_access_key='b', config=Config(retries={'max_attempts': 0})).delete_table(TableName='t')`, S('transient', 'rate_limit')),
  py('urllib3-retries', 'urllib3: its retries are used up', (w) => `import urllib3\nurllib3.PoolManager().request('POST', '${w.refused}', retries=1)`, S('transient', 'network')),
  py('sqlite-locked', 'sqlite3: locked', (w) => `import sqlite3\na=sqlite3.connect('${w.tmp}/py.db',isolation_level=None)\na.execute('create table if not exists t(a)')\na.execute('begin exclusive')\nsqlite3.connect('${w.tmp}/py.db',timeout=0).execute('insert into t values(1)')`, S('transient', 'conflict')),
  py('sqlite-unique', 'sqlite3: a unique constraint', `import sqlite3\na=sqlite3.connect(':memory:')\na.execute('create table t(a unique)')\na.execute('insert into t values(1)')\na.execute('insert into t values(1)')`, S('permanent', 'conflict')),
  py('file', 'FileNotFoundError', `open('/none/none')`, S('permanent', 'not_found')),
  py('permission', 'PermissionError', `import os\nraise PermissionError(13, 'Permission denied', '/etc/shadow')`, S('permanent', 'permission')),
  py('key', 'KeyError', `{}['a']`, S('permanent', 'bug')),
  py('zero', 'ZeroDivisionError', `1/0`, S('permanent', 'bug')),
  py('attribute', 'AttributeError', `None.x`, S('permanent', 'bug')),
  py('value', 'ValueError', `int('x')`, S('permanent', 'invalid_input', { also: ['bug'] })),
  py('called', 'CalledProcessError', `import subprocess\nsubprocess.run(['false'], check=True)`, S('permanent', 'unknown', { unscored: ['classification', 'category'] })),
  py('in-use', 'the address is in use', (w) => `import socket\ns=socket.socket()\ns.bind(('127.0.0.1',${w.httpPort}))`, S('transient', 'conflict', { unscored: ['classification', 'category'] })),
  py('smtp', 'smtplib: nobody listens', (w) => `import smtplib\nsmtplib.SMTP('127.0.0.1', ${w.refusedPort})`, S('transient', 'network')),
  py('yaml', 'a YAML error', `import yaml\nyaml.safe_load('a: [')`, S('permanent', 'invalid_input', { also: ['contract'] })),
  py('exit', 'sys.exit with a number and no words', `import sys\nsys.exit(3)`, S('permanent', 'invalid_input', { unscored: ['classification', 'category'] })),
  py('memory', 'MemoryError', `import resource\nresource.setrlimit(resource.RLIMIT_AS,(200_000_000,200_000_000))\nx=bytearray(10**10)`, S('transient', 'resource', { unscored: ['classification'] })),
  py('json-tool', 'python -m json.tool: not JSON', (w) => `import runpy,sys\nsys.argv=['json.tool','${file(w, 'py.json', '{oops')}']\nrunpy.run_module('json.tool', run_name='__main__')`, S('permanent', 'invalid_input', { also: ['contract'] })),
  c('perl-tiny-refused', 'HTTP::Tiny: nobody listens', perl((w) => `use HTTP::Tiny; my $r = HTTP::Tiny->new->post('${w.refused}'); die "$r->{status} $r->{reason}: $r->{content}" unless $r->{success}`), { label: S('transient', 'network'), needs: ['perl'] }),
  c('perl-tiny-503', 'HTTP::Tiny: HTTP 503', perl((w) => `use HTTP::Tiny; my $r = HTTP::Tiny->new->post('${w.canned({ status: 503 })}'); die "$r->{status} $r->{reason}\\n" unless $r->{success}`), { label: S('transient', 'unavailable'), needs: ['perl'] }),
  c('perl-open', 'perl: open fails', perl(`open(my $f, '<', '/none') or die "cannot open: $!"`), { label: S('permanent', 'not_found'), needs: ['perl'] }),
  c('perl-module', 'perl: no such module', perl('use No::Such::Module;'), { label: S('permanent', 'not_found', { also: ['bug', 'unsupported'], unscored: ['ambiguous'] }), needs: ['perl'] }),
  c('perl-zero', 'perl: division by zero', perl('print 1/0'), { label: S('permanent', 'bug', { also: ['invalid_input'] }), needs: ['perl'] }),
  c('java-refused', 'java: ConnectException', (w) => run('java', [file(w, 'R.java', `import java.net.*; class R { public static void main(String[] a) throws Exception { new Socket("127.0.0.1", ${w.refusedPort}); } }`)]), { label: S('transient', 'network'), needs: ['java'] }),
  c('java-null', 'java: NullPointerException', (w) => run('java', [file(w, 'N.java', 'class N { public static void main(String[] a) { String s = null; s.length(); } }')]), { label: S('permanent', 'bug'), needs: ['java'] }),
  c('java-timeout', 'java: HttpTimeoutException', (w) => run('java', [file(w, 'H.java', `import java.net.*; import java.net.http.*; import java.time.*; class H { public static void main(String[] a) throws Exception { HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create("${w.fault('silent')}")).timeout(Duration.ofMillis(300)).build(), HttpResponse.BodyHandlers.ofString()); } }`)]), { label: S('transient', 'timeout'), needs: ['java'] }),
  c('java-file', 'java: NoSuchFileException', (w) => run('java', [file(w, 'F.java', 'import java.nio.file.*; class F { public static void main(String[] a) throws Exception { Files.readString(Path.of("/none")); } }')]), { label: S('permanent', 'not_found'), needs: ['java'] }),
  c('node-refused', 'node: fetch fails in a script', node((w) => `fetch('${w.refused}', { method: 'POST' })`), { label: S('transient', 'network') }),
  c('node-null', 'node: a TypeError in a script', node('null.x'), { label: S('permanent', 'bug') }),
  c('node-module', 'node: no such module', node('require("no-such-module-x")'), { label: S('permanent', 'not_found', { also: ['bug'], unscored: ['ambiguous'] }) }),
  c('bash-unbound', 'bash: an unbound variable', () => run('bash', ['-uc', 'echo $nope']), { label: S('permanent', 'invalid_input', { also: ['bug', 'not_found'] }) }),
  c('bash-missing', 'bash: command not found', () => run('bash', ['-c', 'echo paid; no_such_command_x']), { label: S('permanent', 'not_found', { also: ['unsupported'] }) }),
  c('c-abort', 'a program that aborts', (w) => run('sh', ['-c', 'kill -ABRT $$']), { label: S('transient', 'unknown', { unscored: ['classification', 'category'] }) }),
  c('rust-panic', 'rust: a panic', async (w) => { await run('rustc', [file(w, 'p.rs', 'fn main() { let v: Vec<i32> = vec![]; println!("{}", v[std::env::args().count()]); }'), '-o', `${w.tmp}/panic`], { cwd: w.tmp }); return run(`${w.tmp}/panic`, []); }, { label: S('permanent', 'bug'), needs: ['rustc'] }),
  c('tcl-error', 'tclsh: an unknown command', (w) => run('tclsh', [file(w, 'a.tcl', 'frobnicate 1')]), { label: S('permanent', 'bug', { also: ['invalid_input', 'not_found', 'unsupported'] }), needs: ['tclsh'] }),
];
cases.find(({ id }) => id === 'python-requests-certificate').provoke = async (w) => { const url = await w.tlsUrl('self-signed'); return python(`import requests\nrequests.post('${url}')`)(w); };
