import { describe, expect, it } from 'vitest';
import { freezeDeep, frozenCopy, plainCopy } from '../../../src/agent/session/plain.ts';

describe('a frozen copy', () => {
  it.each([
    [undefined, undefined],
    [null, null],
    [7, 7],
    [true, true],
    ['text', 'text'],
    [10n, '10'],
    [Symbol('s'), 'Symbol(s)'],
    [{ a: [1, { b: 10n }] }, { a: [1, { b: '10' }] }],
  ])('%# is plain data', (value, copy) => {
    expect(frozenCopy(value, 1_000)).toEqual(copy);
  });

  it('is truncated, and frozen at every depth', () => {
    expect(String(frozenCopy('x'.repeat(10_000), 100)).length).toBeLessThan(300);
    const copy = frozenCopy({ a: [{ b: 1 }] }, 1_000) as { a: { b: number }[] };
    expect([Object.isFrozen(copy), Object.isFrozen(copy.a), Object.isFrozen(copy.a[0])]).toEqual([true, true, true]);
  });
});

describe('freezing', () => {
  it('does not change objects that are not plain data', () => {
    const state = { map: new Map(), date: new Date(0), bare: Object.assign(Object.create(null) as object, { inner: {} }), none: null };
    freezeDeep(state);
    expect([Object.isFrozen(state), Object.isFrozen(state.map), Object.isFrozen(state.date), Object.isFrozen(state.bare)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it('ends on cycles', () => {
    const ring: Record<string, unknown> = {};
    ring['ring'] = ring;
    expect(Object.isFrozen(freezeDeep(ring))).toBe(true);
  });
});

describe('a plain copy', () => {
  it('copies plain parts and shares all others with the original', () => {
    const date = new Date(0);
    const shared = { n: 1 };
    const original = { list: [shared, shared], date, none: null, text: 'x', [`__proto__`]: { own: true } };
    const copy = plainCopy(original) as typeof original;
    expect(copy).toEqual(original);
    expect([
      copy === original,
      copy.list === original.list,
      copy.list[0] === shared,
      copy.list[0] === copy.list[1],
      copy.date === date,
    ]).toEqual([false, false, false, true, true]);
    copy.list.pop();
    copy.text = 'y';
    delete (copy as { none?: null }).none;
    expect(Object.keys(copy)).not.toContain('none');
    expect(original.list).toHaveLength(2);
  });

  it('copies cycles, keeps a field called __proto__, and returns the original when a getter throws', () => {
    const ring: Record<string, unknown> = {};
    ring['ring'] = ring;
    const copy = plainCopy(ring) as Record<string, unknown>;
    expect(copy['ring']).toBe(copy);
    expect(copy).not.toBe(ring);
    const risky = JSON.parse('{"__proto__":{"polluted":true}}') as object;
    expect(Object.keys(plainCopy(risky) as object)).toEqual(['__proto__']);
    const trap = {
      get a(): never {
        throw new Error('no');
      },
    };
    expect(plainCopy(trap)).toBe(trap);
    expect([plainCopy(1), plainCopy(null)]).toEqual([1, null]);
  });
});
