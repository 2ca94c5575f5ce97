/** Runners that know whether their request may have been executed set `ambiguous`. */
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/engine/classify/classify.ts';

const options = { nowEpochMs: 0 };
const saying = (ambiguous: unknown, more: object = {}): Error => Object.assign(new Error('failed'), { ambiguous, ...more });

describe('an error with `ambiguous`', () => {
  it.each([
    ['a failure that is not, by itself', saying(true, { status: 503 }), true],
    ['an unknown failure', saying(false), false],
    ['a failure that is, by itself', saying(false, { code: 'ECONNRESET' }), false],
    ['anything but a boolean says nothing', saying('true', { status: 503 }), false],
    ['a permanent failure that is not, by itself', saying(true, { status: 400 }), true],
    ['a permanent failure that is, by itself', saying(false, { code: 'OUTPUT_TOO_LARGE' }), false],
    ['a cause', Object.assign(new Error('outside'), { cause: saying(true, { status: 503 }) }), true],
    ['the outermost takes precedence', Object.assign(saying(false), { cause: saying(true, { status: 503 }) }), false],
  ])('%s', (_name, error, expected) => {
    expect(classify(error, options).ambiguous).toBe(expected);
  });
});
