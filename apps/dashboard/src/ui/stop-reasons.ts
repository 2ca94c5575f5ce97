/** Describes why retries stopped. */
import { humanize } from './format.ts';

interface StopReasonText {
  /** For lists: `circuit open`. */
  readonly short: string;
  /** As a sentence. */
  readonly sentence: string;
}

const words: Readonly<Record<string, StopReasonText>> = {
  attempts: { short: 'attempts exhausted', sentence: 'The maximum number of attempts was reached.' },
  budget: { short: 'retry budget exhausted', sentence: 'The retry budget was exhausted: too many calls were being retried.' },
  deadline: {
    short: 'no time left',
    sentence: 'There was too little time for another attempt, within the retry time or before the deadline of the turn.',
  },
  circuit: { short: 'circuit open', sentence: 'The circuit was open, because the tool had failed too often.' },
  policy: {
    short: 'denied by a rule',
    sentence:
      'A recovery rule denies retries, the side effect may have happened and the tool is not safe to repeat, or nothing shows why it failed.',
  },
  not_retryable: { short: 'not retryable', sentence: 'The failure is permanent: the same request would fail again.' },
};

export const describeStopReason = (reason: string): StopReasonText =>
  Object.hasOwn(words, reason) && words[reason] !== undefined
    ? words[reason]
    : { short: humanize(reason), sentence: `Stopped by: ${humanize(reason)}.` };
