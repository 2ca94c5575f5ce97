/** Owns what the faults of a service make of a request. Does not own its limits, its queue or its caches. */
import type { ErrorAnswer, Slow } from './fault.ts';
import type { ScheduledFault } from './schedule.ts';
import type { RetryAfter } from './limit-types.ts';

/** How long an error takes, unless the fault says otherwise. */
const ANSWER_MS = 20;
/** Factor for a bad replica that is slow. */
const SLOW = 10;

export interface Failure {
  readonly status: number;
  readonly afterMs: number;
  readonly retryAfterS: RetryAfter;
}

/** A request fails, is never answered, or is worked on. */
export type Fate = Failure | 'silence' | { readonly factor: number; readonly isLost: boolean };

export function failureOf({ status = 503, answerMs = ANSWER_MS, retryAfterS = 'none' }: ErrorAnswer): Failure {
  return { status, afterMs: answerMs, retryAfterS };
}

/** `unlucky`: whether a share of the requests includes this one, for the nth fault. */
export function fateOf(
  faults: readonly ScheduledFault[],
  replica: number,
  now: number,
  unlucky: (share: number, nth: number) => boolean,
): Fate {
  let factor = 1;
  let isLost = false;
  for (let nth = 0; nth < faults.length; nth++) {
    const fault = faults[nth] as ScheduledFault;
    if (now < fault.fromMs || now >= fault.untilMs) continue;
    const { kind } = fault;
    switch (kind.kind) {
      case 'outage':
        return failureOf(kind);
      case 'flapping':
        if (isDown(fault, now)) return failureOf(kind);
        break;
      case 'black_hole':
        return 'silence';
      case 'random_failures':
        if (unlucky(kind.share, nth)) return failureOf(kind);
        break;
      case 'lost_answers':
        isLost ||= unlucky(kind.share, nth);
        break;
      case 'slow':
        if (kind.share === undefined || unlucky(kind.share, nth)) factor *= slowness(kind, fault, now);
        break;
      case 'bad_replica':
        if (kind.replica !== replica) break;
        if (kind.how === 'errors') return failureOf({});
        if (kind.how === 'black_hole') return 'silence';
        if (kind.how === 'slow') factor *= SLOW;
        break;
      default:
    }
  }
  return { factor, isLost };
}

/** Whether a replica has been taken out of the service. */
export function isGone(faults: readonly ScheduledFault[], replica: number, now: number): boolean {
  return faults.some(
    ({ kind, fromMs, untilMs }) =>
      kind.kind === 'bad_replica' && kind.how === 'gone' && kind.replica === replica && now >= fromMs && now < untilMs,
  );
}

function slowness({ factor, periodMs, grows = false }: Slow, { fromMs, untilMs }: ScheduledFault, now: number): number {
  if (periodMs !== undefined && (now - fromMs) % periodMs < periodMs / 2) return 1;
  return grows ? 1 + ((factor - 1) * (now - fromMs)) / (untilMs - fromMs) : factor;
}

function isDown({ down }: ScheduledFault, now: number): boolean {
  return down.some(({ fromMs, untilMs }) => now >= fromMs && now < untilMs);
}
