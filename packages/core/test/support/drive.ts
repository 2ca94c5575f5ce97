import type { ManualSystem } from '../../src/testing/index.ts';

/** Advances time until the promise has settled; fails if it has not within the limit. */
export async function within<T>(system: ManualSystem, limitMs: number, promise: Promise<T>, stepMs = limitMs / 20): Promise<T> {
  let settled = false;
  const mark = (): void => void (settled = true);
  promise.then(mark, mark);
  await system.settle();
  for (let passed = 0; !settled && passed < limitMs; passed += stepMs) await system.advance(stepMs);
  if (!settled) throw new Error(`not settled within ${limitMs} ms`);
  return promise;
}
