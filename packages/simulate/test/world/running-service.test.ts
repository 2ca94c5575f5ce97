import { createAgenda } from '@holdfast/core/internal';
import { describe, expect, it } from 'vitest';
import type { WorldFault, Service } from '../../src/index.ts';
import { failureOf, type Failure } from '../../src/world/fate.ts';
import { RunningService } from '../../src/world/running-service.ts';
import { drawSchedule } from '../../src/world/schedule.ts';
import { scenarios } from '../../src/index.ts';

const plain: Service = { servers: 2, queue: 3, latency: { kind: 'constant', ms: 100 } };

function scene(service: Service, faults: readonly WorldFault[] = []) {
  const agenda = createAgenda();
  const world = { ...scenarios.nominal, services: { s: service }, faults };
  const running = new RunningService('s', service, drawSchedule(world, '1').faultsOf('s'), agenda, '1');
  const log: string[] = [];
  const send = (callKey: number, at: number, { nth = 1, hopeless = undefined as Failure | undefined } = {}): void => {
    const note = (what: string): void => void log.push(`${callKey} ${what} ${agenda.now()}`);
    agenda.at(at, () =>
      running.receive({
        callKey,
        nth,
        hopeless,
        durationOf: undefined,
        worked: () => note('worked'),
        succeed: () => note('ok'),
        fail: ({ status, headers }) => note([status, ...Object.entries(headers).flat()].join(' ')),
      }),
    );
  };
  const answers = (): readonly string[] => {
    agenda.run();
    return log.filter((line) => !line.includes('worked'));
  };
  return { agenda, log, send, answers };
}

const fault = (kind: object, fromMs = 0, forMs = 1_000): WorldFault => ({ service: 's', fromMs, forMs, ...kind }) as WorldFault;

