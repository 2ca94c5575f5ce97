/**
 * Owns the counting of a run: turns as they begin and end, requests as they are sent. Constant space: it keeps sums, a sketch, and one number per second.
 */
import type { Schedule } from '../world/schedule.ts';
import type { RunMetrics } from './metrics.ts';
import { createQuantiles } from './quantiles.ts';
import type { Recovery } from './recovery.ts';
import { createRecovery } from './recovery.ts';

/** How a turn ended. */
interface TurnEnding {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly calls: number;
  readonly callsSucceeded: number;
  readonly succeeded: boolean;
  /** The turn has a call that can never work: it is no evidence about the policy. */
  readonly hopeless: boolean;
}

export interface Recorder {
  begun(calls: number, now: number): void;
  ended(ending: TurnEnding): void;
  sent(now: number): void;
  duplicated(): void;
  wasted(): void;
  metrics(): Omit<RunMetrics, 'world' | 'contender' | 'seed' | 'notes'>;
}

interface Share {
  good: number;
  all: number;
}

function add(share: Share, isGood: boolean): void {
  share.all += 1;
  if (isGood) share.good += 1;
}

const newShare = (): Share => ({ good: 0, all: 0 });
const toShare = ({ good, all }: Share): number | null => (all === 0 ? null : good / all);

export interface RecorderOptions {
  readonly schedule: Schedule;
  readonly durationMs: number;
  /** Turns continue at most this long. */
  readonly deadlineMs: number;
  /** Turns that begin after a fault and succeed within this time count as recovered. */
  readonly promptMs: number;
}

export function createRecorder({ schedule, durationMs, deadlineMs, promptMs }: RecorderOptions): Recorder {
  const seconds = Math.ceil(durationMs / 1_000);
  const allSeconds = Math.ceil((durationMs + deadlineMs) / 1_000) + 2;
  const perSecond = () => new Float64Array(allSeconds);
  const [begun, able, succeeded, latency, requests, opened, closed] = [
    perSecond(),
    perSecond(),
    perSecond(),
    perSecond(),
    perSecond(),
    perSecond(),
    perSecond(),
  ] as const;
  const total = newShare();
  const during = newShare();
  const after = newShare();
  const ofCalls = newShare();
  const latencies = createQuantiles();
  const recovery: Recovery | undefined =
    schedule.endsAt === undefined || schedule.endsAt >= durationMs ? undefined : createRecovery(schedule.endsAt, durationMs, promptMs);
  const endsAt = schedule.endsAt ?? Infinity;
  let [turns, calls, callsDuring, sent, sentDuring, failed, failedWaitMs, partial, duplicates, wasted] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

  const count = (seconds: Float64Array, time: number, by = 1): void => {
    const second = Math.min(allSeconds - 1, Math.floor(time / 1_000));
    seconds[second] = (seconds[second] ?? 0) + by;
  };
  const countAble = ({ startedAt, endedAt, succeeded: isGood }: TurnEnding): void => {
    const tookMs = endedAt - startedAt;
    add(total, isGood);
    count(able, startedAt);
    if (schedule.isFaulty(startedAt)) add(during, isGood);
    else if (startedAt >= endsAt && startedAt < endsAt + 30_000) add(after, isGood);
    recovery?.add(startedAt, isGood ? tookMs : Infinity);
    if (isGood) {
      latencies.add(tookMs);
      count(succeeded, startedAt);
      count(latency, startedAt, tookMs);
      return;
    }
    failed += 1;
    failedWaitMs += tookMs;
  };
  return {
    begun(ofTurn, now) {
      turns += 1;
      calls += ofTurn;
      if (schedule.isFaulty(now)) callsDuring += ofTurn;
      count(begun, now);
      count(opened, now);
    },
    ended(ending) {
      count(closed, ending.endedAt);
      if (ending.hopeless) return;
      countAble(ending);
      ofCalls.all += ending.calls;
      ofCalls.good += ending.callsSucceeded;
      if (!ending.succeeded && ending.callsSucceeded > 0) partial += 1;
    },
    sent(now) {
      sent += 1;
      if (schedule.isFaulty(now)) sentDuring += 1;
      count(requests, now);
    },
    duplicated() {
      duplicates += 1;
    },
    wasted() {
      wasted += 1;
    },
    metrics() {
      let open = 0;
      const toSeries = (values: Float64Array): readonly number[] => [...values.subarray(0, seconds)];
      return {
        turns,
        calls,
        requests: sent,
        success: toShare(total) ?? 1,
        during: toShare(during),
        after30s: toShare(after),
        partialTurns: partial,
        callSuccess: toShare(ofCalls) ?? 1,
        meanMs: latencies.mean,
        p50Ms: latencies.at(0.5),
        p95Ms: latencies.at(0.95),
        p99Ms: latencies.at(0.99),
        failedWaitMs: failed === 0 ? null : failedWaitMs / failed,
        requestsPerCall: calls === 0 ? 0 : sent / calls,
        requestsPerCallDuring: callsDuring === 0 ? null : sentDuring / callsDuring,
        peakPerSecond: requests.reduce((most, each) => Math.max(most, each), 0),
        recoveryS: recovery?.seconds() ?? null,
        duplicates,
        wastedRequests: wasted,
        faults: schedule.windows,
        series: {
          begun: toSeries(begun),
          success: toSeries(succeeded).map((good, second) => ratio(good, able[second])),
          latencyMs: toSeries(latency).map((sum, second) => ratio(sum, succeeded[second])),
          requests: toSeries(requests),
          waiting: toSeries(opened).map((more, second) => {
            open += more - (closed[second] ?? 0);
            return open;
          }),
        },
      };
    },
  };
}

function ratio(part: number, whole: number | undefined): number | null {
  return whole === undefined || whole === 0 ? null : part / whole;
}
