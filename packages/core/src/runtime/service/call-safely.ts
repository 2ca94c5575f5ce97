/** Owns calling user code whose failure must not matter: what it throws, now or later, is reported and goes no further. */

/** Runs `task`; `onError` gets at most one error, also that of a returned promise. */
export function callSafely(task: () => unknown, onError: (error: unknown) => void): void {
  try {
    const returned = task();
    if (typeof returned === 'object' && returned !== null && 'then' in returned) Promise.resolve(returned).then(undefined, onError);
  } catch (error) {
    onError(error);
  }
}
