import { describe, expect, it } from 'vitest';
import { none } from '../../src/peers/models/alone.ts';
import { cockatiel, opossum, opossumRetry, pRetry } from '../../src/peers/models/node.ts';
import { polly, resilience4j, temporal } from '../../src/peers/models/platforms.ts';
import { aws2026, grpc, openaiSdk } from '../../src/peers/models/sdks.ts';
import { peerModels } from '../../src/peers/catalogue.ts';
import { answering, createBench, ok, outcomesOf, permanent, rateLimited, unavailable } from './support.ts';

const every = (count: number, gapMs: number): readonly number[] => Array.from({ length: count }, (_, index) => index * gapMs);

describe('models of peers', () => {
  it('have unique names, and name the source of their defaults', () => {
    expect(new Set(peerModels.map(({ name }) => name)).size).toBe(peerModels.length);
    for (const { source, configuration } of peerModels) {
      expect(source.length).toBeGreaterThan(10);
      expect(configuration.length).toBeGreaterThan(5);
    }
  });

  it('none: one request', () => {
    const bench = createBench();
    expect(
      outcomesOf(
        bench,
        none.policy(bench.clock),
        answering(bench, () => unavailable),
        [0],
      ),
    ).toEqual(['unavailable']);
    expect(bench.sentAt).toEqual([0]);
  });

  it('p-retry: eleven attempts, one second doubling, permanent errors too', () => {
    const bench = createBench();
    outcomesOf(
      bench,
      pRetry.policy(bench.clock),
      answering(bench, () => permanent),
      [0],
    );
    expect(bench.sentAt).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1023].map((seconds) => seconds * 1000));
  });

  it('temporal: no attempt begins after schedule-to-close', () => {
    const bench = createBench();
    outcomesOf(
      bench,
      temporal.policy(bench.clock),
      answering(bench, () => unavailable),
      [0],
    );
    expect(bench.sentAt).toEqual([0, 1, 3, 7, 15, 31].map((seconds) => seconds * 1000));
  });

  it('aws-2026: the bucket pays for 35 retries, then it takes 4 successes to earn the next', () => {
    const bench = createBench(0);
    const spend = outcomesOf(
      bench,
      aws2026.policy(bench.clock),
      answering(bench, (nth) => (nth < 55 || nth > 58 ? unavailable : ok)),
      every(30, 10_000),
    );
    // 17 calls with three attempts, one with two, one with one, then two single attempts more: 35 retries.
    expect(bench.sentAt.filter((time) => time < 200_000)).toHaveLength(20 + 35);
    expect(spend.filter((kind) => kind === 'ok')).toHaveLength(4);
    // 500 − 35 × 14 = 10, + 4 = 14: one more.
    expect(bench.sentAt).toHaveLength(30 + 36);
  });

  it('aws-2026: waits for Retry-After, but at most five seconds more than its own delay', () => {
    const bench = createBench(0.5);
    outcomesOf(
      bench,
      aws2026.policy(bench.clock),
      answering(bench, (nth) => (nth === 0 ? rateLimited(60_000) : ok)),
      [0],
    );
    expect(bench.sentAt).toEqual([0, 5_500]);
  });

  it('openai-sdk: waits for the whole Retry-After', () => {
    const bench = createBench(0.5);
    outcomesOf(
      bench,
      openaiSdk.policy(bench.clock),
      answering(bench, (nth) => (nth === 0 ? rateLimited(9_000) : ok)),
      [0],
    );
    expect(bench.sentAt).toEqual([0, 9_000]);
  });

  it('grpc: no retries once half of the tokens are gone', () => {
    const bench = createBench(0.5);
    outcomesOf(
      bench,
      grpc.policy(bench.clock),
      answering(bench, () => unavailable),
      every(10, 10_000),
    );
    // Four attempts take four tokens, the next call's first leaves five.
    expect(bench.sentAt).toHaveLength(4 + 9);
  });

  it('cockatiel: opens at the fifth failure in a row; callers wait for the probe and run together after it', () => {
    const bench = createBench(0.5);
    const outcomes = outcomesOf(
      bench,
      cockatiel.policy(bench.clock),
      answering(bench, (nth) => (nth < 6 ? permanent : ok), 100),
      [0, 0, 20_000, 20_010, 20_020],
    );
    expect(outcomes).toEqual(['refused', 'refused', 'ok', 'ok', 'ok']);
    expect(bench.sentAt.slice(-3)).toEqual([20_000, 20_100, 20_100]);
  });

  it('opossum: opens above 50 % failures in ten seconds, for thirty, and lets one call through', () => {
    const bench = createBench(0.5);
    const outcomes = outcomesOf(
      bench,
      opossum.policy(bench.clock),
      answering(bench, (nth) => (nth === 0 ? unavailable : ok), 100),
      [0, 200, 29_000, 30_200, 30_210, 30_400],
    );
    expect(outcomes).toEqual(['unavailable', 'refused', 'refused', 'ok', 'refused', 'ok']);
  });

  it('opossum: filtered errors close a half-open circuit', () => {
    const bench = createBench(0.5);
    const outcomes = outcomesOf(
      bench,
      opossum.policy(bench.clock),
      answering(bench, (nth) => (nth === 0 ? unavailable : permanent), 100),
      [0, 30_200, 30_400],
    );
    expect(outcomes).toEqual(['unavailable', 'permanent', 'permanent']);
  });

  it('opossum-retry: an open circuit is not retried', () => {
    const bench = createBench(0.5);
    expect(
      outcomesOf(
        bench,
        opossumRetry.policy(bench.clock),
        answering(bench, () => unavailable),
        [0],
      ),
    ).toEqual(['refused']);
    expect(bench.sentAt).toEqual([0]);
  });

  it('polly: opens at 10 % failures of at least 100 calls, for five seconds', () => {
    const bench = createBench(0.5);
    const layer = polly.policy(bench.clock);
    // Calls that can never succeed are not retried; ten of the last calls are counted, the hundredth completes the minimum.
    const outcomes = outcomesOf(
      bench,
      layer,
      answering(bench, (nth) => (nth >= 89 && nth < 100 ? unavailable : ok)),
      [...every(101, 10), 1_050, 6_100],
    );
    expect(outcomes.slice(0, 89).every((kind) => kind === 'ok')).toBe(true);
    expect(outcomes.at(-2)).toBe('refused');
    expect(outcomes.at(-1)).toBe('ok');
  });

  it('resilience4j: counts the last hundred calls, then allows ten trial calls at a time', () => {
    const bench = createBench(0.5);
    const times = [...every(60, 10), ...Array.from({ length: 12 }, () => 70_000)];
    const outcomes = outcomesOf(
      bench,
      resilience4j.policy(bench.clock),
      answering(bench, (nth) => (nth < 100 ? unavailable : ok), 100),
      times,
    );
    expect(bench.sentAt.filter((time) => time < 60_000).length).toBeGreaterThanOrEqual(100);
    expect(bench.sentAt.filter((time) => time === 70_000)).toHaveLength(10);
    expect(outcomes.slice(60)).toEqual(Array.from({ length: 12 }, () => 'ok'));
    expect(bench.sentAt.slice(-2)).toEqual([70_500, 70_500]);
  });
});
