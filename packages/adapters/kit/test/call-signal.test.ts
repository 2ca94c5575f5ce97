import { CallSignal } from '@holdfast/adapter-kit';
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
});
