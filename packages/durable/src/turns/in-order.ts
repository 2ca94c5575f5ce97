/**
 * Owns the order in which the results of steps reach Restate: the order in which the work resolved, also within one tick. Restate appends the results of
 * a worker in that order, so its journal has no result without the earlier ones.
 */

/** Wraps pieces of work. Each result is passed on after the previous one was accepted. */
export const createOrderedWork = (): ((work: () => Promise<string>) => Promise<string>) => {
  let before: Promise<void> = Promise.resolve();
  return async (work) => {
    const text = await work();
    const previous = before;
    let release: () => void = () => undefined;
    before = new Promise((resolve) => {
      release = resolve;
    });
    await previous;
    // The SDK accepts it within the same tick.
    setImmediate(release);
    return text;
  };
};
