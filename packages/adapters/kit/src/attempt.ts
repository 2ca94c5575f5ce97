/** Owns calling a function whose failure only means that there is no value: a user's, a framework's, or a getter. */

/** Runs a function. Returns `undefined` if it throws; a later rejection of a promise that it returned is ignored. */
export function attempt<Value>(task: () => Value): Value | undefined {
  try {
    const value = task();
    if (typeof value === 'object' && value !== null && 'then' in value) Promise.resolve(value).then(undefined, () => undefined);
    return value;
  } catch {
    return undefined;
  }
}
