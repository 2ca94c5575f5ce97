/**
 * Owns the order in which steps' results reach Restate: that in which their works resolved, also where several do in one tick. Restate appends what one
 * worker hands it in that order, so its journal has no result without the ones before.
 */

/** Wraps works. Each result is handed on when the one before it has been taken. */
export const createOneByOne = (): ((work: () => Promise<string>) => Promise<string>) => {
  let before: Promise<void> = Promise.resolve();
  return async (work) => {
    const text = await work();
    const previous = before;
    let taken: () => void = () => undefined;
    before = new Promise((resolve) => {
      taken = resolve;
    });
    await previous;
    // The SDK takes it within the tick that it is handed on in.
    setImmediate(taken);
    return text;
  };
};
