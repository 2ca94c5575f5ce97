/** Owns callers without a library: a single attempt, or a hand-written retry loop. */
import type { PeerModel } from '../policy.ts';
import { isFailure } from '../policy.ts';
import { exponential, spread } from '../layers/delays.ts';
import { retrying } from '../layers/retrying.ts';

/** One attempt within the tool's time limit. */
export const none: PeerModel = {
  name: 'none',
  source: 'No library: a request and its time limit',
  configuration: 'one attempt',
  policy: () => (inner) => inner,
};

export const naive5: PeerModel = {
  name: 'naive5',
  source: 'The loop written by hand',
  configuration: 'five attempts of everything, 200 ms doubling, ±10 %',
  policy: (clock) => retrying(clock, { attempts: 5, retries: isFailure, delayMs: spread(clock, exponential(200), 0.9, 1.1) }),
};
