import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';

const broken = 'upstream connect error or disconnect/reset before headers. reset reason: connection termination';
const proxy = (message: string): Error => Object.assign(new Error(message), { status: 503 });
const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });

describe('errors side by side', () => {
  it.each([
    ['one that a proxy reports of a server that broke off', [proxy(broken)], true],
    ['the same beside one that was refused', [refused(), proxy(broken)], true],
    ['one that a proxy could not send', [proxy('no healthy upstream')], false],
    [
      'a timeout while connecting',
      [Object.assign(new Error('Connect Timeout Error'), { name: 'ConnectTimeoutError', code: 'ETIMEDOUT' })],
      false,
    ],
  ])('%s', (_what, errors, ambiguous) => {
    expect(classify(new AggregateError(errors, 'nothing worked'), { nowEpochMs: 0 }).ambiguous).toBe(ambiguous);
  });
});
