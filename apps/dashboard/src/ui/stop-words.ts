/** Owns why nothing more was tried, in words. Pure. */
import { plainWords } from './format.ts';

interface StopWords {
  /** Of a list: `circuit open`. */
  readonly short: string;
  /** Why the retries stopped, as a sentence. */
  readonly sentence: string;
}

const words: Readonly<Record<string, StopWords>> = {
  attempts: { short: 'attempts used up', sentence: 'All attempts that the tool may make were used up.' },
  budget: { short: 'retry budget used up', sentence: 'The retry budget was used up: too many calls were being retried already.' },
  deadline: {
    short: 'no time left',
    sentence: 'The time for retries, or what was left until the deadline of the turn, was too short for another attempt.',
  },
  circuit: { short: 'circuit open', sentence: 'The circuit was open: the tool had failed too often to be asked again.' },
  policy: {
    short: 'forbidden by a rule',
    sentence: 'A policy forbids it, or the attempt may have had its effect and the tool is not safe to repeat.',
  },
  not_retryable: { short: 'not worth retrying', sentence: 'The failure is permanent: the same request would fail again.' },
};

export const stopWords = (reason: string): StopWords =>
  Object.hasOwn(words, reason) && words[reason] !== undefined
    ? words[reason]
    : { short: plainWords(reason), sentence: `Stopped by: ${plainWords(reason)}.` };
