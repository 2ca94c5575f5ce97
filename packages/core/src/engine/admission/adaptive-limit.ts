/**
 * Owns the limit on concurrent calls of a tool, learned from how the tool answers: the limit, what moves it (slow windows of successes, the failure rate) and
 * the slow start after a circuit has closed. Knows neither the circuit nor the queue: callers pass in what it needs of them. `baseline-latency.ts` decides
 * what is slow.
 *
 * 1. The limit begins open. It falls when answers take longer than usual while calls run in parallel, and rises while they do not.
 * 1. The limit starts unrestricted. It falls when answers take longer than usual while calls run in parallel, and rises while they do not.
 * 2. It falls at most once per round trip, never below `minLimit`, and never because of timeouts or errors while no call waits: those are not signs of load.
 * 3. Slowness that lower limits do not reduce is not caused by this load: it becomes the new baseline, and the limit is restored.
 * 4. After a longer outage the limit starts at most of the calls that were in flight before, plus those that still hold slots, and triples about once per
 *    round trip.
 * 5. Attempts that have been running far longer than usual do not count: hung work puts no load on a tool that answers other calls.
 */
import type { AdaptiveLimitSettings } from '../settings/settings.ts';
import { advance, createInFlightAges, nextLagAt, type InFlightAges } from './in-flight-ages.ts';
import { updateBaseline, addDuration, SLOW, type BaselineLatency } from './baseline-latency.ts';

export interface AdaptiveLimit extends BaselineLatency {
  /** `false`: no limit is learned; only the slow start applies. */
  settings: AdaptiveLimitSettings | false;
  limit: number;
  readonly ages: InFlightAges;
  /** Moving average over the last ten or so durations. */
  recentMs: number;
  /** Highest number of calls that the tool recently served in parallel, without those in the tool's own queue. */
  peak: number;
  /** The limit at which the slow start ends; 0 when there is none. */
  target: number;
  /** When the circuit opened; undefined while it is closed. */
  openedAt: number | undefined;
  lastCutAt: number;
  /** Successes since the server last answered with too many requests. */
  successesSinceThrottled: number;
  /** Number of attempts that were running at the latest cut and have not succeeded yet: they describe the time before it. */
  stale: number;
  /** Counts of the current window of answers. */
  answers: number;
  failures: number;
  /** The limit before the current series of cuts, and the series' slowest window, fading with each cut; 0 when there is none. */
  cutFrom: number;
  slowestMs: number;
}

const defaults = { initialLimit: 1_000, minLimit: 2, maxLimit: 1_000 } as const;

const MIN_ANSWERS = 20;
const RECENT_SMOOTHING = 0.1;
/** Load in service is the load times baseline latency over current latency (Little's law), so one cut may go that far, but not below this share. */
const MIN_CUT_FACTOR = 0.3;
/** The cut for errors, which do not show how far to go. */
const ERROR_CUT_FACTOR = 0.7;
/** With fewer calls in parallel, slowness is not caused by this load. */
const MIN_PARALLEL = 4;
/** Applied per cut: one window that was slow by chance does not show whether the next cuts help. */
const SLOWEST_DECAY = 0.7;
/** Share by which the peak decays per success: its half-life is about 140 successes. */
const PEAK_DECAY = 0.005;
/** The limit after an outage: this share of the peak, and at least `FIRST_AFTER_OUTAGE`. At half of the peak, 5 % of the first calls waited for 2 s. */
const SHARE_AFTER_OUTAGE = 0.75;
const FIRST_AFTER_OUTAGE = 8;
/** Added per success during a slow start: the limit triples per round trip, so that calls made in the second of the recovery are answered within two. */
const SLOW_START_STEP = 2;
/** A circuit that was open for less was a false alarm or a short interruption: no slow start is needed. */
const SHORT_OUTAGE_MS = 900;
/** After this long without a cut, and with no call waiting, the adaptive limit is out of date. */
const LIMIT_EXPIRES_MS = 30_000;
const LAG_FACTOR = 10;
const MIN_LAG_MS = 1_000;

export function createAdaptiveLimit(settings: AdaptiveLimitSettings | false, firstPlace: number): AdaptiveLimit {
  return {
    settings,
    limit: initialOf(settings),
    ages: createInFlightAges(firstPlace),
    baselineMs: 0,
    recentMs: 0,
    peak: 0,
    target: 0,
    openedAt: undefined,
    lastCutAt: -Infinity,
    successesSinceThrottled: 0,
    lastMs: 0,
    apartMs: 0,
    samples: 0,
    totalMs: 0,
    wholeMs: 0,
    stale: 0,
    answers: 0,
    failures: 0,
    cutFrom: 0,
    slowestMs: 0,
  };
}

