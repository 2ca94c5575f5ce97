/** Names a failed attempt or a refusal: in a word, and in a sentence. */
import type { FailureView } from '@holdfast/core/turn-view';

/** `503`, `timeout`, `CIRCUIT_OPEN`. */
export function shortError({ refused, status, timedOut, code, category }: FailureView): string {
  if (refused) return code || 'refused';
  if (status !== undefined) return String(status);
  return timedOut ? 'timeout' : code || category || 'error';
}

export function failureText(failure: FailureView | undefined): string {
  if (failure === undefined) return '';
  return failure.refused && failure.message === '' ? `not called: ${failure.code || 'refused'}` : failure.message;
}
