/** Owns calling user code whose failure must have no effect: errors, thrown now or later, are only reported. */

/** Runs `task`; `onError` receives at most one error, also that of a returned promise. */
export function callSafely(task: () => unknown, onError: (error: unknown) => void): void {
  try {
    const returned = task();
    if (typeof returned === 'object' && returned !== null && 'then' in returned) Promise.resolve(returned).then(undefined, onError);
  } catch (error) {
    onError(error);
  }
}
