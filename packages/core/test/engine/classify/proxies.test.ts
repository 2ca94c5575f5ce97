/** What a proxy, a gateway or a gRPC channel says: whether the request had reached the server behind it. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';
import { errorWith } from './errors.ts';

const of = (error: unknown) => classify(error, { nowEpochMs: 0 });
const answered = (status: number, data: unknown, headers: object = {}) =>
  errorWith({ status, response: { status, data, headers } }, `Request failed with status code ${String(status)}`);
const envoy = 'upstream connect error or disconnect/reset before headers. ';
const page = (title: string) => `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;

describe('a 503 of a proxy whose server was reached may have happened', () => {
  it.each([
    `${envoy}reset reason: connection termination`,
    `${envoy}reset reason: remote reset`,
    `${envoy}reset reason: local reset`,
    `${envoy}reset reason: protocol error`,
    `${envoy}reset reason: connection reset`,
    `${envoy}retried and the latest reset reason: connection failure`,
    envoy,
    'The request failed because either the HTTP response was malformed or connection to the instance had an error.',
    'error trying to reach service: EOF',
    'upstream request timeout',
    page('503 Backend fetch failed'),
    page('503 first byte timeout'),
    page('503 backend read error'),
    page('Application Error'),
  ])('%s', (body) => {
    expect(of(answered(503, body))).toMatchObject({ classification: 'transient', status: 503, ambiguous: true });
  });
  it('where AWS says no more than that it is unavailable', () => {
    expect(of(answered(503, { message: 'Service Unavailable' }, { 'apigw-requestid': 'x' }))).toMatchObject({ ambiguous: true });
  });
  it('also where only the code of the error is a status', () => {
    expect(of(errorWith({ code: 503, body: `${envoy}reset reason: remote reset` }, 'HTTP-Code: 503'))).toMatchObject({ ambiguous: true });
  });
});

describe('a 503 of a proxy whose server was not reached has not happened', () => {
  it.each([
    `${envoy}reset reason: connection failure`,
    `${envoy}reset reason: connection failure, transport failure reason: delayed connect error: 111`,
    `${envoy}reset reason: remote connection failure, transport failure reason: delayed connect error: Connection refused`,
    `${envoy}reset reason: connection timeout`,
    `${envoy}reset reason: overflow`,
    `${envoy}reset reason: remote refused stream reset`,
    'no healthy upstream',
    'error trying to reach service: dial tcp 10.0.0.1:80: connect: connection refused',
    '<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>',
    { message: 'failure to get a peer from the ring-balancer' },
    { message: 'Service Unavailable' },
    page('503 Service Temporarily Unavailable'),
    '',
  ])('%j', (body) => {
    expect(of(answered(503, body))).toMatchObject({ classification: 'transient', status: 503, ambiguous: false });
  });
  it('a broken connection without an answer of a server is another matter', () => {
    expect(of(answered(429, 'the connection was reset'))).toMatchObject({ category: 'rate_limit', ambiguous: false });
  });
});

describe('gRPC', () => {
  const call = (code: number, name: string, details: string) =>
    errorWith({ code, details, metadata: {} }, `${String(code)} ${name}: ${details}`);

  it.each([
    ['Connection dropped', true],
    ['read ECONNRESET', true],
    ['Stream refused by server', false],
    ['failed to connect to all addresses', false],
    ['No connection established. Last error: null', false],
    [`${envoy}reset reason: connection termination`, true],
    [`${envoy}reset reason: connection failure`, false],
  ])('14: %s', (details, ambiguous) => {
    expect(of(call(14, 'UNAVAILABLE', details))).toMatchObject({ classification: 'transient', ambiguous });
  });
  it.each([
    ['Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.0.0.1:50051: i/o timeout"', false],
    ['Unavailable desc = name resolver error: produced zero addresses', false],
    ['Unavailable desc = transport is closing', true],
    ['Unavailable desc = error reading from server: EOF', true],
  ])('in Go: %s', (words, ambiguous) => {
    expect(of(new Error(`rpc error: code = ${words}`))).toMatchObject({ classification: 'transient', ambiguous });
  });
  it.each([
    ['Deadline exceeded after 1.003s,LB pick: 0.002s,Waiting for LB pick', false],
    ['deadline exceeded after 4.99s. [buffered_nanos=4998, waiting_for_connection]', false],
    ['Deadline exceeded after 1.001s,remote_addr=127.0.0.1:5000', true],
  ])('4: %s', (details, ambiguous) => {
    expect(of(call(4, 'DEADLINE_EXCEEDED', details))).toMatchObject({ category: 'timeout', ambiguous });
  });
  it.each([
    ['Received message larger than max (5000025 vs 4194304)', true],
    ['Attempted to send message with a size larger than 4194304', false],
  ])('8: %s', (details, ambiguous) => {
    const got = of(call(8, 'RESOURCE_EXHAUSTED', details));
    expect(got).toMatchObject({
      classification: 'permanent',
      category: 'payload_too_large',
      rule: 'grpc:8+text:payload too large',
      ambiguous,
    });
  });
  it('8 is a rate limit otherwise', () => {
    expect(of(call(8, 'RESOURCE_EXHAUSTED', 'Bandwidth exhausted'))).toMatchObject({ category: 'rate_limit', ambiguous: false });
  });
});

describe('a failure before anything was sent', () => {
  it.each([
    ['ERR_HTTP2_GOAWAY_SESSION', 'New streams cannot be created after receiving a GOAWAY'],
    ['ERR_HTTP2_INVALID_SESSION', 'The session has been destroyed'],
    ['ERR_SOCKET_CLOSED_BEFORE_CONNECTION', 'Socket closed before the connection was established'],
    ['ERR_HTTP2_STREAM_ERROR', 'Stream closed with error code NGHTTP2_REFUSED_STREAM'],
    ['UND_ERR_CLOSED', 'The client is closed'],
    ['CLIENT_CLOSED', 'CLIENT_CLOSED: The client is closed'],
    ['ENOTOPEN', 'Connection not yet open.'],
    ['ER_CMD_CONNECTION_CLOSED', '(conn:12, no: 45013, SQLState: 08S01) Cannot execute new commands: connection closed'],
  ])('%s', (code, message) => {
    expect(of(errorWith({ code }, message))).toMatchObject({ classification: 'transient', ambiguous: false });
  });
  it.each([
    ['ERR_HTTP2_STREAM_ERROR', 'Stream closed with error code NGHTTP2_INTERNAL_ERROR'],
    ['ERR_HTTP2_STREAM_ERROR', 'Stream closed with error code NGHTTP2_CANCEL'],
    ['UND_ERR_DESTROYED', 'The client is destroyed'],
    ['ECONNRESET', 'socket hang up'],
    ['40003', 'result is ambiguous: error=unable to dial n2'],
  ])('%s: %s is none', (code, message) => {
    expect(of(errorWith({ code }, message))).toMatchObject({ classification: 'transient', ambiguous: true });
  });
  it.each([
    ['UnambiguousTimeoutError', 'unambiguous timeout', false],
    ['AmbiguousTimeoutError', 'ambiguous timeout', true],
    ['BrokenCircuitException', 'The circuit is now open and is not allowing calls.', false],
    ['CircuitBreakerOpenError', 'pay: open', false],
    ['CircuitTimeoutError', 'the circuit timed out', true],
    ['BulkheadFullException', "Bulkhead 'pay' is full", false],
    ['LibrdKafkaError', 'Local: Queue full', false],
    ['LibrdKafkaError', 'Local: Message timed out', true],
    ['Neo4jError', 'Connection acquisition timed out in 60000 ms. Pool status: Active conn count = 100, Idle conn count = 0.', false],
    ['ClientOfflineError', 'Client is offline.', false],
    ['TypeError', 'error sending request for url (http://localhost:9/): client error (Connect): tcp connect error: os error 111', false],
    ['TypeError', 'error sending request for url (http://localhost:9/): client error (SendRequest): connection closed', true],
    ['Error', 'Server responded with a non-101 status: 503 Service Unavailable\nResponse Headers Follow:\n', false],
  ])('%s: %s', (name, message, ambiguous) => {
    expect(of(errorWith({}, message, name))).toMatchObject({ ambiguous });
  });
  it('is what a client says that did not connect in time', () => {
    expect(of(errorWith({ code: 'ETIMEDOUT', connect: true }, 'ETIMEDOUT'))).toMatchObject({ category: 'timeout', ambiguous: false });
    expect(of(errorWith({ code: 'ETIMEDOUT', connect: false }, 'ETIMEDOUT'))).toMatchObject({ category: 'timeout', ambiguous: true });
  });
});

it('what a script of Redis had written before it failed stays', () => {
  const failed = (message: string) => of(errorWith({}, message, 'ReplyError'));
  expect(failed('ERR Lua redis lib command arguments must be strings script: c56a, on @user_script:1.')).toMatchObject({ ambiguous: true });
  expect(failed('ERR value is not an integer or out of range')).toMatchObject({ ambiguous: false });
});
