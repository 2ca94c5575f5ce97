import { describe, expect, it } from 'vitest';
import type { ControllerConstructor } from '../../../src/runtime/system/cancel-source.ts';
import { LazyCancelSource } from '../../../src/runtime/system/cancel-source.ts';

describe.each<readonly [string, ControllerConstructor | undefined]>([
  ['the platform', AbortController],
  ['plain ECMAScript', undefined],
])('a cancel source based on %s', (_name, constructor) => {
  it('calls every listener, once, with the reason', () => {
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

  it('creates an aborted signal when it is first read afterwards', () => {
    const source = new LazyCancelSource(constructor);
    source.abort(() => 'why');
    expect(source.signal.aborted).toBe(true);
    expect(source.signal.reason).toBe('why');
    expect(() => source.signal.throwIfAborted()).toThrow('why');
  });

  it('releases removed listeners', () => {
    const source = new LazyCancelSource(constructor);
    let heard = 0;
    const listener = (): void => void (heard += 1);
    source.signal.addEventListener('abort', listener);
    source.signal.removeEventListener('abort', listener);
    source.abort(() => 'why');
    expect(heard).toBe(0);
  });

  it('is not aborted initially', () => {
    const { signal } = new LazyCancelSource(constructor);
    expect(() => signal.throwIfAborted()).not.toThrow();
    expect([signal.aborted, signal.reason]).toEqual([false, undefined]);
  });

  it('calls each listener once, in order', () => {
    const source = new LazyCancelSource(constructor);
    const heard: string[] = [];
    for (const name of ['first', 'second']) source.signal.addEventListener('abort', () => void heard.push(name));
    source.abort(() => 'why');
    expect(heard).toEqual(['first', 'second']);
  });

  it('is the same signal every time', () => {
    const source = new LazyCancelSource(constructor);
    expect(source.signal).toBe(source.signal);
  });
});

it('based on plain ECMAScript, calls the other listeners if one throws', () => {
  const source = new LazyCancelSource(undefined);
  let heard = 0;
  source.signal.addEventListener('abort', () => {
    throw new Error('mine');
  });
  source.signal.addEventListener('abort', () => void (heard += 1));
  expect(() => source.abort(() => 'why')).not.toThrow();
  expect(heard).toBe(1);
});
