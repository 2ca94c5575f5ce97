/** A library's model in front of a service with scripted answers. */
import { createAgenda } from '@holdfast/core/internal';
import type { Agenda } from '@holdfast/core/internal';
import type { LabCall } from '../../src/run/contender.ts';
import type { Layer, RequestOutcome, PeerClock, SendCall } from '../../src/peers/policy.ts';

export interface Bench {
  readonly agenda: Agenda;
  readonly clock: PeerClock;
  /** When requests were sent. */
  readonly sentAt: number[];
}

/** `draws` are used in turn; the last one is repeated. */
export function createBench(...draws: readonly number[]): Bench {
  const agenda = createAgenda();
  let drawn = 0;
  const clock: PeerClock = {
    now: () => agenda.now(),
    after: (delayMs, task) => void agenda.at(agenda.now() + delayMs, task),
    random: () => draws[Math.min(drawn++, draws.length - 1)] ?? 0.5,
  };
  return { agenda, clock, sentAt: [] };
}

export const ok: RequestOutcome = { kind: 'ok' };
export const unavailable: RequestOutcome = { kind: 'unavailable' };
export const permanent: RequestOutcome = { kind: 'permanent' };

export function rateLimited(retryAfterMs: number): RequestOutcome {
  return { kind: 'rate_limited', retryAfterMs };
}

/** Answers the n-th request (from 0), `afterMs` later. */
export function answering({ agenda, clock, sentAt }: Bench, answer: (nth: number) => RequestOutcome, afterMs = 0): SendCall {
  return (_call, done) => {
    const nth = sentAt.length;
    sentAt.push(agenda.now());
    clock.after(afterMs, () => done(answer(nth)));
  };
}

const call: LabCall = { plan: { id: 'a', toolName: 'a', dependsOn: [], optional: false, critical: false }, key: 1 };

/** Sends a call at each of the times and returns their results. */
export function outcomesOf(
  { agenda }: Bench,
  layer: Layer,
  service: SendCall,
  times: readonly number[],
): readonly (RequestOutcome['kind'] | undefined)[] {
  const send = layer(service);
  const kinds: (RequestOutcome['kind'] | undefined)[] = times.map(() => undefined);
  for (const [index, time] of times.entries()) agenda.at(time, () => send(call, ({ kind }) => (kinds[index] = kind)));
  agenda.run();
  return kinds;
}
