/** What programs and scripts print: on which stream, among which other lines, and what of it shows that nothing was done. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { programOf } from '../../../src/engine/classify/programs.ts';
import { errorWith } from './errors.ts';

const failed = (cmd: string, code: number, stderr: string, stdout = '') =>
  classify(errorWith({ code, cmd, stderr, stdout }, `Command failed: ${cmd}\n${stderr}`), { nowEpochMs: 0 });

describe('a program that prints nothing on stderr', () => {
  it('is understood by its output', () => {
    expect(failed('git merge o', 1, '', 'CONFLICT (content): Merge conflict in a\nAutomatic merge failed')).toMatchObject({
      category: 'conflict',
    });
    expect(failed('pg_isready -h h', 2, '', 'h:5432 - no response')).toMatchObject({ category: 'network', ambiguous: false });
  });
  it('unless it printed what it was asked for', () => {
    expect(failed('diff a b', 1, '', '< Connection timed out')).toMatchObject({ rule: 'exit:1' });
    expect(failed('zgrep x a', 1, '', 'not found')).toMatchObject({ rule: 'exit:1' });
  });
  it('or is not known: then it is read from the first line about a failure on', () => {
    expect(failed('sh pay.sh', 1, '', 'receipt not found')).toMatchObject({ rule: 'unknown', ambiguous: true });
    expect(failed('sh pay.sh', 1, '', 'login denied\nError: Module none not found\n')).toMatchObject({
      classification: 'permanent',
      category: 'not_found',
      ambiguous: true,
    });
    expect(failed('lint a.yaml', 1, '', "a.yaml: Validation Error: 'info' is a required property")).toMatchObject({
      category: 'invalid_input',
      ambiguous: true,
    });
    expect(failed('lint a.yaml', 1, '', 'No such file: a.yaml')).toMatchObject({ category: 'not_found', ambiguous: true });
  });
  it('and its output is not read beside words on stderr', () => {
    expect(failed('zip a b', 1, 'zip: unexpected newline', 'not found')).toMatchObject({ category: 'invalid_input' });
  });
});

describe('lines that are about something else', () => {
  it('such as warnings are left out, unless there is nothing else', () => {
    const warning = "gpg: WARNING: unsafe permissions on homedir '/h'\n";
    expect(failed('gpg -d a', 2, `${warning}gpg: no valid OpenPGP data found.`)).toMatchObject({ category: 'invalid_input' });
    expect(failed('zip a b', 12, '', 'zip warning: file not found: b')).toMatchObject({ category: 'not_found' });
  });
  it('an answer in an old version of HTTP was an answer', () => {
    expect(failed('curl -d x http://h/', 1, 'curl: (1) Received HTTP/0.9 when not allowed')).toMatchObject({
      category: 'contract',
      ambiguous: true,
    });
  });
  it('such as the source code in a traceback are left out', () => {
    const trace = 'Traceback (most recent call last):\n  File "/a.py", line 3, in connect\n    sock.settimeout(timeout)\n';
    expect(failed('python3 a.py', 1, `${trace}ConnectionRefusedError: [Errno 111] Connection refused`)).toMatchObject({
      category: 'network',
      ambiguous: true,
    });
    const stack = 'Exception in thread "main" java.io.FileNotFoundException: /none\n\tat java.net.Timeout.open(Timeout.java:3)';
    expect(failed('java A', 1, stack)).toMatchObject({ category: 'not_found', ambiguous: true });
  });
});

describe('what a script met last does not tell about what it did before', () => {
  it.each([
    ['ZeroDivisionError: division by zero', 'bug'],
    ["TypeError: 'NoneType' object is not subscriptable", 'bug'],
    ['RecursionError: maximum recursion depth exceeded', 'bug'],
    ["thread 'main' panicked at a.rs:1:5:\nindex out of bounds: the len is 0 but the index is 1", 'bug'],
    ['json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)', 'contract'],
    ['jsonschema.exceptions.ValidationError: 1 is not of type "string"', 'invalid_input'],
    ['SSLError: certificate verify failed: self-signed certificate', 'network'],
    ['botocore.exceptions.ClientError: An error occurred (AccessDenied) when calling the PutObject operation: x', 'permission'],
    ['botocore.exceptions.NoCredentialsError: Unable to locate credentials', 'auth'],
  ] as const)('%s', (stderr, category) =>
    expect(failed('python3 pay.py', 1, stderr)).toMatchObject({ classification: 'permanent', category, ambiguous: true }),
  );
  it.each([
    ['botocore.exceptions.ClientError: An error occurred (ThrottlingException) when calling the Pay operation: x', 'rate_limit'],
    ['MemoryError', 'resource'],
    [
      "urllib3.exceptions.MaxRetryError: Max retries exceeded with url: / (Caused by ResponseError('too many 503 error responses'))",
      'unavailable',
    ],
  ] as const)('%s', (stderr, category) =>
    expect(failed('python3 pay.py', 1, stderr)).toMatchObject({ classification: 'transient', category, ambiguous: true }),
  );
});

describe('the code of a service that a program prints', () => {
  const aws = (code: string) =>
    failed('aws s3api put-object', 254, `\nAn error occurred (${code}) when calling the PutObject operation: x`);
  it('means what it means in a response', () => {
    expect(aws('AccessDenied')).toMatchObject({ category: 'permission', ambiguous: false, rule: 'text:AccessDenied' });
    expect(aws('LimitExceededException')).toMatchObject({ classification: 'transient', category: 'rate_limit' });
    expect(aws('InternalServerError')).toMatchObject({ classification: 'transient', category: 'unavailable', ambiguous: true });
    expect(failed('kubectl get pods', 1, 'Error from server (NotFound): pods "x"')).toMatchObject({
      category: 'not_found',
      ambiguous: false,
    });
  });
});

describe('a program that refuses', () => {
  it.each([
    ['pgrep --no', 2, "pgrep: unrecognized option '--no'\nUsage:\n -l  list resources in use", 'invalid_input'],
    ['docker rm --no', 125, 'unknown flag: --no\n\nUsage:  docker rm', 'invalid_input'],
    ['pip install --no', 2, 'Usage: pip install [options]\n\nno such option: --no', 'invalid_input'],
    ['mysql -e x', 1, 'ERROR 1064 (42000) at line 1: You have an error in your SQL syntax', 'invalid_input'],
    ['mysql -e x', 1, "ERROR 1044 (42000): Access denied for user 'a'@'%' to database 'b'", 'auth'],
    ['git checkout o', 1, 'error: Your local changes to the following files would be overwritten by checkout:', 'conflict'],
    ['git push x', 128, "fatal: 'x' does not appear to be a git repository", 'not_found'],
    ['git push', 128, 'fatal: No configured push destination.', 'invalid_input'],
    ['docker network rm x', 1, 'Error response from daemon: network x not found', 'not_found'],
    ['npm ci', 1, 'npm error code EUSAGE\nnpm error try again later', 'invalid_input'],
  ] as const)('%s: %i %s', (cmd, code, stderr, category) => {
    expect(failed(cmd, code, stderr)).toMatchObject({ classification: 'permanent', category });
  });
  it('before the connection to a proxy exists has sent nothing', () => {
    expect(failed('curl https://h/', 56, 'curl: (56) CONNECT tunnel failed, response 407')).toMatchObject({
      category: 'auth',
      ambiguous: false,
    });
    expect(failed('rsync a rsync://h/m/', 5, 'rsync: did not see server greeting')).toMatchObject({
      category: 'network',
      ambiguous: false,
    });
  });
  it('to write the answer has sent the request', () => {
    expect(failed('curl -o /none/a http://h/', 23, 'curl: (23) Failure writing output to destination')).toMatchObject({
      category: 'resource',
      ambiguous: true,
    });
  });
});

describe('a program that is not known', () => {
  it.each([
    ['shred /none', 1, 'shred: /none: failed to open for writing: No such file or directory', 'not_found'],
    ['basename', 1, "basename: missing operand\nTry 'basename --help'", 'invalid_input'],
    ['/opt/bin/frob --no', 2, "/opt/bin/frob: unrecognized option '--no'", 'invalid_input'],
    ['frob a', 1, "frob: 'a' is not a frob-command. See 'frob --help'.", 'unsupported'],
  ] as const)('is believed like a class of its own if it marks its words: %s', (cmd, code, stderr, category) => {
    expect(failed(cmd, code, stderr)).toMatchObject({ classification: 'permanent', category, ambiguous: false });
  });
  it('is not helped by waiting, and what it did is not known, if its words are not', () => {
    expect(failed('frob a', 1, 'frob: the printer is jammed')).toMatchObject({
      classification: 'permanent',
      rule: 'exit:1',
      ambiguous: true,
    });
  });
  it('may have done something before it failed for a reason that passes', () => {
    expect(failed('frob a', 1, 'frob: connection refused')).toMatchObject({ classification: 'transient', ambiguous: true });
  });
  it.each([
    ['words of nobody', 'frob a', 'No such file or directory'],
    ['words of another', 'frob a', 'curl: (7) not found\nfrob: no such file'],
    ['a script', './pay.sh a', 'pay.sh: no such file'],
    ['a line of a script', 'pay a', 'pay: line 3: frob: command not found'],
    ['an interpreter', 'python3 a.py', "python3: can't open file: No such file"],
    ['a program that runs others', 'make pay', 'make: *** No such file or directory'],
    ['several commands', 'pay 5; frob a', 'frob: no such file'],
  ])('%s', (_what, cmd, stderr) => {
    expect(failed(cmd, 1, stderr)).toMatchObject({ ambiguous: true });
  });
});

it('`find` that runs programs is none of those known', () => {
  expect(failed('find . -exec pay {} +', 1, "find: 'pay': No such file or directory")).toMatchObject({ ambiguous: true });
  expect(failed('find /none', 1, "find: '/none': No such file or directory")).toMatchObject({ ambiguous: false });
});

it('a program whose disk is full has begun', () => {
  expect(failed('tar cf a b', 2, 'tar: a: Cannot write: No space left on device')).toMatchObject({ category: 'resource', ambiguous: true });
});

it('a program that works here has no answer that could be invalid', () => {
  expect(failed('jq . a', 2, 'jq: invalid JSON text passed to --argjson')).toMatchObject({ category: 'invalid_input', ambiguous: false });
  expect(failed('aws s3 ls', 1, 'Unable to parse response')).toMatchObject({ category: 'contract', ambiguous: true });
});

it('`execSync` names its command in the message only', () => {
  const error = (command: string) => errorWith({ status: 128, signal: null }, `Command failed: ${command}\nfatal: not a git repository`);
  expect(classify(error('git log -1'), { nowEpochMs: 0 })).toMatchObject({ category: 'not_found', ambiguous: false });
  expect(classify(error('sh pay.sh'), { nowEpochMs: 0 })).toMatchObject({ category: 'not_found', ambiguous: true });
});

it('families of programs are known by the beginning or end of their names', () => {
  for (const name of [
    'pg_dump',
    'mysqladmin',
    'mariadb-check',
    'ssh-keygen',
    'dpkg-deb',
    'useradd',
    'groupdel',
    'sha256sum',
    'zgrep',
    'gunzip',
    'bzip2',
  ])
    expect(programOf(`${name} a`)).toBe(name);
  for (const name of ['mysql-pay.sh', 'paysum-and-more', 'consume-zip.py', 'superuseradd']) expect(programOf(`${name} a`)).toBeUndefined();
});

describe('objects without words', () => {
  it('an ErrorEvent of a WebSocket that could not connect is no bug', () => {
    class ErrorEvent {
      readonly type = 'error';
      readonly message = '';
      readonly error = new TypeError();
    }
    expect(classify(new ErrorEvent(), { nowEpochMs: 0 })).toMatchObject({ classification: 'transient', ambiguous: true });
    expect(classify(new TypeError(), { nowEpochMs: 0 })).toMatchObject({ category: 'bug' });
  });
});

it('what was wrong with an answer shows that there was one', () => {
  for (const code of ['ERR_BUFFER_TOO_LARGE', 'ERR_ENCODING_INVALID_ENCODED_DATA'])
    expect(classify(errorWith({ code }, 'x'), { nowEpochMs: 0 })).toMatchObject({ classification: 'permanent', ambiguous: true });
  expect(classify(errorWith({ code: 'ERR_INVALID_HTTP_TOKEN' }, 'x'), { nowEpochMs: 0 })).toMatchObject({ category: 'invalid_input' });
  expect(classify(errorWith({ code: 200 }, 'Invalid content type, expected "text/event-stream"'), { nowEpochMs: 0 })).toMatchObject({
    category: 'contract',
    ambiguous: true,
  });
});

it('a program that says no more than to try later may have done its work', () => {
  expect(failed('aws ecs list', 255, 'An error occurred (Oops) when calling x (reached max retries: 0): Try again')).toMatchObject({
    classification: 'transient',
    category: 'unavailable',
    ambiguous: true,
  });
});

it('a model that took too long may have answered, whatever the status', () => {
  const error = errorWith({ $fault: 'client', $metadata: { httpStatusCode: 408 } }, 'The model took too long', 'ModelTimeoutException');
  expect(classify(error, { nowEpochMs: 0 })).toMatchObject({ category: 'timeout', ambiguous: true });
});

describe('the cause that a program in Go says last', () => {
  const log = (text: string) => failed('skopeo inspect docker://h/a', 1, `time="2026-11-28T07:48:12Z" level=fatal msg="${text}"`);
  it.each([
    [String.raw`Error parsing image name \"a\": pinging h: Get \"http://h/\": dial tcp 10.0.0.1:2: connect: connection refused`, 'network'],
    [String.raw`Error parsing image name \"a\": reading manifest 1 in h/a: manifest unknown`, 'not_found'],
    [String.raw`Error parsing image name \"a\": reading manifest 1 in h/a: unauthorized`, 'auth'],
    ['copying image: writing blob: EOF', 'network'],
    ['invalid image name: oops', 'invalid_input'],
  ])('%s', (text, category) => expect(log(text)).toMatchObject({ category, ambiguous: true }));
  it('outside of a log', () => {
    expect(failed('kubectl get x', 1, 'error parsing x: Get "http://h": dial tcp 10.0.0.1:2: connect: connection refused')).toMatchObject({
      category: 'network',
      ambiguous: false,
    });
  });
});

describe('the name of a program at the start of its words', () => {
  it.each([
    ['sox a b', "sox FAIL formats: can't open input file `a': No such file or directory"],
    ['dot a', "Error: dot: can't open a"],
  ])('%s', (cmd, stderr) => {
    expect(failed(cmd, 2, stderr)).toMatchObject({ category: 'not_found', ambiguous: false });
    for (const other of ['sh pay.sh', 'pay 5']) expect(failed(other, 2, stderr)).toMatchObject({ ambiguous: true });
  });
  it('does not show that nothing was done', () => {
    expect(failed('dot a', 2, 'Error: dot: connection reset by peer')).toMatchObject({ ambiguous: true });
    expect(failed('pay 5', 2, 'Error: pay: charged 5; receipt not found')).toMatchObject({ ambiguous: true });
  });
});

describe('a connection that urllib3 could not make', () => {
  const pool = (cause: string) =>
    `ConnectionError: HTTPConnectionPool(host='h', port=1): Max retries exceeded with url: / (Caused by ${cause}('x: [Errno 111] Connection refused'))`;
  it('is not ambiguous in the words of a program', () => {
    expect(failed('http POST h', 1, `http: LogLevel.ERROR: ${pool('NewConnectionError')}`)).toMatchObject({
      category: 'network',
      ambiguous: false,
    });
  });
  it('is ambiguous if it broke, in a script, and after something else', () => {
    expect(failed('http POST h', 1, `http: ${pool('ProtocolError')}`)).toMatchObject({ ambiguous: true });
    expect(failed('python3 pay.py', 1, pool('NewConnectionError'))).toMatchObject({ ambiguous: true });
    expect(failed('pay 5', 1, `pay: paid; receipt: ${pool('NewConnectionError')}`)).toMatchObject({ ambiguous: true });
  });
});

it.each([
  ['xsltproc a b', 'compilation error: file s.xsl line 1 element x\nxsltParseStylesheetTop: unknown nonsense element'],
  ['etcdctl put', 'Error: put command needs 1 argument and input from stdin or 2 arguments'],
  ['snmpset h Q x', '.1.3.6.1: Bad object type: Q'],
  ['zipinfo a.zip', 'zipinfo:  cannot find zipfile directory in one of a.zip or a.zip.zip'],
])('%s was used in a wrong way: %s', (cmd, stderr) => {
  expect(failed(cmd, 9, stderr)).toMatchObject({ classification: 'permanent' });
});
