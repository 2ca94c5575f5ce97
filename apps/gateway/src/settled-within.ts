/** Owns waiting for something, but not for ever. */

/** A timer of more than that ends at once. */
export const longestTimerMs: number = 2_147_483_647;

/** The value, or `undefined` when the limit is up first. Rejects as the promise does. */
export async function settledWithin<Value>(promise: Promise<Value>, limitMs: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.min(limitMs, longestTimerMs), undefined);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
