/**
 * Owns the counting of a run: turns as they begin and end, requests as they are sent. Constant space: it keeps sums, a sketch, and one number per second.
 */
import type { Schedule } from '../world/schedule.ts';
import type { EndedTurn } from './ended-turn.ts';
import type { RunMetrics } from './metrics.ts';
import { createQuantiles } from './quantiles.ts';
import type { Recovery } from './recovery.ts';
import { createRecovery } from './recovery.ts';

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

/** Sums by second of simulated time. What comes after the last second counts to it. */
class PerSecond {
  readonly #sums: Float64Array;

  constructor(seconds: number) {
    this.#sums = new Float64Array(seconds);
  }

  add(time: number, by = 1): void {
    const second = Math.min(this.#sums.length - 1, Math.floor(time / 1_000));
    this.#sums[second] = (this.#sums[second] ?? 0) + by;
  }

  at(second: number): number | undefined {
    return this.#sums[second];
  }

  first(seconds: number): readonly number[] {
    return [...this.#sums.subarray(0, seconds)];
  }

  get peak(): number {
    return this.#sums.reduce((most, each) => Math.max(most, each), 0);
  }
}

export class Recorder {
  readonly #schedule: Schedule;
  readonly #endsAt: number;
  /** Shown in the series. */
  readonly #seconds: number;
  readonly #begun: PerSecond;
  readonly #able: PerSecond;
  readonly #succeeded: PerSecond;
  readonly #latency: PerSecond;
  readonly #requests: PerSecond;
  readonly #closed: PerSecond;
  readonly #total = newShare();
  readonly #during = newShare();
  readonly #after = newShare();
  readonly #ofCalls = newShare();
  readonly #latencies = createQuantiles();
  readonly #recovery: Recovery | undefined;
  #turns = 0;
  #calls = 0;
  #callsDuring = 0;
  #sent = 0;
  #sentDuring = 0;
  #failed = 0;
  #failedWaitMs = 0;
  #partial = 0;
  #duplicates = 0;
  #wasted = 0;

  constructor({ schedule, durationMs, deadlineMs, promptMs }: RecorderOptions) {
    const { endsAt = Infinity } = schedule;
    const perSecond = (): PerSecond => new PerSecond(Math.ceil((durationMs + deadlineMs) / 1_000) + 2);
    this.#schedule = schedule;
    this.#endsAt = endsAt;
    this.#seconds = Math.ceil(durationMs / 1_000);
    this.#begun = perSecond();
    this.#able = perSecond();
    this.#succeeded = perSecond();
    this.#latency = perSecond();
    this.#requests = perSecond();
    this.#closed = perSecond();
    if (endsAt < durationMs) this.#recovery = createRecovery(endsAt, durationMs, promptMs);
  }

  begun(calls: number, now: number): void {
    this.#turns += 1;
    this.#calls += calls;
    if (this.#schedule.isFaulty(now)) this.#callsDuring += calls;
    this.#begun.add(now);
  }

  ended(ending: EndedTurn): void {
    this.#closed.add(ending.endedAt);
    if (ending.hopeless) return;
    this.#countAble(ending);
    this.#ofCalls.all += ending.calls;
    this.#ofCalls.good += ending.callsSucceeded;
    if (!ending.succeeded && ending.callsSucceeded > 0) this.#partial += 1;
  }

  sent(now: number): void {
    this.#sent += 1;
    if (this.#schedule.isFaulty(now)) this.#sentDuring += 1;
    this.#requests.add(now);
  }

  duplicated(): void {
    this.#duplicates += 1;
  }

  wasted(): void {
    this.#wasted += 1;
  }

  metrics(): Omit<RunMetrics, 'world' | 'contender' | 'seed' | 'notes'> {
    const latencies = this.#latencies;
    return {
      turns: this.#turns,
      calls: this.#calls,
      requests: this.#sent,
      success: toShare(this.#total) ?? 1,
      during: toShare(this.#during),
      after30s: toShare(this.#after),
      partialTurns: this.#partial,
      callSuccess: toShare(this.#ofCalls) ?? 1,
      meanMs: latencies.mean,
      p50Ms: latencies.at(0.5),
      p95Ms: latencies.at(0.95),
      p99Ms: latencies.at(0.99),
      failedWaitMs: ratio(this.#failedWaitMs, this.#failed),
      requestsPerCall: ratio(this.#sent, this.#calls) ?? 0,
      requestsPerCallDuring: ratio(this.#sentDuring, this.#callsDuring),
      peakPerSecond: this.#requests.peak,
      recoveryS: this.#recovery?.seconds() ?? null,
      duplicates: this.#duplicates,
      wastedRequests: this.#wasted,
      faults: this.#schedule.windows,
      series: this.#series(),
    };
  }

  /** A turn that could work. */
  #countAble({ startedAt, endedAt, succeeded }: EndedTurn): void {
    const tookMs = endedAt - startedAt;
    add(this.#total, succeeded);
    this.#able.add(startedAt);
    if (this.#schedule.isFaulty(startedAt)) add(this.#during, succeeded);
    else if (startedAt >= this.#endsAt && startedAt < this.#endsAt + 30_000) add(this.#after, succeeded);
    this.#recovery?.add(startedAt, succeeded ? tookMs : Infinity);
    if (succeeded) {
      this.#latencies.add(tookMs);
      this.#succeeded.add(startedAt);
      this.#latency.add(startedAt, tookMs);
      return;
    }
    this.#failed += 1;
    this.#failedWaitMs += tookMs;
  }

  #series(): RunMetrics['series'] {
    const begun = this.#begun.first(this.#seconds);
    let open = 0;
    return {
      begun,
      success: this.#succeeded.first(this.#seconds).map((good, second) => ratio(good, this.#able.at(second))),
      latencyMs: this.#latency.first(this.#seconds).map((sum, second) => ratio(sum, this.#succeeded.at(second))),
      requests: this.#requests.first(this.#seconds),
      waiting: begun.map((more, second) => {
        open += more - (this.#closed.at(second) ?? 0);
        return open;
      }),
    };
  }
}

function ratio(part: number, whole: number | undefined): number | null {
  return whole === undefined || whole === 0 ? null : part / whole;
}
