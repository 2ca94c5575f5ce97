/** Owns the parts of the user that fail: listeners, stores and advisors. */
import type { Advisor, Store, TraceListener } from '@holdfast/core';
import { memoryStore } from '@holdfast/core';
import type { Hook } from '../scene/scene.ts';

const broken = (): Error => new Error('broken on purpose');

export function listenerOf(hook: Hook): TraceListener | undefined {
  switch (hook) {
    case 'none':
      return undefined;
    case 'good':
      return () => {};
    case 'throws':
      return () => {
        throw broken();
      };
    case 'rejects':
      return () => Promise.reject(broken()) as never;
    case 'stalls':
      return () => new Promise(() => {}) as never;
  }
}

export function advisorOf(hook: Hook): Advisor | undefined {
  switch (hook) {
    case 'none':
      return undefined;
    case 'good':
      return (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'retry', reason: 'Try again', delay_ms: 0 });
    case 'throws':
      return () => {
        throw broken();
      };
    case 'rejects':
      return () => Promise.reject(broken());
    case 'stalls':
      return () => new Promise(() => {});
  }
}

export function storeOf(hook: Hook): Store | undefined {
  if (hook === 'none') return undefined;
  const store = memoryStore();
  if (hook === 'good') return store;
  const fail = (): never => {
    throw broken();
  };
  if (hook === 'throws')
    return { ...store, append: fail, saveCircuits: fail, flush: fail, loadCircuits: fail, readEvents: fail, status: fail };
  const never = (): Promise<never> => (hook === 'rejects' ? Promise.reject(broken()) : new Promise(() => {}));
  return { ...store, flush: never, loadCircuits: never };
}
