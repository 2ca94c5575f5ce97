// More of what scripts of other languages print last. They may have done something before.
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
const S = (classification, category, more) => label(classification, category, true, more);
const py = (id, how, text, wanted) => c(`python-${id}`, how, (w) => run('python3', [file(w, `case-${id}.py`, typeof text === 'function' ? text(w) : text)]), { label: wanted, needs: ['python3'] });
const node = (id, how, text, wanted) => c(`node-${id}`, how, (w) => run(process.execPath, [file(w, `${id}.mjs`, typeof text === 'function' ? text(w) : text)]), { label: wanted });
const java = (id, how, body, wanted, args = []) => c(`java-${id}`, how, async (w) => { const name = `J${id.replaceAll('-', '')}`; return run('java', [...args, file(w, `${name}.java`, `import java.io.*; import java.net.*; import java.util.*; class ${name} { public static void main(String[] a) throws Exception { ${typeof body === 'function' ? await body(w) : body} } }`)]); }, { label: wanted, needs: ['java'] });
const bash = (id, how, text, wanted) => c(`bash-${id}`, how, (w) => run('bash', [file(w, `${id}.sh`, typeof text === 'function' ? text(w) : text)]), { label: wanted });
const perl = (id, how, text, wanted) => c(`perl-${id}`, how, (w) => run('perl', [file(w, `${id}.pl`, typeof text === 'function' ? text(w) : text)]), { label: wanted, needs: ['perl'] });
const bug = (more) => S('permanent', 'bug', more);

