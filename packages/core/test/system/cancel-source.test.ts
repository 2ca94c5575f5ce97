import { describe, expect, it } from 'vitest';
import type { ControllerConstructor } from '../../src/system/cancel-source.ts';
import { LazyCancelSource } from '../../src/system/cancel-source.ts';

describe.each<readonly [string, ControllerConstructor | undefined]>([
  ['the platform', AbortController],
  ['the language alone', undefined],
])('a cancel source over %s', (_name, constructor) => {
  it('aborts whoever listens, once, with the reason', () => {
    const source = new LazyCancelSource(constructor);
    let heard = 0;
    source.signal.addEventListener('abort', () => void (heard += 1));
    expect(source.aborted).toBe(false);
    source.abort(() => 'first');
    source.abort(() => 'second');
    expect({ heard, aborted: source.aborted, seen: source.signal.aborted, reason: source.signal.reason as unknown }).toEqual({
      heard: 1,
      aborted: true,
      seen: true,
      reason: 'first',
    });
  });

  it('makes an aborted signal when it is read only afterwards', () => {
    const source = new LazyCancelSource(constructor);
    source.abort(() => 'why');
    expect(source.signal.aborted).toBe(true);
    expect(source.signal.reason).toBe('why');
    expect(() => source.signal.throwIfAborted()).toThrow('why');
  });

  it('forgets who stopped listening', () => {
    const source = new LazyCancelSource(constructor);
    let heard = 0;
    const listener = (): void => void (heard += 1);
    source.signal.addEventListener('abort', listener);
    source.signal.removeEventListener('abort', listener);
    source.abort(() => 'why');
    expect(heard).toBe(0);
  });

  it('is the same signal every time', () => {
    const source = new LazyCancelSource(constructor);
    expect(source.signal).toBe(source.signal);
  });
});
