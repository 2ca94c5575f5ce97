/** Owns the breaker of consecutive failures whose half-open callers wait for the one probe. */
import type { RequestOutcome, Layer, PeerClock, SendCall } from '../policy.ts';

type State =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly at: number }
  | { readonly kind: 'half_open'; readonly waiting: (() => void)[] };

/** `counts` decides which answers are failures; it is not called for calls that the breaker refused. */
export function waitingBreaker(clock: PeerClock, threshold: number, openMs: number, counts: (outcome: RequestOutcome) => boolean): Layer {
  return (inner) => {
    let state: State = { kind: 'closed' };
    let failures = 0;
    const move = (next: State): void => {
      const waiting = state.kind === 'half_open' ? state.waiting : [];
      state = next;
      for (const resume of waiting) resume();
    };
    const open = (): void => {
      if (state.kind !== 'open') move({ kind: 'open', at: clock.now() });
    };
    const sendClosed: SendCall = (call, done) =>
      inner(call, (outcome) => {
        // Whatever the state is now: a late failure still opens it.
        if (!counts(outcome)) failures = 0;
        else if (++failures >= threshold) open();
        done(outcome);
      });
    const probe: SendCall = (call, done) => {
      const mine: State = { kind: 'half_open', waiting: [] };
      state = mine;
      inner(call, (outcome) => {
        if (state === mine) {
          if (counts(outcome)) {
            failures += 1;
            open();
          } else {
            failures = 0;
            move({ kind: 'closed' });
          }
        }
        done(outcome);
      });
    };
    const send: SendCall = (call, done) => {
      if (state.kind === 'closed') sendClosed(call, done);
      else if (state.kind === 'half_open') state.waiting.push(() => send(call, done));
      else if (clock.now() - state.at < openMs) done({ kind: 'refused' });
      else probe(call, done);
    };
    return send;
  };
}
