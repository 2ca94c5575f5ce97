/** Owns client-side throttling: requests are refused with a probability that follows the share that the service accepts. */
import type { Layer, PeerClock } from '../policy.ts';
import { isTransient } from '../policy.ts';
import { rollingCounts } from './rolling-counts.ts';

export interface Throttler {
  /** Below this share of successes it begins to refuse. */
  readonly successShare: number;
  readonly windowMs: number;
  /** It never refuses more than this share. */
  readonly atMost: number;
}

/** Its own refusals are not counted. */
export function throttler(clock: PeerClock, { successShare, windowMs, atMost }: Throttler): Layer {
  return (inner) => {
    const window = rollingCounts(clock.now, windowMs, 20);
    return (call, done) => {
      const { failures, total } = window.sums();
      const refusal = Math.min(atMost, (total - (total - failures) / successShare) / (total + 1));
      if (refusal > clock.random()) return done({ kind: 'refused' });
      inner(call, (outcome) => {
        window.add('total');
        if (isTransient(outcome)) window.add('failures');
        done(outcome);
      });
    };
  };
}
