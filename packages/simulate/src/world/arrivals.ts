/** Owns when turns begin in an open world: at random, at a rate that bursts may raise. Drawn from the seed alone. */
import { meanOf, sampler } from './distribution.ts';
import { log } from './portable-math.ts';
import { createStream } from './streams.ts';
import type { Arrivals, Burst } from './world.ts';

type Open = Extract<Arrivals, { kind: 'open' }>;

/** A period with one rate, per millisecond. */
interface Period {
  readonly untilMs: number;
  readonly rate: number;
}

/** Returns the times one after the other. */
export function arrivalTimes({ ratePerSecond, burst }: Open, seed: string, name: string): () => number {
  const stream = createStream(seed, `arrivals ${name}`);
  const periods = burst ? bursts(burst, ratePerSecond, seed, name) : steady(ratePerSecond);
  let period = periods.next().value;
  let time = 0;
  let count = 0;
  return () => {
    // Random gaps are drawn in units of expected arrivals, then spread over the periods.
    let left = -log(1 - stream(count++));
    while (period.rate === 0 || left > period.rate * (period.untilMs - time)) {
      left -= period.rate * (period.untilMs - time);
      time = period.untilMs;
      period = periods.next().value;
    }
    time += left / period.rate;
    return time;
  };
}

function* steady(ratePerSecond: number): Generator<Period, never> {
  for (;;) yield { untilMs: Number.MAX_VALUE, rate: ratePerSecond / 1_000 };
}

function* bursts(burst: Burst, average: number, seed: string, name: string): Generator<Period, never> {
  const low = lowRate(burst, average) / 1_000;
  const high = burst.ratePerSecond / 1_000;
  const stream = createStream(seed, `bursts ${name}`);
  const everyMs = sampler(burst.every);
  const lastsMs = sampler(burst.lasts);
  let beginsAt = everyMs(stream(0, 0)) * stream(0, 1);
  for (let nth = 1; ; nth++) {
    yield { untilMs: beginsAt, rate: low };
    const endsAt = beginsAt + lastsMs(stream(nth, 0));
    yield { untilMs: endsAt, rate: high };
    beginsAt = Math.max(endsAt, beginsAt + everyMs(stream(nth, 1)));
  }
}

/** Rate between bursts, per second, that keeps the average. */
export function lowRate({ every, lasts, ratePerSecond }: Burst, average: number): number {
  const inBurst = meanOf(lasts);
  return Math.max(0, (average * meanOf(every) - ratePerSecond * inBurst) / Math.max(1, meanOf(every) - inBurst));
}
