/** Owns the rate limit of a service: requests are counted in consecutive windows from time 0. */
import type { RateLimit } from './limit-types.ts';

/** Returns `undefined` for an accepted request, otherwise the number of whole seconds until the next window. */
export function createRateWindow({ limit, windowMs }: RateLimit): (now: number) => number | undefined {
  let current = -1;
  let counted = 0;
  return (now) => {
    const window = Math.floor(now / windowMs);
    if (window !== current) {
      current = window;
      counted = 0;
    }
    if (counted >= limit) return Math.max(1, Math.ceil(((window + 1) * windowMs - now) / 1_000));
    counted += 1;
    return undefined;
  };
}
