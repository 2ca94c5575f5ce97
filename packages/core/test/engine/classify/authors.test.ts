/** Who wrote the words of an error decides what they are worth: a client or a server whose sentences are known, or anyone. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { errorWith, wrapped } from './errors.ts';

const of = (error: unknown) => classify(error, { nowEpochMs: 0 });

describe('a transient failure by free words says so in its rule, and may have happened', () => {
  it.each([
    ['a sentence of the tool', new Error('No available slots on Tuesday'), 'words:resource'],
    ['a quote behind another statement', new Error('Paid; the webhook answered with status 503'), 'words:status 503'],
    ['a code behind another statement', new Error('Paid, but: connect ECONNREFUSED 127.0.0.1:1'), 'words:ECONNREFUSED'],
    ['a string', 'the printer is busy', 'words:unavailable'],
    ['a code of the tool', errorWith({ code: 'NO_AVAILABLE_SLOTS' }), 'words:NO_AVAILABLE_SLOTS'],
    ['a class of the tool', errorWith({}, 'x', 'TooManyAttemptsError'), 'words:TooManyAttemptsError'],
    ['the words of a script', errorWith({ code: 1, cmd: 'sh pay.sh' }, 'Command failed: sh pay.sh\nHTTP 503'), 'words:status 503'],
  ])('%s', (_what, error, rule) => {
    expect(of(error)).toMatchObject({ classification: 'transient', rule, ambiguous: true });
  });
});

describe('what a client or a server writes is evidence', () => {
  it.each([
    ['all that a client says', new Error('socket hang up'), 'text:network'],
    ['a quote at the beginning', new Error('Weather API returned 503'), 'text:status 503'],
    ['a quote after what failed', new Error('Failed to fetch the weather: 503 Service Unavailable'), 'text:status 503'],
    ['words beside a status', errorWith({ status: 400 }, 'Too many requests for this key'), 'status:400+text:rate limit'],
    ['a word in a response', { response: { data: { code: 'QUEUE_FULL' } } }, 'code:QUEUE_FULL'],
    ['a usual name', errorWith({}, 'x', 'ThrottlingException'), 'name:ThrottlingException'],
    ['what a client thinks of it', errorWith({ retryable: true }, 'the queue is full'), 'flag:retryable'],
    ['words beside a wait', errorWith({ retryAfter: 5 }, 'the queue is full'), 'text:resource'],
  ])('%s', (_what, error, rule) => {
    expect(of(error)).toMatchObject({ classification: 'transient', rule });
  });
});

describe('a permanent failure by words', () => {
  it('of anyone may have happened', () => {
    expect(of(new Error('Receipt address is invalid'))).toMatchObject({ classification: 'permanent', ambiguous: true });
    expect(of('not found')).toMatchObject({ classification: 'permanent', ambiguous: true });
  });
  it('that tells more may have happened', () => {
    const error = errorWith({ code: 'X7' }, 'Charged 50 EUR, but the address is invalid', 'PaymentError');
    expect(of(error)).toMatchObject({ classification: 'permanent', ambiguous: true });
  });
  it('of a client has not', () => {
    expect(of(errorWith({}, 'a must be a number, but got text', 'ValidationError'))).toMatchObject({ ambiguous: false });
    expect(of(errorWith({ code: 'X7' }, 'name is required'))).toMatchObject({ classification: 'permanent', ambiguous: false });
    expect(of(errorWith({ errors: ['a is required'] }, '2 errors', 'ValidationError'))).toMatchObject({ ambiguous: false });
    expect(of(new Error('530 Login incorrect'))).toMatchObject({ category: 'auth', ambiguous: false });
    expect(of(errorWith({ errorType: 'uniqueViolated' }, 'it violates the unique constraint'))).toMatchObject({ ambiguous: false });
  });
});

describe('a message that begins with the kind of its error', () => {
  it.each([
    'Catalog Error: Table with name t does not exist!',
    'Out of Range Error: Overflow in addition of INT32!',
    'Parser exception: extraneous input (line: 1)',
    'ValidationError: amount must be a positive number',
    'java.lang.IllegalArgumentException: amount must be positive',
  ])('is like a class: %s', (message) => {
    expect(of(new Error(message))).toMatchObject({ classification: 'permanent', ambiguous: false });
  });
  it.each(['TypeError', 'Error', 'Uncaught Error', 'Unknown Error', 'Receipt error'])('%s names none', (kind) => {
    expect(of(new Error(`${kind}: the address is invalid`))).toMatchObject({ classification: 'permanent', ambiguous: true });
  });
});

describe('a 4xx that a message quotes where it begins', () => {
  it.each(['HTTP error! status: 429', 'API returned 429: slow down', 'Request failed with status code 423', '425 Too Early'])(
    '%s',
    (message) => {
      expect(of(new Error(message))).toMatchObject({ classification: 'transient', ambiguous: false });
      expect(of(new Error(`Booked; ${message}`)).ambiguous).toBe(true);
    },
  );
  it('not: a 503, which a proxy may answer', () => {
    expect(of(new Error('HTTP error! status: 503'))).toMatchObject({ classification: 'transient', ambiguous: true });
  });
});

describe('a connection that was not made, in the words of a platform', () => {
  it.each([
    'error sending request: tcp connect error: Connection refused (os error 111)',
    'Connection error: [Errno 111] Connection refused',
    'failed to reach upstream: dial tcp 192.0.2.1:80: connect: connection refused',
    'failed to lookup address information: Name or service not known',
    'java.net.ConnectException: Connection refused: connect',
    'Connection to the index failed. Details: connect ECONNREFUSED 127.0.0.1:8080',
    'WebSocket is not open: readyState 0 (CONNECTING)',
    'TLS handshake timed out',
    'Only absolute URLs are supported',
  ])('%s', (message) => {
    expect(of(new Error(message)).ambiguous).toBe(false);
    expect(of(new Error(`Charged 5 EUR, ${message}`)).ambiguous).toBe(true);
  });
});

describe('evidence inside of an error that tells more', () => {
  const refused = errorWith({ code: 'ECONNREFUSED' }, 'connect ECONNREFUSED 127.0.0.1:1');
  it.each(['Charged 50 EUR, but the receipt failed', 'Paid; mailing failed', 'Charge succeeded and mailing failed'])('%s', (message) => {
    expect(of(wrapped(message, refused)).ambiguous).toBe(true);
    expect(of(wrapped(message, errorWith({ status: 422 }))).ambiguous).toBe(true);
  });
  it.each(['the tool did not work', 'Failed to reach the bank, reason: connect ECONNREFUSED'])('not: %s', (message) => {
    expect(of(wrapped(message, refused)).ambiguous).toBe(false);
  });
  it('a sentence of the client with a semicolon tells no more', () => {
    const text = 'self-signed certificate; if the root CA is installed locally, use it';
    expect(of(wrapped(text, errorWith({}, text))).ambiguous).toBe(false);
  });
});

it('"cancelled" in free words is not about the call', () => {
  const result = classify(new Error('cancelled'), { nowEpochMs: 0, callerAborted: false });
  expect(result).toMatchObject({ classification: 'transient', category: 'unknown', rule: 'unknown', ambiguous: true });
});

describe('errors in a group', () => {
  const down = errorWith({ status: 503, retryAfter: 10 }, 'down');
  const denied = errorWith({ status: 401 }, 'bad key');
  it('side by side: one that is transient is worth another try', () => {
    expect(of(new AggregateError([down, denied]))).toMatchObject({ classification: 'transient', retryAfterMs: 10_000 });
  });
  it('attempts in a row: the last decides', () => {
    const row = errorWith({ reason: 'maxRetriesExceeded', errors: [down, denied], lastError: denied }, 'Failed after 2 attempts');
    expect(of(row)).toMatchObject({ classification: 'permanent', category: 'auth', ambiguous: false });
    expect(of(row)).not.toHaveProperty('retryAfterMs');
  });
  it('attempts in a row: any may have had its effect', () => {
    const reset = errorWith({ code: 'ECONNRESET' });
    expect(of(errorWith({ errors: [reset, denied], lastError: denied })).ambiguous).toBe(true);
  });
  it('one that shows nothing may have happened', () => {
    expect(of(new AggregateError([denied, new Error('hm')])).ambiguous).toBe(true);
  });
});

describe('a validation', () => {
  const issues = errorWith({ issues: [{ path: ['a'] }] }, '[]', 'ZodError');
  it('of a response is a broken contract', () => {
    expect(of(errorWith({ cause: issues }, 'x', 'AI_TypeValidationError'))).toMatchObject({ category: 'contract', ambiguous: true });
  });
  it('of a request is an invalid input', () => {
    expect(of(errorWith({ cause: errorWith({}, 'x', 'AI_TypeValidationError') }, 'x', 'AI_InvalidToolInputError'))).toMatchObject({
      category: 'invalid_input',
      ambiguous: false,
    });
  });
});

describe('a response that says more than its 500', () => {
  it.each([
    ['SOAP', { status: 500, data: '<Envelope><Body><Fault><faultcode>soap:Client</faultcode></Fault></Body></Envelope>' }, 'invalid_input'],
    ['SOAP 1.2', { status: 500, data: '<e:Fault><e:Code><e:Value>e:Sender</e:Value></e:Code></e:Fault>' }, 'invalid_input'],
    ['SOAP security', { status: 500, faultcode: 'wsse:FailedAuthentication' }, 'auth'],
    ['GraphQL', { status: 500, errors: [{ message: 'x', extensions: { code: 'BAD_USER_INPUT' } }] }, 'invalid_input'],
    ['JSON-RPC', { status: 500, body: { error: { code: -32_602, message: 'x' } } }, 'invalid_input'],
    ['XML of a store', { status: 500, data: '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>' }, 'permission'],
  ])('%s', (_what, response, category) => {
    expect(of(errorWith({ response }, 'Request failed'))).toMatchObject({ classification: 'permanent', category, ambiguous: false });
  });
});

describe('names of gRPC in any spelling', () => {
  it.each([
    ['permission-denied', 'permanent', 'permission'],
    ['resource_exhausted', 'transient', 'rate_limit'],
    ['firestore/aborted', 'transient', 'conflict'],
    ['deadline-exceeded', 'transient', 'timeout'],
    ['failed-precondition', 'permanent', 'conflict'],
  ])('%s', (code, classification, category) => {
    expect(of(errorWith({ code }, 'x'))).toMatchObject({ classification, category });
  });
  it('ABORTED is an abort where the message says no more', () => {
    expect(of(errorWith({ code: 'ABORTED' }, 'Aborted')).classification).toBe('neutral');
  });
});