describe('a service', () => {
  it('answers 503 in 20 ms when its queue is full', () => {
    const { send, answers } = scene(plain);
    for (let key = 1; key <= 6; key++) send(key, 0);
    expect(answers()).toEqual(['6 503 20', '1 ok 100', '2 ok 100', '3 ok 200', '4 ok 200', '5 ok 300']);
  });

  it('answers 429 in 10 ms beyond its limit, with the seconds until the next window', () => {
    const { send, answers } = scene({ ...plain, rateLimit: { limit: 2, windowMs: 10_000 } });
    send(1, 1_000);
    send(2, 2_500);
    send(3, 2_600);
    send(4, 9_999);
    send(5, 10_000);
    expect(answers()).toEqual(['1 ok 1100', '2 ok 2600', '3 429 retry-after 8 2610', '4 429 retry-after 1 10009', '5 ok 10100']);
  });

  it('answers at once with an error during an outage', () => {
    const { send, answers } = scene(plain, [fault({ kind: 'outage', status: 502, answerMs: 5 }, 100, 100)]);
    send(1, 99);
    send(2, 100);
    send(3, 199);
    send(4, 200);
    expect(answers()).toEqual(['2 502 105', '1 ok 199', '3 502 204', '4 ok 300']);
  });

  it('never answers and does nothing as a black hole', () => {
    const { send, answers, log } = scene(plain, [fault({ kind: 'black_hole' })]);
    send(1, 10);
    expect(answers()).toEqual([]);
    expect(log).toEqual([]);
  });

  it('does the work even if its answers get lost', () => {
    const { send, answers, log } = scene(plain, [fault({ kind: 'lost_answers', share: 1 })]);
    send(1, 10);
    expect(answers()).toEqual([]);
    expect(log).toEqual(['1 worked 110']);
  });

  it('works with fewer servers during a brownout, and then with all of them', () => {
    const { send, answers } = scene({ ...plain, servers: 4, queue: 100 }, [fault({ kind: 'brownout', capacity: 0.25 }, 50, 300)]);
    for (let key = 1; key <= 8; key++) send(key, 60);
    // One at a time from 60 on; at 350 one request is in progress, and three more servers come back.
    expect(answers()).toEqual(['1 ok 160', '2 ok 260', '3 ok 360', '4 ok 450', '5 ok 450', '6 ok 450', '7 ok 460', '8 ok 550']);
  });

  it('has a tenth of its servers at first when it recovers gradually', () => {
    const { send, answers } = scene({ ...plain, servers: 10, queue: 100 }, [
      { ...fault({ kind: 'outage' }, 0, 100), recoverOverMs: 10_000 },
    ]);
    for (let key = 1; key <= 4; key++) send(key, 100);
    expect(answers()).toEqual(['1 ok 200', '2 ok 300', '3 ok 400', '4 ok 500']);
  });

  it('takes the given number of times as long when it is slow', () => {
    const { send, answers } = scene(plain, [fault({ kind: 'slow', factor: 3 })]);
    send(1, 10);
    expect(answers()).toEqual(['1 ok 310']);
  });

  it('answers calls that can never succeed with 400', () => {
    const { send, answers } = scene(plain);
    send(1, 0, { hopeless: failureOf({ status: 400 }) });
    expect(answers()).toEqual(['1 400 20']);
  });

  it('fails the given share, different requests at each attempt', () => {
    const { send, answers } = scene({ ...plain, servers: 10_000 }, [fault({ kind: 'random_failures', share: 0.3 })]);
    for (let key = 1; key <= 4_000; key++) send(key, 1, { nth: 1 + (key % 3) });
    const failed = answers().filter((line) => line.includes('503')).length;
    // 1,200 expected, with a standard deviation of 29.
    expect(Math.abs(failed - 1_200)).toBeLessThan(120);
  });

  it.each(['errors', 'black_hole', 'slow'] as const)('serves two thirds with one bad replica of three (%s)', (how) => {
    const { send, answers } = scene({ ...plain, servers: 10_000, replicas: 3 }, [fault({ kind: 'bad_replica', replica: 2, how })]);
    for (let key = 1; key <= 3_000; key++) send(key, 0);
    const good = answers().filter((line) => line.endsWith('ok 100')).length;
    expect(Math.abs(good - 2_000)).toBeLessThan(130);
  });

  it('takes a replica that is gone out of the service', () => {
    const { send, answers } = scene({ ...plain, servers: 1, queue: 0, replicas: 3 }, [
      fault({ kind: 'bad_replica', replica: 1, how: 'gone' }),
    ]);
    for (let key = 1; key <= 30; key++) send(key, 0);
    expect(answers().filter((line) => line.endsWith('ok 100'))).toHaveLength(2);
  });

  it('answers 503 when no replica is left', () => {
    const { send, answers } = scene(plain, [fault({ kind: 'bad_replica', replica: 0, how: 'gone' }, 0, 100)]);
    send(1, 99);
    send(2, 100);
    expect(answers()).toEqual(['1 503 119', '2 ok 200']);
  });

  it.each<[object, string]>([
    [{ kind: 'outage', retryAfterS: 3_600 }, '1 503 retry-after 3600 30'],
    [{ kind: 'outage', retryAfterS: 0 }, '1 503 retry-after 0 30'],
    [{ kind: 'outage' }, '1 503 30'],
    [{ kind: 'random_failures', share: 1, retryAfterS: 2.5 }, '1 503 retry-after 2.5 30'],
    [{ kind: 'flapping', downMs: [500, 500], upMs: [1, 1], retryAfterS: 7 }, '1 503 retry-after 7 30'],
  ])('says what it is made to say: %j', (kind, answer) => {
    const { send, answers } = scene(plain, [fault(kind)]);
    send(1, 10);
    expect(answers()).toEqual([answer]);
  });

  it.each<[object, readonly string[]]>([
    [{}, ['retry-after 8', 'retry-after 1']],
    [{ retryAfterS: 3_600 }, ['retry-after 3600', 'retry-after 3600']],
    [{ retryAfterS: 'none' }, ['429', '429']],
  ])('with a limit says %j', (saying, ends) => {
    const { send, answers } = scene(plain, [fault({ kind: 'rate_limit', limit: 1, windowMs: 10_000, ...saying }, 0, 20_000)]);
    send(1, 1_000);
    send(2, 2_500);
    send(3, 9_500);
    expect(answers().map((line) => line.split(' ').slice(1, -1).join(' '))).toEqual([
      'ok',
      ...ends.map((end) => (end === '429' ? end : `429 ${end}`)),
    ]);
  });

  it('lets bursts pass a token bucket, and the rate on average', () => {
    const { send, answers } = scene({ ...plain, servers: 100, tokenBucket: { ratePerSecond: 0.5, burst: 2 } });
    for (const key of [1, 2, 3]) send(key, 1_000);
    send(4, 2_900);
    send(5, 3_000);
    send(6, 3_000);
    // After a long pause there are two tokens again, not more.
    for (const key of [7, 8, 9]) send(key, 60_000);
    expect(answers()).toEqual([
      '3 429 retry-after 2 1010',
      '1 ok 1100',
      '2 ok 1100',
      '4 429 retry-after 1 2910',
      '6 429 retry-after 2 3010',
      '5 ok 3100',
      '9 429 retry-after 2 60010',
      '7 ok 60100',
      '8 ok 60100',
    ]);
  });

  it('limits with a token bucket as long as the fault lasts', () => {
    const { send, answers } = scene({ ...plain, servers: 100 }, [fault({ kind: 'token_bucket', ratePerSecond: 1, burst: 1 }, 100, 100)]);
    for (const [key, at] of [99, 100, 101, 199, 200].entries()) send(key, at);
    expect(
      answers()
        .filter((line) => line.includes('ok'))
        .map((line) => line[0]),
    ).toEqual(['0', '1', '4']);
  });

  it('is slow for a share of the requests: a heavy tail', () => {
    const { send, answers } = scene({ ...plain, servers: 10_000 }, [fault({ kind: 'slow', factor: 50, share: 0.1 })]);
    for (let key = 1; key <= 4_000; key++) send(key, 1);
    const slow = answers().filter((line) => line.endsWith('ok 5001')).length;
    // 400 expected, with a standard deviation of 19.
    expect(Math.abs(slow - 400)).toBeLessThan(95);
  });

  it('is slow in the second half of each period', () => {
    const { send, answers } = scene(plain, [fault({ kind: 'slow', factor: 3, periodMs: 2_000 }, 500, 10_000)]);
    for (const [key, at] of [600, 1_499, 1_500, 2_499, 2_500].entries()) send(key, at);
    expect(answers()).toEqual(['0 ok 700', '1 ok 1599', '2 ok 1800', '4 ok 2600', '3 ok 2799']);
  });

  it('grows slower and slower', () => {
    const { send, answers } = scene(plain, [fault({ kind: 'slow', factor: 5, grows: true }, 1_000, 10_000)]);
    for (const [key, at] of [1_000, 3_500, 6_000, 11_000].entries()) send(key, at);
    expect(answers()).toEqual(['0 ok 1100', '1 ok 3700', '2 ok 6300', '3 ok 11100']);
  });

  it('is slow after a fault until its cache is warm', () => {
    const { send, answers } = scene(plain, [{ ...fault({ kind: 'outage' }, 100, 100), coldCache: { factor: 5, requests: 2 } }]);
    send(1, 0);
    send(2, 200);
    send(3, 1_000);
    // Two requests were served since.
    send(4, 2_000);
    expect(answers()).toEqual(['1 ok 100', '2 ok 700', '3 ok 1300', '4 ok 2100']);
  });

  it('has its capacity back in as many steps as it is told', () => {
    const { send, answers } = scene({ ...plain, servers: 10, queue: 100 }, [
      { ...fault({ kind: 'outage' }, 0, 100), recoverOverMs: 1_000, recoverSteps: 1 },
    ]);
    for (let key = 1; key <= 12; key++) send(key, 100);
    // One at a time for a second, then all ten.
    expect(answers().slice(9)).toEqual(['10 ok 1100', '11 ok 1200', '12 ok 1200.001']);
  });
});
