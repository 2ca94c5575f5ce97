import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { connect, httpLink, stdioLink } from '../src/client/index.ts';
import { httpTransport, stdioTransport } from '../src/server/index.ts';

const face = {} as never;
const streams = { input: new PassThrough(), output: new PassThrough() };
const wired = { ...streams, ended: Promise.resolve(), close: () => Promise.resolve(), maxMessageBytes: 1 };
const remote = { url: new URL('http://127.0.0.1'), headers: {}, dispatcher: {}, maxMessageBytes: 1, graceMs: 1 };
const identity = { eras: [], clientInfo: {}, clientCapabilities: {}, timeoutMs: 1 };

describe('options that cannot be read are refused', () => {
  it.each<readonly [string, () => unknown, string]>([
    [
      'httpTransport',
      () => httpTransport(face, { limit: {} } as never),
      "httpTransport has no setting 'limit'. Known: limits, onFault, sessionKey.",
    ],
    ['httpTransport', () => httpTransport(face, null as never), 'httpTransport must be an object, got null.'],
    ['httpTransport', () => httpTransport(face, [] as never), 'httpTransport must be an object, got an array.'],
    [
      'limits',
      () => httpTransport(face, { limits: { bodybytes: 1 } as never }),
      "httpTransport.limits has no setting 'bodybytes'. Known: bodyBytes,",
    ],
    [
      'limits',
      () => httpTransport(face, { limits: { bodyBytes: '1' as never } }),
      'httpTransport.limits.bodyBytes must be a number, 0 or more, got 1.',
    ],
    [
      'limits',
      () => httpTransport(face, { limits: { depth: Number.NaN } }),
      'httpTransport.limits.depth must be a number, 0 or more, got NaN.',
    ],
    [
      'stdioTransport',
      () => stdioTransport(face, { ...streams, drain: 1 } as never),
      "stdioTransport has no setting 'drain'. Known: input, output,",
    ],
    [
      'stdioTransport',
      () => stdioTransport(face, { input: streams.input } as never),
      'stdioTransport.output must be of type object, got undefined.',
    ],
    ['stdioLink', () => stdioLink({ ...wired, close: true as never }), 'stdioLink.close must be of type function, got true.'],
    ['httpLink', () => httpLink({ ...remote, header: {} } as never), "httpLink has no setting 'header'. Known: url, headers,"],
    [
      'httpLink',
      () => httpLink({ ...remote, graceMs: undefined } as never),
      'httpLink.graceMs must be a number, 0 or more, got undefined.',
    ],
  ])('%s', (_name, make, message) => {
    expect(make).toThrow(message);
  });

  it.each<readonly [object, string]>([
    [{ listn: true }, "connect has no setting 'listn'. Known: eras,"],
    [{ listen: 'yes' }, 'connect.listen must be of type boolean, got yes.'],
    [{ timeoutMs: null }, 'connect.timeoutMs must be a number, 0 or more, got null.'],
  ])('connect %j', async (options, message) => {
    await expect(connect({} as never, { ...identity, ...options } as never)).rejects.toThrow(message);
  });
});
