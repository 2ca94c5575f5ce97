/** Owns breakers that open on a share of failures in a time window, and let one probe through when they have been open long enough. */
import type { RequestOutcome, Layer, PeerClock, SendCall } from '../policy.ts';
import { rollingCounts } from './rolling-counts.ts';

export interface ShareBreaker {
  /** Opens above this share. */
  readonly share: number;
  /** Also opens at exactly the share. @default false */
  readonly inclusive?: boolean;
  readonly minimum: number;
  readonly windowMs: number;
  readonly steps: number;
  readonly openMs: number;
  /** Counts calls when they begin, refused ones too, instead of when they are answered. @default false */
  readonly countsAtStart?: boolean;
  /** Treats answers of calls begun before a change of state as if they were the probe's. @default false */
  readonly countsStaleAnswers?: boolean;
  /** Clears the counts when the circuit closes. @default false */
  readonly forgets?: boolean;
  readonly counts: (outcome: RequestOutcome) => boolean;
}

export function shareBreaker(clock: PeerClock, settings: ShareBreaker): Layer {
  const { share, inclusive, minimum, windowMs, steps, openMs, countsAtStart, countsStaleAnswers, forgets, counts } = settings;
  return (inner) => {
    const window = rollingCounts(clock.now, windowMs, steps);
    let state: 'closed' | 'open' | 'half_open' = 'closed';
    let openedAt = 0;
    let probing = false;
    const open = (): void => {
      if (state !== 'open') openedAt = clock.now();
      state = 'open';
      probing = false;
    };
    const close = (): void => {
      state = 'closed';
      if (forgets) window.clear();
    };
    const isOver = (): boolean => {
      const { failures, total } = window.sums();
      return total >= minimum && (inclusive ? failures / total >= share : failures / total > share);
    };
    const observe = (outcome: RequestOutcome, isProbe: boolean): void => {
      const failed = counts(outcome);
      if (!countsAtStart) window.add('total');
      if (failed) window.add('failures');
      if (state === 'half_open' && (isProbe || countsStaleAnswers)) {
        probing = false;
        if (failed) open();
        else close();
      } else if (state === 'closed' && failed && isOver()) open();
    };
    const send: SendCall = (call, done) => {
      if (countsAtStart) window.add('total');
      if (state === 'open' && clock.now() - openedAt >= openMs) state = 'half_open';
      const isProbe = state === 'half_open' && !probing;
      if (state !== 'closed' && !isProbe) return done({ kind: 'refused' });
      probing = isProbe;
      inner(call, (outcome) => {
        observe(outcome, isProbe);
        done(outcome);
      });
    };
    return send;
  };
}
