/** Owns the client-side sending rate that rate limits reduce and cubic growth raises again. */
import type { RequestOutcome, Layer, PeerClock } from '../policy.ts';

const beta = 0.7;
const minCapacity = 1;
const minRate = 0.5;
const scale = 0.4;
const smooth = 0.8;

/** Calls wait for a token after the first rate limit; before it nothing is delayed. */
function sendingRate(clock: PeerClock): {
  readonly acquire: (then: () => void) => void;
  readonly observe: (outcome: RequestOutcome) => void;
} {
  const seconds = (): number => clock.now() / 1000;
  let enabled = false;
  let tokens = 0;
  let lastMaxRate = 0;
  let measuredRate = 0;
  let requests = 0;
  let rate = minRate;
  let capacity = minCapacity;
  let throttledAt = seconds();
  let refilledAt: number | undefined;
  let measuredAt = Math.floor(seconds());
  const refill = (): void => {
    if (refilledAt !== undefined) tokens = Math.min(capacity, tokens + (seconds() - refilledAt) * rate);
    refilledAt = seconds();
  };
  const measure = (): void => {
    const bucket = Math.floor(seconds() * 2) / 2;
    requests += 1;
    if (bucket <= measuredAt) return;
    measuredRate = (requests / (bucket - measuredAt)) * smooth + measuredRate * (1 - smooth);
    requests = 0;
    measuredAt = bucket;
  };
  const target = (outcome: RequestOutcome): number => {
    if (outcome.kind === 'rate_limited') {
      lastMaxRate = enabled ? Math.min(measuredRate, rate) : measuredRate;
      throttledAt = seconds();
      enabled = true;
      return lastMaxRate * beta;
    }
    const windowS = Math.cbrt((lastMaxRate * (1 - beta)) / scale);
    return scale * (seconds() - throttledAt - windowS) ** 3 + lastMaxRate;
  };
  const acquire = (then: () => void): void => {
    if (!enabled) return then();
    refill();
    // Slightly less than a token counts as one: a wait of less than a microsecond would not end.
    if (tokens < 1 - 1e-9) return clock.after(((1 - tokens) / rate) * 1000, () => acquire(then));
    tokens -= 1;
    then();
  };
  return {
    acquire,
    observe(outcome) {
      measure();
      const next = Math.min(target(outcome), 2 * measuredRate);
      refill();
      rate = Math.max(next, minRate);
      capacity = Math.max(next, minCapacity);
      tokens = Math.min(tokens, capacity);
    },
  };
}

/** Every attempt waits for its token, and its outcome adjusts the rate. */
export function pacedBySendingRate(clock: PeerClock): Layer {
  const pace = sendingRate(clock);
  return (inner) => (call, done) =>
    pace.acquire(() =>
      inner(call, (outcome) => {
        pace.observe(outcome);
        done(outcome);
      }),
    );
}
