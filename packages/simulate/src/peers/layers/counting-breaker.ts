/** Owns the breaker that decides by the last N calls, and allows several trial calls when half-open. */
import type { RequestOutcome, Layer, PeerClock, SendCall } from '../policy.ts';

export interface CountingBreaker {
  readonly size: number;
  readonly share: number;
  readonly openMs: number;
  readonly trials: number;
  readonly counts: (outcome: RequestOutcome) => boolean;
}

export function countingBreaker(clock: PeerClock, { size, share, openMs, trials, counts }: CountingBreaker): Layer {
  return (inner) => {
    let generation = 0;
    let state: 'closed' | 'open' | 'half_open' = 'closed';
    let openedAt = 0;
    let permits = 0;
    let recent: boolean[] = [];
    const move = (next: typeof state): void => {
      state = next;
      generation += 1;
      recent = [];
      permits = trials;
      openedAt = clock.now();
    };
    const judge = (): void => {
      const wanted = state === 'half_open' ? trials : size;
      if (recent.length < wanted) return;
      const failed = recent.filter(Boolean).length / recent.length >= share;
      if (failed) move('open');
      else if (state === 'half_open') move('closed');
    };
    const send: SendCall = (call, done) => {
      if (state === 'open' && clock.now() - openedAt >= openMs) move('half_open');
      if (state === 'open' || (state === 'half_open' && permits === 0)) return done({ kind: 'refused' });
      permits -= 1;
      const mine = generation;
      inner(call, (outcome) => {
        if (mine === generation) {
          recent.push(counts(outcome));
          if (recent.length > size) recent.shift();
          judge();
        }
        done(outcome);
      });
    };
    return send;
  };
}
