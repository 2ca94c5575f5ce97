import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { connect, httpLink, stdioLink } from '../src/client/index.ts';
import { httpFront, stdioFront } from '../src/server/index.ts';

const face = {} as never;
const streams = { input: new PassThrough(), output: new PassThrough() };
const wired = { ...streams, ended: Promise.resolve(), close: () => Promise.resolve(), maxMessageBytes: 1 };
const remote = { url: new URL('http://127.0.0.1'), headers: {}, dispatcher: {}, maxMessageBytes: 1, graceMs: 1 };
const identity = { eras: [], clientInfo: {}, clientCapabilities: {}, timeoutMs: 1 };

describe('options that cannot be read are refused', () => {
  it.each<readonly [string, () => unknown, string]>([
    ['httpFront', () => httpFront(face, { limit: {} } as never), "httpFront has no setting 'limit'. Known: limits, onFault."],
    ['httpFront', () => httpFront(face, null as never), 'httpFront must be an object, got null.'],
    ['httpFront', () => httpFront(face, [] as never), 'httpFront must be an object, got an array.'],
    [
      'limits',
      () => httpFront(face, { limits: { bodybytes: 1 } as never }),
      "httpFront.limits has no setting 'bodybytes'. Known: bodyBytes,",
    ],
    [
      'limits',
      () => httpFront(face, { limits: { bodyBytes: '1' as never } }),
      'httpFront.limits.bodyBytes must be a number, 0 or more, got 1.',
    ],
    ['limits', () => httpFront(face, { limits: { depth: Number.NaN } }), 'httpFront.limits.depth must be a number, 0 or more, got NaN.'],
    ['stdioFront', () => stdioFront(face, { ...streams, drain: 1 } as never), "stdioFront has no setting 'drain'. Known: input, output,"],
    ['stdioFront', () => stdioFront(face, { input: streams.input } as never), 'stdioFront.output must be of type object, got undefined.'],
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
