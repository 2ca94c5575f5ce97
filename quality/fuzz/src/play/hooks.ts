/** Owns the failing parts of the user: listeners, stores and advisors. */
import type { Advisor, System, TraceListener } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { memoryStore } from '@holdfast/core';
import { drawAt } from '@holdfast/core/internal';
import type { Hook } from '../scene/scene.ts';

const brokenError = (): Error => new Error('broken on purpose');

export function listenerOf(hook: Hook): TraceListener | undefined {
  switch (hook) {
    case 'none':
      return undefined;
    case 'good':
      return () => {};
    case 'throws':
      return () => {
        throw brokenError();
      };
    case 'rejects':
      return () => Promise.reject(brokenError()) as never;
    case 'stalls':
    case 'slow':
      return () => new Promise(() => {}) as never;
  }
}

/** @param system provides the timers of a slow advisor */
export function advisorOf(hook: Hook, system: System): Advisor | undefined {
  switch (hook) {
    case 'none':
      return undefined;
    case 'good':
      return (_notice, _inputs, builtIn) => ({ ...builtIn, action: 'retry', reason: 'Try again', delayMs: 0 });
    case 'slow':
      return ({ turnId, callId, attempt, code }, _inputs, builtIn) => {
        const share = (what: string): number => drawAt(turnId, callId, String(attempt), code, what);
        const advice = share('advice') < 0.3 ? ({ ...builtIn, action: 'retry', reason: 'Try again', delayMs: 0 } as const) : builtIn;
        return new Promise((resolve) => void system.setTimer(400 * share('thought') ** 3, () => resolve(advice)));
      };
    case 'throws':
      return () => {
        throw brokenError();
      };
    case 'rejects':
      return () => Promise.reject(brokenError());
    case 'stalls':
      return () => new Promise(() => {});
  }
}

export function storeOf(hook: Hook): Store | undefined {
  if (hook === 'none') return undefined;
  const store = memoryStore();
  if (hook === 'good') return store;
  const fail = (): never => {
    throw brokenError();
  };
  if (hook === 'throws')
    return {
      ...store,
      append: fail,
      saveCircuits: fail,
      addMemory: fail,
      flush: fail,
      loadCircuits: fail,
      loadMemory: fail,
      readEvents: fail,
      status: fail,
    };
  const never = (): Promise<never> => (hook === 'rejects' ? Promise.reject(brokenError()) : new Promise(() => {}));
  return { ...store, flush: never, loadCircuits: never };
}
