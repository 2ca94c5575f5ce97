/** Runners that know whether their request may have been executed set `ambiguous`. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';

const options = { nowEpochMs: 0 };
const saying = (ambiguous: unknown, more: object = {}): Error => Object.assign(new Error('failed'), { ambiguous, ...more });

describe('an error with `ambiguous`', () => {
  it.each([
    ['a failure that is unambiguous by default', saying(true, { status: 503 }), true],
    ['an unknown failure', saying(true), true],
    ['a failure that is ambiguous by default', saying(false, { code: 'ECONNRESET' }), false],
    ['only a boolean counts', saying('true', { status: 503 }), false],
    ['a permanent failure is not retried in any case', saying(true, { status: 400 }), false],
    ['a cause', Object.assign(new Error('outside'), { cause: saying(true, { status: 503 }) }), true],
    ['the outermost takes precedence', Object.assign(saying(false), { cause: saying(true, { status: 503 }) }), false],
  ])('%s', (_name, error, expected) => {
    expect(classify(error, options).ambiguous).toBe(expected);
  });
});
