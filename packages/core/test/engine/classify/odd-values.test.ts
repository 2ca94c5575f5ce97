/** Values that are read defensively: getters that throw, values that are not objects or numbers. */
import { describe, expect, it } from 'vitest';
import { retryAfterOf } from '../../../src/engine/classify/retry-after.ts';
import { errorWith } from './errors.ts';
import { of } from './meanings.ts';

const throwing = (): never => {
  throw new Error('trap');
};

describe('if one field throws', () => {
  it('the others are read', () => {
    expect(of(Object.defineProperty({ code: 'ECONNREFUSED' }, 'status', { get: throwing, enumerable: true })).rule).toBe(
      'code:ECONNREFUSED',
    );
    expect(of(new Proxy({ code: 'ECONNREFUSED' }, { has: throwing })).rule).toBe('code:ECONNREFUSED');
    expect(of(new Proxy({ code: 'ECONNREFUSED' }, { getPrototypeOf: throwing })).rule).toBe('code:ECONNREFUSED');
    expect(of(new Proxy({ message: 'not found' }, { ownKeys: throwing })).rule).toBe('text:not found');
    expect(of({ message: 'not found', response: new Proxy({}, { get: throwing, has: throwing, ownKeys: throwing }) }).rule).toBe(
      'text:not found',
    );
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    expect(of({ message: 'not found', errors: proxy }).rule).toBe('text:not found');
    expect(of({ errors: [proxy, { message: 'not found' }] }).rule).toBe('text:not found');
    expect(
      of({
        errors: new Proxy([{ message: 'not found' }], { get: (list, key) => (key === 'length' ? throwing() : Reflect.get(list, key)) }),
      }).rule,
    ).toBe('unknown');
  });
  it('a method counts as absent', () => {
    expect(retryAfterOf({ entries: throwing, 'retry-after': '7' }, { nowEpochMs: 0 })).toBe(7000);
    expect(retryAfterOf({ get: throwing, 'retry-after': '7' }, { nowEpochMs: 0 })).toBe(7000);
    expect(retryAfterOf({ get: 7, entries: 'x', 'retry-after': '7' }, { nowEpochMs: 0 })).toBe(7000);
  });
});

describe('a value with a stack, or with a name and a message, is an error of its own, whatever field contains it', () => {
  const missing = (fields: object) => ({ code: 'ECONNREFUSED', ...fields });
  // Errors of their own are causes: the innermost system code decides.
  it.each(['response', 'data', 'body', 'metadata', 'retryable'])('in %s', (name) => {
    expect(of({ code: 'EPIPE', [name]: errorWith(missing({})) }).rule).toBe('code:ECONNREFUSED');
    expect(of({ code: 'EPIPE', [name]: missing({ name: 'x', message: 'x' }) }).rule).toBe('code:ECONNREFUSED');
    expect(of({ code: 'EPIPE', [name]: missing({ stack: undefined }) }).rule).toBe('code:ECONNREFUSED');
  });
  it('otherwise it is a part of the error: the first code decides', () => {
    expect(of({ code: 'EPIPE', data: missing({}) }).rule).toBe('code:EPIPE');
    expect(of({ code: 'EPIPE', data: missing({ name: 'x' }) }).rule).toBe('code:EPIPE');
    expect(of({ code: 'EPIPE', data: missing({ message: 'x' }) }).rule).toBe('code:EPIPE');
    expect(of({ code: 'EPIPE', metadata: missing({}) }).rule).toBe('code:EPIPE');
  });
});

describe('digits that represent a number', () => {
  it.each(['503', ' 503', '503 ', '\t503\n', '503.0', '503.00'])('%j', (status) => expect(of({ status }).rule).toBe('status:503'));
  it.each(['503a', 'a503', '5 03', '503.', '503.x', '-503', '+503', '5e2', '0503x', `503${' '.repeat(30)}`, 'A503'])('not %j', (status) => {
    expect(of({ status }).status).toBeUndefined();
  });
  it('up to 32 characters', () => {
    expect(of({ status: `503${' '.repeat(29)}` }).status).toBe(503);
  });
});

describe('bytes', () => {
  it('have no fields', () => {
    const bytes = Object.assign(new Uint8Array(4), { code: 'ECONNREFUSED' });
    expect(of({ body: bytes, message: 'hm' }).rule).toBe('unknown');
  });
});