/** How long an attempt runs before it no longer counts as load. */
function lagMsOf({ baselineMs, recentMs }: AdaptiveLimit): number {
  return Math.max(MIN_LAG_MS, LAG_FACTOR * (baselineMs === 0 ? MIN_LAG_MS : Math.max(baselineMs, recentMs)));
}

/** How many of the `held` slots count as load now. */
export function loadOf(learned: AdaptiveLimit, held: number, now: number): number {
  advance(learned.ages, lagMsOf(learned), now);
  return held - learned.ages.lagging;
}

/** When the next attempt stops counting as load. */
export function nextUnloadAt(learned: AdaptiveLimit): number {
  return nextLagAt(learned.ages, lagMsOf(learned));
}

/** Whether one more call may run beside `load` others. */
export function hasRoom(learned: AdaptiveLimit, load: number, waiting: number, now: number): boolean {
  if (load < Math.floor(learned.limit)) return true;
  if (waiting > 0 || learned.target > 0 || now - learned.lastCutAt < LIMIT_EXPIRES_MS) return false;
  learned.limit = Math.max(learned.limit, initialOf(learned.settings));
  return load < Math.floor(learned.limit);
}

/** An attempt succeeded. `load` includes it. */
export function learnSuccess(learned: AdaptiveLimit, durationMs: number, load: number, waiting: number, now: number): void {
  const { baselineMs } = learned;
  const served = baselineMs === 0 ? load : load * Math.min(1, (SLOW * baselineMs) / Math.max(durationMs, 1));
  learned.peak = served > learned.peak ? served : learned.peak + (served - learned.peak) * PEAK_DECAY;
  learned.successesSinceThrottled += 1;
  learned.recentMs += (durationMs - learned.recentMs) * (baselineMs === 0 ? 1 : RECENT_SMOOTHING);
  if (learned.target > 0) climb(learned, waiting);
  if (learned.stale > 0) {
    learned.stale -= 1;
    return;
  }
  if (!addDuration(learned, durationMs)) return;
  const { samples } = learned;
  const meanMs = Math.max(learned.totalMs / samples, 1);
  const wholeMeanMs = learned.wholeMs / samples;
  learned.samples = learned.totalMs = learned.wholeMs = 0;
  if (learned.settings !== false) judgeLatency(learned, learned.settings, meanMs, wholeMeanMs, load, waiting, now);
  updateBaseline(learned, meanMs, waiting);
}

/** An attempt was answered, with success or an error; a timeout is not an answer. `usualShare` is the usual share of failures. */
export function learnAnswer(learned: AdaptiveLimit, failed: boolean, usualShare: number, load: number, waiting: number, now: number): void {
  learned.answers += 1;
  if (failed) learned.failures += 1;
  if (learned.answers < Math.max(MIN_ANSWERS, load)) return;
  const share = learned.failures / learned.answers;
  learned.answers = learned.failures = 0;
  // A full queue answers fast and with errors: the errors are the only sign of it.
  if (learned.settings !== false && waiting > 0 && share > Math.max(0.2, 2 * usualShare, usualShare + 0.3))
    cut(learned, learned.settings, ERROR_CUT_FACTOR, load, now);
}

/** The server answered with too many requests: from now on, at most as many calls start at once as it has accepted since the last time. */
export function noteThrottled(learned: AdaptiveLimit): void {
  const { settings, successesSinceThrottled } = learned;
  learned.successesSinceThrottled = 0;
  if (settings !== false) learned.limit = Math.min(learned.limit, Math.max(numbersOf(settings).minLimit, successesSinceThrottled));
}

export function circuitOpened(learned: AdaptiveLimit, now: number): void {
  learned.openedAt ??= now;
}

/** The circuit was open for so short a time that the tool cannot have been down: it opened by chance. */
export function wasFalseAlarm({ openedAt = 0 }: AdaptiveLimit, now: number): boolean {
  return now - openedAt < SHORT_OUTAGE_MS;
}

/** Begins the slow start, unless the outage was a false alarm. */
export function circuitClosed(learned: AdaptiveLimit, load: number, now: number): void {
  const { settings } = learned;
  const falseAlarm = wasFalseAlarm(learned, now);
  const numbers = numbersOf(settings);
  const besides = load + Math.max(FIRST_AFTER_OUTAGE, Math.ceil(learned.peak * SHARE_AFTER_OUTAGE));
  const first = settings === false ? besides : clampLimit(numbers, besides);
  const before = Math.min(Math.max(learned.peak, FIRST_AFTER_OUTAGE), numbers.maxLimit);
  learned.openedAt = undefined;
  learned.samples = learned.totalMs = learned.wholeMs = learned.stale = learned.answers = learned.failures = learned.cutFrom = 0;
  if (falseAlarm) {
    learned.target = 0;
    learned.limit = settings === false ? Infinity : Math.max(first, before);
    return;
  }
  learned.limit = first;
  learned.target = before;
}

