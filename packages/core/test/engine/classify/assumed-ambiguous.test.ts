/** Without evidence that a request was not carried out, it may have been. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { compileRules } from '../../../src/engine/classify/rules.ts';
import { errorWith } from './errors.ts';

const options = { nowEpochMs: 0 };

describe('a failure that shows nothing may have happened', () => {
  it.each([
    ['a bare error', new Error('Seat 12A is taken')],
    ['an error without a message', new Error()],
    ['a string', 'boom'],
    ['undefined', undefined],
    ['null', null],
    ['an object without a message', { code: 5 }],
    ['a child that was killed', errorWith({ killed: false, code: null, signal: 'SIGKILL', cmd: 'pay 5' }, 'Command failed: pay 5\n')],
    ['a program that exited', errorWith({ code: 'PROCESS_EXITED', signal: 'SIGKILL' }, 'pay was ended by SIGKILL')],
    ['a worker that exited', errorWith({ code: 'WORKER_EXITED', exitCode: 1 }, 'The worker exited with code 1 before it answered')],
    ['a worker that exited, by words', new Error('Terminating worker thread')],
    ['a worker out of memory', errorWith({ code: 'ERR_WORKER_OUT_OF_MEMORY' }, 'Worker terminated due to reaching memory limit')],
    ['a bug in the tool, perhaps after its request', new TypeError("Cannot read properties of undefined (reading 'id')")],
    ['a failure that its client calls retryable', errorWith({ retryable: true }, 'hm')],
    ['a failure that its client calls final', errorWith({ retryable: false }, 'hm')],
    ['an abort', new DOMException('This operation was aborted', 'AbortError')],
    ['a gRPC call whose connection dropped', errorWith({ code: 14 }, '14 UNAVAILABLE: Connection dropped')],
    ['a gRPC call without words', errorWith({ code: 'UNAVAILABLE' }, 'Socket closed')],
    [
      'a database that shut down, perhaps after the commit',
      errorWith({ code: '57P01' }, 'terminating connection due to administrator command'),
    ],
    ['no connection, in words', new Error('client did not establish a connection')],
    ['a socket without an answer in time', errorWith({ code: 'EAGAIN', errno: 11 }, 'Operation was not possible or timed out')],
    ['a job that a limiter dropped, in words', new Error('This job has been dropped')],
    ["an answer about the server's own connections", errorWith({ status: 500, body: '{"error":"connect ECONNREFUSED 10.0.0.1:5432"}' })],
    ['an answer that is too large', errorWith({ code: 'OUTPUT_TOO_LARGE' }, 'pay printed more than 5 bytes')],
  ])('%s', (_name, error) => {
    expect(classify(error, options).ambiguous).toBe(true);
  });
});

describe('words do not show that nothing happened', () => {
  it.each([
    'Charged 50 EUR, but could not reach the receipt service',
    'Charge ch_1 succeeded, but saving the receipt failed: connect ECONNREFUSED 127.0.0.1:5432',
    'Payment accepted, notification queue is full',
    'Payment accepted, e-mail rate limit reached',
    'Payment accepted; the webhook answered with status 503',
    'Payment gateway timed out. Request 7 (client was trying to connect to the webhook)',
    'No available slots on Tuesday',
    'Too many attempts with a wrong PIN',
    'Unable to reach the customer by phone',
    'Flight BA (503) is full',
    'rate limit exceeded',
    'connection refused',
    'Payment taken. The device is not connected',
    'Door is not open',
    'Refund request 5 approved: the mail failed: connect ECONNREFUSED 192.0.2.1:25',
    'Connected the call: its recording failed: connect ECONNREFUSED 192.0.2.1:80',
    'Sending the receipt failed: connect ECONNREFUSED 192.0.2.1:25',
    'Booked. Mailer: connection refused (os error 111)',
    'Booked the seat: mail connect ECONNREFUSED 192.0.2.1:25',
    'Connection lost during COMMIT: connect ECONNREFUSED 127.0.0.1:1',
    'Request failed after 3 retries: connect ECONNREFUSED 127.0.0.1:1',
    'Timed out after connecting to the bank',
    'Timed out waiting for the payment to be confirmed',
    'Booking done, sending mail failed with status 429',
    'Uncaught Error: recipient not found',
    'Mail Error: charged 5 EUR, but the address is invalid',
    'Order placed, but the callback URL must be absolute',
  ])('%s', (message) => {
    expect(classify(new Error(message), options).ambiguous).toBe(true);
    expect(classify(message, options).ambiguous).toBe(true);
  });
});

describe('a failure that shows that the request was not carried out has not happened', () => {
  it.each([
    ['refused', errorWith({ code: 'ECONNREFUSED' })],
    ['no such host', errorWith({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
    ['not connected in time', errorWith({ code: 'UND_ERR_CONNECT_TIMEOUT' })],
    ['rejected: too many requests', errorWith({ status: 429 })],
    ['rejected: unavailable', errorWith({ status: 503 })],
    ['rejected: invalid', errorWith({ status: 422 })],
    ['rejected: not authenticated', errorWith({ status: 401 })],
    ['a deadlock: rolled back', errorWith({ code: '40P01' }, 'deadlock detected')],
    ['a program that found no free process', errorWith({ code: 'EAGAIN', syscall: 'spawn pay' }, 'spawn pay EAGAIN')],
    ['no such program', errorWith({ code: 'ENOENT', syscall: 'spawn pay' })],
    ['a program that was not started', errorWith({ code: 'PROCESS_NOT_STARTED', ambiguous: false }, 'pay could not be started')],
    [
      'a gRPC call without a connection',
      errorWith({ code: 14 }, '14 UNAVAILABLE: No connection established. Last error: connect ECONNREFUSED'),
    ],
  ])('%s', (_name, error) => {
    expect(classify(error, options).ambiguous).toBe(false);
  });
});

describe("a tool's own rule", () => {
  const taken = new Error('Seat 12A is taken');
  const ruled = (as: 'transient' | 'permanent', error: unknown): boolean =>
    classify(error, { ...options, overrides: compileRules([{ message: 'taken|reset', as }]) }).ambiguous;

  it('that calls a failure permanent says that the request was rejected', () => {
    expect(ruled('permanent', taken)).toBe(false);
  });
  it('that calls a failure transient does not say so', () => {
    expect(ruled('transient', taken)).toBe(true);
  });
  it('does not overrule other evidence', () => {
    expect(ruled('permanent', errorWith({ code: 'ECONNRESET' }, 'reset'))).toBe(true);
    expect(ruled('transient', errorWith({ code: 'ECONNREFUSED' }, 'reset'))).toBe(false);
  });
});

it('an attempt that was aborted by the caller may have happened unless it was rejected', () => {
  expect(classify(new Error('hm'), { ...options, callerAborted: true }).ambiguous).toBe(true);
  expect(classify(errorWith({ status: 429 }), { ...options, callerAborted: true }).ambiguous).toBe(false);
});

describe('a connection that broke, and a refused reconnection', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED', syscall: 'connect' });

  it.each([
    ['read ECONNRESET', 'ECONNRESET'],
    ['write EPIPE', 'EPIPE'],
    ['socket hang up', 'ECONNRESET'],
  ])('%s', (message, code) => {
    const error = Object.assign(new Error(message, { cause: refused }), { code });
    expect(classify(error, { nowEpochMs: 0 })).toMatchObject({ classification: 'transient', ambiguous: true });
  });

  it('a failure before anything was sent stays one', () => {
    const wrapped = Object.assign(new TypeError('fetch failed', { cause: refused }));
    expect(classify(wrapped, { nowEpochMs: 0 })).toMatchObject({ classification: 'transient', ambiguous: false });
  });
});
