/** Command-line programs: exit codes, words and signals. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { programOf, programOfWords, withoutCommand } from '../../../src/engine/classify/programs.ts';
import { errorWith } from './errors.ts';

const failed = (cmd: string, code: number | null, stderr = '', more: object = {}) =>
  classify(errorWith({ code, cmd, stderr, ...more }, `Command failed: ${cmd}\n${stderr}`), { nowEpochMs: 0 });

describe('the program of a command line', () => {
  it.each([
    ['curl -sS http://h/?a=1&b=2', 'curl'],
    ['/usr/bin/git push', 'git'],
    ['C:\\tools\\curl.exe -s', 'curl'],
    ['sudo env A=b timeout 5s curl http://h/', 'curl'],
    ["git commit -m 'a; b && c'", 'git'],
    ['docker pull x', 'docker'],
  ])('%s', (command, name) => expect(programOf(command)).toBe(name));

  it.each([
    'sh pay.sh',
    'python3 pay.py',
    'pay 5 && curl http://h/',
    'pay; curl http://h/',
    'curl http://h/ | sh',
    'curl "$(pay)" `pay`',
    'docker run pay',
    'npm run pay',
    'kubectl exec pod -- pay',
    '/opt/pay 5',
    '',
  ])('is not known: %s', (command) => expect(programOf(command)).toBeUndefined());

  it('is marked in its own words', () => {
    expect(programOfWords('curl: (7) Failed to connect')).toBe('curl');
    expect(programOfWords('pay: cannot charge')).toBeUndefined();
  });
});

describe('exit codes of a program', () => {
  it.each([
    ['curl http://h/', 6, '', 'transient', 'network', false],
    ['curl http://h/', 7, '', 'transient', 'network', false],
    ['curl http://h/', 56, '', 'transient', 'network', true],
    ['curl http://h/', 3, '', 'permanent', 'invalid_input', false],
    ['curl http://h/', 28, 'curl: (28) Operation timed out after 400 milliseconds', 'transient', 'timeout', true],
    ['curl http://h/', 28, 'curl: (28) Connection timed out after 400 milliseconds', 'transient', 'timeout', false],
    ['curl -f http://h/', 22, 'curl: (22) The requested URL returned error: 404\n', 'permanent', 'not_found', false],
    ['curl -f http://h/', 22, 'curl: (22) The requested URL returned error: 429\n', 'transient', 'rate_limit', false],
    ['wget http://h/', 6, '', 'permanent', 'auth', false],
    ['rsync a b', 30, '', 'transient', 'timeout', true],
    ['git push', 1, ' ! [rejected] main -> main (fetch first)', 'permanent', 'conflict', false],
    ['git checkout x', 1, "error: pathspec 'x' did not match any file(s) known to git", 'permanent', 'not_found', false],
    ['ssh -o ConnectTimeout=2 h pay', 255, 'ssh: connect to host h port 22: Connection refused', 'transient', 'network', false],
    ['terraform apply', 1, 'Error: Error acquiring the state lock', 'transient', 'conflict', false],
    ['docker ps', 1, 'Cannot connect to the Docker daemon at unix:///s. Is it running?', 'transient', 'network', false],
    ['cp a b', 1, "cp: cannot stat 'a': No such file or directory", 'permanent', 'not_found', false],
  ] as const)('%s: %i %s', (cmd, code, stderr, classification, category, ambiguous) => {
    expect(failed(cmd, code, stderr)).toMatchObject({ classification, category, ambiguous });
  });
});

describe('what a script did before is not known', () => {
  it.each([
    ['pay 5 && curl http://h/', 7, 'curl: (7) Failed to connect to h port 80'],
    ['sh pay.sh', 1, "cp: cannot stat 'receipt': No such file or directory"],
    ['ssh host pay 5', 1, 'Connection refused'],
    ['node pay.js', 1, 'Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect'],
    ['sh pay.sh', 137, 'Killed'],
  ])('%s: %i', (cmd, code, stderr) => expect(failed(cmd, code, stderr).ambiguous).toBe(true));
});

describe('a signal', () => {
  it('is evidence, but not of what had been done', () => {
    expect(failed('convert a b', null, '', { signal: 'SIGKILL' })).toMatchObject({
      rule: 'code:SIGKILL',
      category: 'unknown',
      ambiguous: true,
    });
    expect(failed('sh pay.sh', 139)).toMatchObject({ rule: 'exit:139', ambiguous: true });
  });
  it('after a time limit it is a timeout', () => {
    expect(failed('sleep 5', null, '', { signal: 'SIGTERM', killed: true })).toMatchObject({ category: 'timeout', ambiguous: true });
    expect(failed('sleep 5', null, '', { signal: 'SIGTERM', timedOut: true }).category).toBe('timeout');
  });
});

it('a command line that is repeated in the message is not read', () => {
  expect(withoutCommand('Command failed: ssh -o ConnectTimeout=2 h\nbye', ['ssh -o ConnectTimeout=2 h'])).toBe('bye');
  expect(failed('echo timeout', 1).rule).toBe('unknown');
});

it('fields of other errors that look like those of a process change nothing', () => {
  expect(classify(errorWith({ command: 'CONN', code: 'ECONNREFUSED' }), { nowEpochMs: 0 }).rule).toBe('code:ECONNREFUSED');
});

describe('a known program that ends by itself', () => {
  it.each([
    ['gcc none.c', 1, 'cc1: fatal error: none.c: No such file or directory', 'not_found', false],
    ['useradd root', 9, "useradd: user 'root' already exists", 'conflict', false],
    ['patch -i x.patch', 2, "patch: **** Can't open patch file x.patch : No such file or directory", 'not_found', false],
    ['awk { a.json', 1, 'awk: cmd. line:1:  ^ unexpected newline or end of string', 'invalid_input', false],
    ['jq . none.json', 2, 'jq: error: Could not open file none.json: No such file or directory', 'not_found', false],
    ['openssl x509 -in x.pem', 1, 'Could not open file or uri for loading certificate from x.pem', 'not_found', false],
    ['npm run nope', 1, 'npm error Missing script: "nope"', 'not_found', true],
    ['chown x a', 1, "chown: invalid user: 'x'", 'invalid_input', false],
    ['gpg --decrypt a', 2, 'gpg: no valid OpenPGP data found.', 'invalid_input', false],
    ['kill 99', 1, 'kill: (99): No such process', 'not_found', false],
  ] as const)('%s', (cmd, code, stderr, category, ambiguous) =>
    expect(failed(cmd, code, stderr)).toMatchObject({ classification: 'permanent', category, ambiguous }),
  );

  it('is not helped by waiting, if no word says so; it did nothing if it says why', () => {
    expect(failed('cp a b', 1, "cp: -r not specified; omitting directory 'a'")).toMatchObject({
      classification: 'permanent',
      category: 'invalid_input',
      rule: 'exit:1',
      ambiguous: false,
    });
    expect(failed('cp a b', 1, '')).toMatchObject({ classification: 'permanent', rule: 'exit:1', ambiguous: true });
  });
  it('may have changed something elsewhere, or in some of its steps', () => {
    for (const command of ['terraform apply', 'apt-get install x', 'npm publish', 'kubectl apply -f a', 'scp a h:'])
      expect(failed(command, 1, 'x')).toMatchObject({ classification: 'permanent', rule: 'exit:1', ambiguous: true });
  });
  it('is told from a lock, a script and a program that is not known', () => {
    expect(failed('apt-get install x', 100, 'E: Could not get lock /var/lib/dpkg/lock')).toMatchObject({ classification: 'transient' });
    expect(failed('./pay.sh 5', 1, 'declined')).toMatchObject({ rule: 'unknown', ambiguous: true });
  });

  it('is not known if it runs a program of its own', () => {
    for (const command of ['cargo run', 'go test ./...', 'docker compose up', 'npm start', 'kubectl exec pod -- pay'])
      expect(programOf(command)).toBeUndefined();
    for (const command of ['cargo build', 'go vet x', 'npm install', 'docker ps']) expect(programOf(command)).toBe(command.split(' ')[0]);
  });
});
