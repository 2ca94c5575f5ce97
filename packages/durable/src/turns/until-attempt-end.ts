/** Owns ending a wait with its attempt: if Restate or the connection is lost, its SDK never settles the promise. */

const ENDED = 'The attempt has ended: Restate or the connection to it was lost. The turn continues on the worker that Restate calls next.';

const attemptEnded = (): Error => Object.assign(new Error(ENDED), { name: 'AttemptEnded', code: 'ATTEMPT_ENDED' });

/** Settles as the wait does, or rejects with the code `ATTEMPT_ENDED` when the signal aborts. */
export const untilAttemptEnd = <Value>(wait: () => Promise<Value>, signal: AbortSignal): Promise<Value> => {
  if (signal.aborted) return Promise.reject(attemptEnded());
  return new Promise((resolve, reject) => {
    const end = (): void => reject(attemptEnded());
    signal.addEventListener('abort', end, { once: true });
    void wait()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', end));
  });
};
