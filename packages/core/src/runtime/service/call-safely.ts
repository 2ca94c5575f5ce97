/** Owns calling foreign code whose outcome must not matter: what it throws, now or later, is told and goes no further. */

/** Runs `task`; `onError` hears at most one error, also that of a promise it answered with. */
export function guarded(task: () => unknown, onError: (error: unknown) => void): void {
  try {
    const returned = task();
    if (typeof returned === 'object' && returned !== null && 'then' in returned) Promise.resolve(returned).then(undefined, onError);
  } catch (error) {
    onError(error);
  }
}
