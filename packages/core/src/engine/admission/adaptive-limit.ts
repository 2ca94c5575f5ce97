/**
 * How many calls of a tool may run at once, learned from how it answers.
 * Owns the limit, what moves it (slow windows of successes, the share of failures) and the slow start after a circuit has closed. Knows neither the circuit nor
 * the queue: callers pass in what it needs of them. `baseline-latency.ts` decides what is slow.
 *
 * 1. The limit begins open. It falls when answers take longer than usual while calls run in parallel, and rises while they do not.
 * 2. It falls once per round trip at most, never below `minLimit`, and never for timeouts or errors while no call waits: those are not signs of load.
 * 3. Slowness that smaller limits do not cure is not caused by this load: it becomes the new baseline, and the limit is restored.
 * 4. After a longer outage it begins with most of the calls that were in flight before, besides those that still hold slots, and trebles about once per round trip.
 * 5. Attempts that are out far longer than usual do not count: hung work does not load a tool that answers its siblings.
 * 6. Every function is O(1) amortised and allocates nothing.
 */
import type { AdaptiveLimitSettings } from '../settings/settings.ts';
import { advance, createInFlightAges, nextLagAt, type InFlightAges } from './in-flight-ages.ts';
import { updateBaseline, addDuration, SLOW, type BaselineLatency } from './baseline-latency.ts';

export interface AdaptiveLimit extends BaselineLatency {
  /** `false`: nothing is learned; only the slow start applies. */
  settings: AdaptiveLimitSettings | false;
  limit: number;
  readonly ages: InFlightAges;
  /** Duration of the last ten or so. */
  recentMs: number;
  /** Highest number of calls that the tool recently served in parallel, without those in its own queue. */
  peak: number;
  /** The slow start's end; 0 when there is none. */
  target: number;
  /** When the circuit opened; undefined while it is closed. */
  openedAt: number | undefined;
  lastCutAt: number;
  /** Successes since the server last answered that there were too many requests. */
  letIn: number;
  /** Successes still to come of attempts that were out at the latest cut: they describe the time before it. */
  stale: number;
  /** Of the present window of answers. */
  answers: number;
  failures: number;
  /** Where the present series of cuts began, and the slowest window of it, fading; 0 when there is none. */
  cutFrom: number;
  slowestMs: number;
}

const defaults = { initialLimit: 1_000, minLimit: 2, maxLimit: 1_000 } as const;

const FEWEST_ANSWERS = 20;
const RECENT_FOLLOWS = 0.1;
/** What is in service is the load times usual through present duration (Little's law), so a cut may go there at once; but not further than this. */
const DEEPEST_CUT = 0.3;
/** For errors, which do not show how far to cut. */
const CUT_FOR_ERRORS = 0.7;
/** With fewer calls in parallel, slowness is not caused by this load. */
const FEWEST_BESIDE = 4;
/** Per cut: one window that was slow by chance does not show whether the next cuts help. */
const SLOWEST_FADES = 0.7;
/** Of the peak, per success: half of it is forgotten in about 140. */
const PEAK_FORGETS = 0.005;
/** After an outage: of the peak before it, and at least so many. Half of the peak made one call in twenty of the first second wait for 2 s. */
const SHARE_AFTER_OUTAGE = 0.75;
const FIRST_AFTER_OUTAGE = 8;
/** Per success while starting slowly: the limit trebles per round trip, so that calls begun in the second of the recovery are answered within two. */
const SLOW_START_STEP = 2;
/** A circuit that was open for less was a false alarm, or a hiccup: no slow start is needed. */
const SHORT_OUTAGE_MS = 900;
/** After this long without a cut, and with no call waiting, the adaptive limit is out of date. */
const LOAD_FORGOTTEN_MS = 30_000;
const LAG_FACTOR = 10;
const LEAST_LAG_MS = 1_000;

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
    letIn: 0,
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

/** How long an attempt is out before it no longer counts as load. */
function lagMsOf({ baselineMs, recentMs }: AdaptiveLimit): number {
  return Math.max(LEAST_LAG_MS, LAG_FACTOR * (baselineMs === 0 ? LEAST_LAG_MS : Math.max(baselineMs, recentMs)));
}

/** Of `held` slots: how many count as load now. */
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
  if (waiting > 0 || learned.target > 0 || now - learned.lastCutAt < LOAD_FORGOTTEN_MS) return false;
  learned.limit = Math.max(learned.limit, initialOf(learned.settings));
  return load < Math.floor(learned.limit);
}

/** An attempt succeeded. `load` includes it. */
export function learnSuccess(learned: AdaptiveLimit, durationMs: number, load: number, waiting: number, now: number): void {
  const { baselineMs } = learned;
  const served = baselineMs === 0 ? load : load * Math.min(1, (SLOW * baselineMs) / Math.max(durationMs, 1));
  learned.peak = served > learned.peak ? served : learned.peak + (served - learned.peak) * PEAK_FORGETS;
  learned.letIn += 1;
  learned.recentMs += (durationMs - learned.recentMs) * (baselineMs === 0 ? 1 : RECENT_FOLLOWS);
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

/** An attempt was answered, well or not; a time limit is no answer. `usualShare`: of failures. */
export function learnAnswer(learned: AdaptiveLimit, failed: boolean, usualShare: number, load: number, waiting: number, now: number): void {
  learned.answers += 1;
  if (failed) learned.failures += 1;
  if (learned.answers < Math.max(FEWEST_ANSWERS, load)) return;
  const share = learned.failures / learned.answers;
  learned.answers = learned.failures = 0;
  // A full queue answers fast, and with errors: only that can be seen of it.
  if (learned.settings !== false && waiting > 0 && share > Math.max(0.2, 2 * usualShare, usualShare + 0.3))
    cut(learned, learned.settings, CUT_FOR_ERRORS, load, now);
}

/** The server answered that there were too many requests: afterwards at most as many calls start at once as it has accepted since the last time. */
export function noteThrottled(learned: AdaptiveLimit): void {
  const { settings, letIn } = learned;
  learned.letIn = 0;
  if (settings !== false) learned.limit = Math.min(learned.limit, Math.max(numbersOf(settings).minLimit, letIn));
}

export function circuitOpened(learned: AdaptiveLimit, now: number): void {
  learned.openedAt ??= now;
}

/** The circuit was open so shortly that nothing can have been down: chance opened it. */
export function wasFalseAlarm({ openedAt = 0 }: AdaptiveLimit, now: number): boolean {
  return now - openedAt < SHORT_OUTAGE_MS;
}

/** The slow start, unless it was over at once. */
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

/** New settings: the learned values stay, within their bounds. */
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
    // Only the queue shows when it is enough.
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
    if (load < FEWEST_BESIDE) return;
    cut(learned, settings, Math.max(DEEPEST_CUT, (SLOW * baselineMs) / meanMs), load, now);
    learned.slowestMs = Math.max(learned.slowestMs * SLOWEST_FADES, wholeMeanMs);
    return;
  }
  learned.cutFrom = learned.slowestMs = 0;
  if (learned.target > 0) return;
  const { maxLimit } = numbersOf(settings);
  // With no call waiting a higher limit changes nothing now, and lets the next burst through.
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

/** The limit is a quarter of the calls, or hardly any, and they are no faster: a queue that this load caused would be gone. */
function isToolSlower({ cutFrom, limit, slowestMs }: AdaptiveLimit, settings: AdaptiveLimitSettings, meanMs: number): boolean {
  const isFew = limit < FEWEST_BESIDE || limit <= Math.max(numbersOf(settings).minLimit, cutFrom / 4);
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
