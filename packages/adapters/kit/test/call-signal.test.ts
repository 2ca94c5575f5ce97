import { CallSignal } from '@holdfast/adapter-kit';
import type { CancelSignal } from '@holdfast/core';
import { describe, expect, it } from 'vitest';

describe('the signal of a call', () => {
  it('is aborted with the caller, with the same reason, and calls its listeners once', () => {
    const caller = new AbortController();
    const signal = new CallSignal(caller.signal);
    const heard: unknown[] = [];
    signal.addEventListener('abort', () => heard.push(signal.reason));
    expect([signal.aborted, signal.reason]).toEqual([false, undefined]);
    caller.abort('enough');
    signal.cancel('too late');
    expect([signal.aborted, signal.reason, heard]).toEqual([true, 'enough', ['enough']]);
    expect(() => signal.throwIfCancelled()).not.toThrow();
  });

  it('is aborted by the adapter, with its reason, and calls its listeners once', () => {
    const caller = new AbortController();
    const signal = new CallSignal(caller.signal);
    const heard: unknown[] = [];
    signal.addEventListener('abort', () => heard.push(signal.reason));
    const reason = new Error('interrupt');
    signal.cancel(reason);
    caller.abort('later');
    expect([signal.aborted, signal.reason, heard]).toEqual([true, reason, [reason]]);
    expect(() => signal.throwIfCancelled()).toThrow(reason);
  });

  it('works without a caller, and forgets listeners', () => {
    const signal = new CallSignal(undefined);
    const heard: unknown[] = [];
    const listener = (): void => void heard.push('heard');
    signal.addEventListener('abort', listener);
    signal.removeEventListener('abort', listener);
    signal.cancel(undefined);
    expect([signal.aborted, signal.reason, heard]).toEqual([true, undefined, []]);
  });

  it('listens once at a caller for all of its calls, until the last has ended', () => {
    const caller = new AbortController();
    const counts = { added: 0, removed: 0 };
    const watched: CancelSignal = {
      get aborted() {
        return caller.signal.aborted;
      },
      get reason() {
        return caller.signal.reason as unknown;
      },
      addEventListener: (type, listener, options) => {
        counts.added += 1;
        caller.signal.addEventListener(type, listener, options);
      },
      removeEventListener: (type, listener) => {
        counts.removed += 1;
        caller.signal.removeEventListener(type, listener);
      },
    };
    const heard: string[] = [];
    const listeners = ['a', 'b', 'c'].map((name) => () => void heard.push(name));
    const signals = listeners.map((listener) => {
      const signal = new CallSignal(watched);
      signal.addEventListener('abort', listener);
      return signal;
    });
    expect(counts).toEqual({ added: 1, removed: 0 });
    signals[0]?.removeEventListener('abort', listeners[0] as () => void);
    signals[1]?.cancel('own');
    expect([counts, heard]).toEqual([{ added: 1, removed: 0 }, ['b']]);
    signals[2]?.removeEventListener('abort', listeners[2] as () => void);
    expect(counts).toEqual({ added: 1, removed: 1 });
    signals[2]?.addEventListener('abort', listeners[2] as () => void);
    expect(counts).toEqual({ added: 2, removed: 1 });
    caller.abort();
    expect(heard).toEqual(['b', 'c']);
  });

  it('calls no listener that another one has removed or added', () => {
    const caller = new AbortController();
    const [one, other] = [new CallSignal(caller.signal), new CallSignal(caller.signal)];
    const heard: string[] = [];
    const removed = (): void => void heard.push('removed');
    one.addEventListener('abort', () => {
      heard.push('first');
      other.removeEventListener('abort', removed);
      one.addEventListener('abort', () => heard.push('added'));
    });
    other.addEventListener('abort', removed);
    other.addEventListener('abort', () => heard.push('last'));
    caller.abort();
    expect(heard).toEqual(['first', 'last']);
  });
});