export const cases = [
  py('urlopen-401', 'urllib: HTTP 401', (w) => `import urllib.request as u\nu.urlopen('${w.canned({ status: 401 })}', data=b'x')`, S('permanent', 'auth')),
  py('urlopen-reset', 'urllib: reset', (w) => `import urllib.request as u\nu.urlopen('${w.fault('reset-request')}', data=b'x')`, S('transient', 'network')),
  py('requests-connect-timeout', 'requests: not connected in time', () => '', S('transient', 'timeout', { also: ['network'] })),
  py('requests-404', 'requests: HTTP 404', (w) => `import requests\nrequests.get('${w.canned({ status: 404 })}').raise_for_status()`, S('permanent', 'not_found')),
  py('requests-422', 'requests: HTTP 422', (w) => `import requests\nrequests.post('${w.canned({ status: 422 })}').raise_for_status()`, S('permanent', 'invalid_input')),
  py('requests-proxy', 'requests: no proxy', (w) => `import requests\nrequests.post('https://127.0.0.1:29871/', proxies={'https': '${w.refused}'})`, S('transient', 'network')),
  py('requests-name', 'requests: an unknown name', (w) => `import requests\nrequests.post('http://${w.names.nxdomain}/')`, S('transient', 'network', { unscored: ['classification'] })),
  py('requests-caught', 'a script that prints a message of its own and exits with 1', (w) => `import requests,sys\ntry:\n  requests.post('${w.refused}')\nexcept Exception as e:\n  print(f'Error: could not reach the service: {e}', file=sys.stderr)\n  sys.exit(1)`, S('transient', 'network')),
  py('requests-printed', 'a script that prints the status and exits with 1', (w) => `import requests,sys\nr = requests.post('${w.canned({ status: 429 })}')\nif not r.ok:\n  sys.exit(f'API returned {r.status_code} {r.reason}')`, S('transient', 'rate_limit')),
  py('boto3-credentials', 'boto3: no credentials', `import boto3,os\nos.environ.update(AWS_EC2_METADATA_DISABLED='true',AWS_SHARED_CREDENTIALS_FILE='/none',AWS_CONFIG_FILE='/none')\nboto3.client('s3',region_name='eu-west-1').list_buckets()`, S('permanent', 'auth')),
  py('boto3-denied', 'boto3: AccessDenied', (w) => `import boto3\nboto3.client('s3', endpoint_url='${w.canned({ status: 403, headers: { 'content-type': 'application/xml' }, body: '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>' })}', region_name='eu-west-1', aws_access_key_id='a', aws_secret_access_key='b').list_buckets()`, S('permanent', 'permission')),
  py('asyncio-timeout', 'asyncio: TimeoutError without a word', `import asyncio\nasync def main():\n  await asyncio.wait_for(asyncio.sleep(5), 0.1)\nasyncio.run(main())`, S('transient', 'timeout')),
  py('subprocess-timeout', 'subprocess: TimeoutExpired', `import subprocess\nsubprocess.run(['sleep','5'], timeout=0.2)`, S('transient', 'timeout')),
  py('socket-timeout', 'socket: timed out', (w) => `import socket\ns=socket.create_connection(('127.0.0.1',${w.port('silent')}),timeout=0.3)\ns.send(b'x')\ns.recv(1)`, S('transient', 'timeout')),
  py('http-closed', 'http.client: RemoteDisconnected', (w) => `import http.client\nk=http.client.HTTPConnection('127.0.0.1',${w.port('close-request')})\nk.request('POST','/',b'x')\nk.getresponse()`, S('transient', 'network')),
  py('ftp-login', 'ftplib: nobody listens', (w) => `import ftplib\nf=ftplib.FTP()\nf.connect('127.0.0.1',${w.refusedPort})`, S('transient', 'network')),
  py('sqlite-table', 'sqlite3: no such table', `import sqlite3\nsqlite3.connect(':memory:').execute('select * from orders')`, S('permanent', 'not_found')),
  py('sqlite-syntax', 'sqlite3: a syntax error', `import sqlite3\nsqlite3.connect(':memory:').execute('selec 1')`, S('permanent', 'invalid_input')),
  py('json', 'json: not JSON', `import json\njson.loads('{oops')`, S('permanent', 'contract', { also: ['invalid_input'] })),
  py('unicode', 'UnicodeDecodeError', `b'\\xff'.decode('utf-8')`, S('permanent', 'invalid_input', { also: ['contract', 'bug'] })),
  py('type', 'TypeError', `'a' + 1`, bug()),
  py('name', 'NameError', `undefined_thing`, bug()),
  py('index', 'IndexError', `[][0]`, bug()),
  py('assertion', 'AssertionError', `assert 1 == 2`, bug()),
  py('not-implemented', 'NotImplementedError', `raise NotImplementedError()`, S('permanent', 'unsupported', { also: ['bug'] })),
  py('recursion', 'RecursionError', `def f(): return f()\nf()`, bug()),
  py('overflow', 'OverflowError', `import math\nmath.exp(1000)`, bug({ also: ['invalid_input'] })),
  py('syntax', 'SyntaxError', `def f(:\n  pass`, S('permanent', 'invalid_input', { also: ['bug'], unscored: ['ambiguous'] })),
  py('directory', 'IsADirectoryError', `open('/tmp','w')`, S('permanent', 'invalid_input', { also: ['unsupported', 'conflict'] })),
  py('space', 'OSError: no space left', `f=open('/dev/full','w')\nf.write('x'*100000)\nf.flush()`, S('permanent', 'resource', { unscored: ['classification'] })),
  py('lxml', 'lxml: not XML', `from lxml import etree\netree.fromstring('<a>')`, S('permanent', 'invalid_input', { also: ['contract'] })),
  py('numpy', 'numpy: shapes that do not fit', `import numpy as np\nnp.zeros((2,3)) @ np.zeros((2,3))`, S('permanent', 'invalid_input', { also: ['bug'] })),
  py('argparse', 'argparse: a required argument is missing', `import argparse\np=argparse.ArgumentParser()\np.add_argument('--to',required=True)\np.parse_args()`, S('permanent', 'invalid_input', { unscored: ['ambiguous'] })),
  py('interrupt', 'KeyboardInterrupt', `raise KeyboardInterrupt()`, label('neutral', 'cancelled', true, { unscored: ['classification', 'category'] })),
  py('environment', 'os.environ without a key', `import os\nos.environ['API_TOKEN_X']`, bug({ also: ['auth', 'not_found', 'invalid_input'] })),
  node('aggregate', 'an unhandled AggregateError', (w) => `await Promise.any([fetch('${w.refused}'), fetch('${w.refused}')])`, S('transient', 'network')),
  node('printed', 'a message on stderr and exit code 1', 'console.error("Error: 401 Unauthorized"); process.exit(1)', S('permanent', 'auth')),
  node('rejection', 'an unhandled rejection with a string', 'await Promise.reject("went wrong")', S('transient', 'unknown', { unscored: ['classification', 'category'] })),
  node('reset', 'fetch: reset, uncaught', (w) => `await fetch('${w.fault('reset-request')}', { method: 'POST', body: 'x' })`, S('transient', 'network')),
  node('file', 'readFileSync: no such file', `import fs from 'node:fs'; fs.readFileSync('/none')`, S('permanent', 'not_found')),
  node('reference', 'a ReferenceError', 'nope()', bug()),
  node('heap', 'the heap is used up', `const a=[]; for(;;) a.push(new Array(1e6).fill(1))`, S('transient', 'resource', { unscored: ['classification', 'category'] })),
  java('socket-timeout', 'SocketTimeoutException', (w) => `Socket s = new Socket("127.0.0.1", ${w.port('silent')}); s.setSoTimeout(300); s.getOutputStream().write(1); s.getInputStream().read();`, S('transient', 'timeout')),
  java('host', 'UnknownHostException', (w) => `new Socket("${w.names.nxdomain}", 80);`, S('transient', 'network', { unscored: ['classification'] })),
  java('http-403', 'HttpURLConnection: 403', (w) => `new URL("${w.canned({ status: 403 })}").openStream();`, S('permanent', 'permission')),
  java('http-503', 'HttpURLConnection: 503', (w) => `new URL("${w.canned({ status: 503 })}").openStream();`, S('transient', 'unavailable')),
  java('certificate', 'SSLHandshakeException', async (w) => `new URL("${await w.tlsUrl('self-signed')}").openStream();`, S('permanent', 'network', { unscored: ['category'] })),
  java('bounds', 'ArrayIndexOutOfBoundsException', 'int[] x = {}; System.out.println(x[3]);', bug()),
  java('argument', 'IllegalArgumentException', 'throw new IllegalArgumentException("amount must be positive");', S('permanent', 'invalid_input')),
  java('state', 'IllegalStateException', 'throw new IllegalStateException("order is closed");', S('permanent', 'unknown', { unscored: ['classification', 'category'] })),
  java('memory', 'OutOfMemoryError', 'List<long[]> l = new ArrayList<>(); for (;;) l.add(new long[1000000]);', S('transient', 'resource', { unscored: ['classification'] }), ['-Xmx20m']),
  java('denied', 'AccessDeniedException', 'throw new java.nio.file.AccessDeniedException("/etc/shadow");', S('permanent', 'permission')),
  bash('curl', 'curl after a payment', (w) => `set -e\necho paid\ncurl -sS -d x ${w.refused}\n`, S('transient', 'network')),
  bash('certificate', 'curl with a certificate that does not verify, after a payment', () => '', S('permanent', 'network', { unscored: ['category'] })),
  bash('zero', 'division by zero', 'echo $((1/0))\nexit 1', bug({ also: ['invalid_input'] })),
  bash('substitution', 'a bad substitution', 'set -e\necho ${a!b}\n', S('permanent', 'invalid_input', { also: ['bug'] })),
  bash('denied', 'a file that may not be run', (w) => `${file(w, 'noexec2', '')}\n`, S('permanent', 'permission')),
  bash('killed', 'a step is killed', 'set -e\nsh -c "kill -9 \\$\\$"\n', S('transient', 'unknown', { unscored: ['classification', 'category'] })),
  bash('cd', 'cd: no such folder', 'set -e\ncd /none\n', S('permanent', 'not_found')),
  perl('die', 'die with a message about a status', `die "HTTP 503 Service Unavailable\\n"`, S('transient', 'unavailable')),
  perl('undef', 'a method on undef', `use strict; my $x; $x->pay()`, bug()),
  perl('syntax', 'a syntax error', `my $x = ;`, S('permanent', 'invalid_input', { also: ['bug'], unscored: ['ambiguous'] })),
  perl('socket', 'IO::Socket: nobody listens', (w) => `use IO::Socket::INET; IO::Socket::INET->new(PeerAddr => '127.0.0.1:${w.refusedPort}') or die "connect: $@"`, S('transient', 'network')),
  c('rust-unwrap', 'rust: unwrap of a refused connection', async (w) => { await run('rustc', [file(w, 'un.rs', `fn main() { std::net::TcpStream::connect("127.0.0.1:${w.refusedPort}").unwrap(); }`), '-o', `${w.tmp}/un`], { cwd: w.tmp }); return run(`${w.tmp}/un`, []); }, { label: S('transient', 'network', { also: ['bug'], unscored: ['classification'] }), needs: ['rustc'] }),
  c('c-perror', 'C: perror of connect', async (w) => { await run('gcc', [file(w, 'pe.c', `#include <stdio.h>\n#include <errno.h>\nint main(void){errno=ETIMEDOUT;perror("connect");return 1;}`), '-o', `${w.tmp}/pe`]); return run(`${w.tmp}/pe`, []); }, { label: S('transient', 'timeout', { also: ['network'] }), needs: ['gcc'] }),
  c('cpp-throw', 'C++: an uncaught exception', async (w) => { await run('g++', [file(w, 'th.cpp', `#include <stdexcept>\nint main(){throw std::invalid_argument("amount must be positive");}`), '-o', `${w.tmp}/th`]); return run(`${w.tmp}/th`, []); }, { label: S('permanent', 'invalid_input', { also: ['bug', 'unknown'], unscored: ['classification', 'category'] }), needs: ['g++'] }),
  c('pytest', 'pytest: a test fails', (w) => run('pytest', ['-q', '-p', 'no:cacheprovider', file(w, 'test_a.py', 'def test_a():\n    assert 1 == 2\n')]), { label: S('permanent', 'bug', { unscored: ['category'] }), needs: ['pytest'] }),
];
cases.find(({ id }) => id === 'python-requests-connect-timeout').provoke = async (w) => run('python3', ['-c', `import requests\nrequests.post('${await w.blackhole()}', timeout=(0.3, 5))`]);
cases.find(({ id }) => id === 'python-requests-connect-timeout').needs = ['python3', 'netns'];
cases.find(({ id }) => id === 'bash-certificate').provoke = async (w) => run('bash', ['-c', `echo paid; curl -sS -d x ${await w.tlsUrl('self-signed')}`]);
