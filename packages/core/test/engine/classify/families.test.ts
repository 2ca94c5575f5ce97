/** Families of errors, each with clients and programs that were not among those which showed it. */
import { describe, expect, test } from 'vitest';

import { classify } from '../../../src/index.ts';

const of = (error: unknown) => {
  const { classification, category, ambiguous } = classify(error, { nowEpochMs: 0 });
  return [classification, category, ambiguous];
};
const failed = (command: string, stderr: string, code = 1, stdout = '') =>
  Object.assign(new Error(`Command failed: ${command}\n${stderr}`), { code, killed: false, signal: null, cmd: command, stdout, stderr });
class ParseError extends Error {
  override readonly name = 'ParseError';
}

describe('a dotted code whose end says nothing is read by its family', () => {
  test.each([
    ['Throttling.Api', 'Request was denied due to api flow control.', ['transient', 'rate_limit', false]],
    ['InvalidParameterValue.SdkAppIdBlank', 'The app is not set.', ['permanent', 'invalid_input', false]],
    ['ResourceNotFound.Instance', 'It was released.', ['permanent', 'not_found', false]],
  ])('%s', (code, message, expected) => {
    expect(of(Object.assign(new Error(message), { code }))).toEqual(expected);
  });
  test('the end decides where it says more', () => {
    expect(of(Object.assign(new Error('x'), { code: 'InvalidAccount.AccessDenied' }))).toEqual(['permanent', 'permission', false]);
  });
});

describe('the usage that a program prints is not about the failure', () => {
  test('before the error', () => {
    const stderr =
      'usage: backup [-h] [--upload-ratelimit RATE]\n              [--certificate FILE]\nbackup: error: unrecognized arguments: --x';
    expect(of(failed('backup --x', stderr, 2))).toEqual(['permanent', 'invalid_input', false]);
  });
  test('behind it', () => {
    const stderr =
      'loadgen: invalid URL\nUsage: loadgen [options] url\nOptions are:\n    -t timelimit     Seconds to max. to spend\n    -E certfile  Client certificate';
    expect(of(failed('loadgen x', stderr, 22))).toEqual(['permanent', 'invalid_input', false]);
  });
  test('the end of one that was cut', () => {
    expect(of(failed('loadgen x', 'loadgen: invalid URL\nof pairs\n    -E certfile  Client certificate', 22))[1]).toBe('invalid_input');
  });
  test('an error in the line of the usage is kept', () => {
    expect(of(failed('loadgen x', 'Usage: loadgen: connect to 10.0.0.1: Connection refused', 22))[0]).toBe('transient');
  });
});

describe('a class that is named after its product', () => {
  test('a number beside it: the message decides', () => {
    expect(of(Object.assign(new ParseError('Object not found.'), { code: 101 }))).toEqual(['permanent', 'not_found', false]);
    expect(of(Object.assign(new ParseError('The connection failed: unable to connect to the server'), { code: 100 }))[1]).toBe('network');
  });
  test('a parser error stays one', () => {
    expect(of(Object.assign(new ParseError('unexpected character'), { line: 3, column: 1 }))[2]).toBe(true);
  });
});

describe('a connection that was not made', () => {
  class ConnectError extends Error {
    override readonly name = 'ConnectError';
  }
  test('as hyper prints it', () => {
    const os =
      'Error(\n    Connect,\n    ConnectError(\n        "tcp connect error",\n        10.0.0.1:80,\n        Os {\n            code: 111,\n        },\n    ),\n)';
    expect(of(new ConnectError(`Failed to connect to the server. Reason: ${os}`))).toEqual(['transient', 'network', false]);
    expect(
      of(
        new ConnectError(
          'Failed to connect to the server. Reason: Error(Connect, ConnectError("dns error", Custom { kind: Uncategorized }))',
        ),
      ),
    ).toEqual(['transient', 'network', false]);
  });
  test('as the reason of a program that could not connect', () => {
    expect(of(failed('sendit a@x.test', 'sendit: cannot connect to mx.test, port 25: Connection refused', 69))).toEqual([
      'transient',
      'network',
      false,
    ]);
  });
  test('ambiguous after something else', () => {
    expect(of(new Error('The order was placed, then cannot connect to mx.test, port 25: Connection refused'))[2]).toBe(true);
    expect(of(new Error('Charged; cannot connect to mx.test: Connection refused'))[2]).toBe(true);
  });
});

describe('words of programs', () => {
  test.each([
    ['ruff check a', 'src/app.py:1:8: F401 `os` imported but unused', ['permanent', 'invalid_input']],
    ['pyright a', 'src/app.py:3: error: Incompatible types in assignment', ['permanent', 'invalid_input']],
    ['unar a', 'Command Line Error:\nUnknown switch:\n--x', ['permanent', 'invalid_input']],
    ['xmlsel a', 'failed to load external entity "a.xml"', ['permanent', 'not_found']],
    ['svk commit', "svk: E155011: File 'a' is out of date", ['permanent', 'conflict']],
  ])('%s: %s', (command, stderr, expected) => {
    expect(of(failed(command, stderr)).slice(0, 2)).toEqual(expected);
  });
});
