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

  const group = (...errors: readonly Error[]): Error =>
    new TypeError('fetch failed', { cause: Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' }) });
  const unanswered = (): Error => Object.assign(new Error('connect ETIMEDOUT ::1:1'), { code: 'ETIMEDOUT', syscall: 'connect' });
  const reset = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });

  it('in groups of groups, all have to show that nothing was sent', () => {
    const of = (...errors: readonly Error[]) => classify(new AggregateError(errors), { nowEpochMs: 0 });
    expect(of(refused(), group(unanswered(), refused()))).toMatchObject({ classification: 'transient', ambiguous: false });
    expect(of(refused(), group(unanswered(), reset()))).toMatchObject({ classification: 'transient', ambiguous: true });
  });

  it('may be the elements of the error itself', () => {
    const error = Object.assign(new Error('aggregate error'), { 0: refused(), 1: reset(), length: 2 });
    expect(classify(error, { nowEpochMs: 0 })).toMatchObject({ category: 'network', ambiguous: true });
  });
});