/** Applies new settings: the learned values stay, within the new bounds. */
export function applyLimitSettings(learned: AdaptiveLimit, settings: AdaptiveLimitSettings | false): void {
  const wasOff = learned.settings === false;
  learned.settings = settings;
  if ((settings === false || wasOff) && learned.target === 0) learned.limit = initialOf(settings);
  if (settings === false) return;
  learned.limit = clampLimit(numbersOf(settings), learned.limit);
}

function climb(learned: AdaptiveLimit, waiting: number): void {
  learned.limit = Math.min(learned.limit + SLOW_START_STEP, numbersOf(learned.settings).maxLimit);
  if (learned.settings === false) {
    // Without an adaptive limit, only an empty queue shows that the limit is high enough.
    if (waiting > 0) return;
    learned.limit = Infinity;
  } else if (learned.limit < learned.target) return;
  learned.target = 0;
}

function judgeLatency(
  learned: AdaptiveLimit,
  settings: AdaptiveLimitSettings,
  meanMs: number,
  wholeMeanMs: number,
  load: number,
  waiting: number,
  now: number,
): void {
  const { baselineMs } = learned;
  if (baselineMs > 0 && meanMs > SLOW * baselineMs) {
    if (isToolSlower(learned, settings, wholeMeanMs)) return restoreLimit(learned, settings, wholeMeanMs);
    if (load < MIN_PARALLEL) return;
    cut(learned, settings, Math.max(MIN_CUT_FACTOR, (SLOW * baselineMs) / meanMs), load, now);
    learned.slowestMs = Math.max(learned.slowestMs * SLOWEST_DECAY, wholeMeanMs);
    return;
  }
  learned.cutFrom = learned.slowestMs = 0;
  if (learned.target > 0) return;
  const { maxLimit } = numbersOf(settings);
  // While no call waits, a higher limit changes nothing now and lets the next burst through.
  if (waiting === 0) learned.limit = Math.min(maxLimit, learned.limit * 2);
  else if (load > learned.limit / 2) learned.limit = Math.min(maxLimit, learned.limit + Math.max(1, Math.sqrt(learned.limit)));
}

function cut(learned: AdaptiveLimit, settings: AdaptiveLimitSettings, factor: number, load: number, now: number): void {
  if (now - learned.lastCutAt < learned.baselineMs) return;
  const { minLimit } = numbersOf(settings);
  const from = Math.min(learned.limit, load);
  if (learned.cutFrom === 0) learned.cutFrom = from;
  learned.lastCutAt = now;
  learned.stale = Math.ceil(from);
  learned.target = 0;
  learned.limit = Math.max(minLimit, from * factor);
}

/** The limit was cut to a quarter, or to a few calls, and answers are no faster: slowness that this load caused would be gone. */
function isToolSlower({ cutFrom, limit, slowestMs }: AdaptiveLimit, settings: AdaptiveLimitSettings, meanMs: number): boolean {
  const isFew = limit < MIN_PARALLEL || limit <= Math.max(numbersOf(settings).minLimit, cutFrom / 4);
  return cutFrom > 0 && isFew && meanMs > 0.75 * slowestMs;
}

function restoreLimit(learned: AdaptiveLimit, settings: AdaptiveLimitSettings, meanMs: number): void {
  learned.baselineMs = meanMs;
  learned.limit = clampLimit(numbersOf(settings), learned.cutFrom);
  learned.cutFrom = learned.slowestMs = 0;
}

function initialOf(settings: AdaptiveLimitSettings | false): number {
  const numbers = numbersOf(settings);
  return clampLimit(numbers, numbers.initialLimit);
}

function clampLimit({ minLimit, maxLimit }: Numbers, limit: number): number {
  return Math.min(Math.max(limit, minLimit), maxLimit);
}

type Numbers = { readonly [Name in keyof AdaptiveLimitSettings]-?: number };

function numbersOf(settings: AdaptiveLimitSettings | false): Numbers {
  if (settings === false) return unlimited;
  const { initialLimit = defaults.initialLimit, minLimit = defaults.minLimit, maxLimit = defaults.maxLimit } = settings;
  return { initialLimit, minLimit, maxLimit: Math.max(minLimit, maxLimit) };
}

const unlimited = { initialLimit: Infinity, minLimit: Infinity, maxLimit: Infinity } as const;
