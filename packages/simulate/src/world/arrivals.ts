/** Owns when turns begin in an open world: by chance, at a rate that bursts may raise. Drawn from the seed alone. */
import { meanOf, sampler } from './distribution.ts';
import { createStream } from './streams.ts';
import type { Arrivals, Burst } from './world.ts';

type Open = Extract<Arrivals, { kind: 'open' }>;

/** A stretch of time at one rate, per millisecond. */
interface Stretch {
  readonly untilMs: number;
  readonly rate: number;
}

/** Answers the times one after the other. */
export function arrivalTimes({ ratePerSecond, burst }: Open, seed: string, name: string): () => number {
  const stream = createStream(seed, `arrivals ${name}`);
  const stretches = burst ? bursts(burst, ratePerSecond, seed, name) : steady(ratePerSecond);
  let stretch = stretches.next().value;
  let time = 0;
  let count = 0;
  return () => {
    // Chance is drawn in units of expected arrivals, then spent over the stretches.
    let left = -Math.log(1 - stream(count++));
    while (stretch.rate === 0 || left > stretch.rate * (stretch.untilMs - time)) {
      left -= stretch.rate * (stretch.untilMs - time);
      time = stretch.untilMs;
      stretch = stretches.next().value;
    }
    time += left / stretch.rate;
    return time;
  };
}

function* steady(ratePerSecond: number): Generator<Stretch, never> {
  for (;;) yield { untilMs: Number.MAX_VALUE, rate: ratePerSecond / 1_000 };
}

function* bursts(burst: Burst, average: number, seed: string, name: string): Generator<Stretch, never> {
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

/** Between bursts, per second, so that the average comes out. */
export function lowRate({ every, lasts, ratePerSecond }: Burst, average: number): number {
  const inBurst = meanOf(lasts);
  return Math.max(0, (average * meanOf(every) - ratePerSecond * inBurst) / Math.max(1, meanOf(every) - inBurst));
}
