/** Owns the guarantees about what the calls of a tool share: slots, waiting for them, rate limit, retry budget, and the wait that a server asked for. */
import type { ToolSettings } from '@holdfast/core';
import type { SeenEvent, Work } from '../play/observation.ts';
import { awake } from '../play/observation.ts';
import type { Case } from './case.ts';
import { describeWork, group, TOLERANCE_MS, isFree, judge, late, limitOf, round } from './case.ts';

export function checkGates(one: Case): void {
  const { play, fail } = one;
  const byTool = group(play.works, ({ toolName, process }) => `${process} ${toolName}`);
  for (const works of byTool.values()) {
    const [first] = works;
    const settings = first && play.settings[first.toolName];
    if (!first || !settings) continue;
    checkSlots(one, works, settings);
    const paid = payments(one, works, first);
    checkRateLimit(paid, first, settings, fail);
    checkBudget(one, paid, works, settings);
    checkIdleSlots(one, works, first, settings);
  }
}

/** When the slot of an attempt is free again: when its work ends, or is abandoned. */
function freeAt({ settingsOf, callOf }: Case, work: Work): number {
  const settings = settingsOf(work);
  // Work without a limit is left running by a deadline, and is abandoned like work that was aborted then.
  const leftAt = Number.isFinite(limitOf(work, settings))
    ? Number.POSITIVE_INFINITY
    : (callOf(work)?.answeredAt ?? Number.POSITIVE_INFINITY);
  return Math.min(work.endedAt, awake(work.sleeps, Math.min(work.abortedAt, leftAt) + settings.abandonMs));
}

function checkSlots(one: Case, works: readonly Work[], settings: ToolSettings): void {
  if (!settings.concurrency) return;
  const { limit } = settings.concurrency;
  for (const work of works) {
    const inFlight = works.filter((other) => other.order <= work.order && freeAt(one, other) > work.beganAt + TOLERANCE_MS);
    if (inFlight.length > limit) return one.fail(`${describeWork(work)}: ${inFlight.length} requests in flight, but ${limit} are allowed`);
  }
}

interface Payment {
  /** When the budget was paid. */
  readonly at: number;
  /** When the rate limit was paid; undefined for a call that never was. */
  readonly ratedAt: number | undefined;
  readonly isRetry: boolean;
  /** The call waited for the tool to recover: it is free of the budget. */
  readonly isFree: boolean;
}

/** When limits were paid: a call pays before it waits. Where calls wait for recovery, the rate limit is paid when an attempt starts. */
function payments({ play, callOf, settingsOf }: Case, works: readonly Work[], { toolName, process }: Work): readonly Payment[] {
  const waitsForRecovery = Boolean(play.settings[toolName]?.waitForRecovery);
  const isPaid = (wait: string | undefined): boolean => (waitsForRecovery ? wait !== 'recovery' : wait === 'concurrency');
  const waits = play.events.filter(
    ({ event, process: own }) =>
      own === process && event.event_type === 'AdmissionWaiting' && isPaid(event.wait) && event.tool_id === toolName,
  );
  const used = new Set<SeenEvent>();
  const attemptsOfCall = group(works, ({ turnId, callId }) => `${turnId} ${callId}`);
  const started = works.map((work): Payment => {
    const attempts = attemptsOfCall.get(`${work.turnId} ${work.callId}`) ?? [];
    const before = attempts[attempts.indexOf(work) - 1];
    // The call's last event before it began: a wait that ended otherwise was paid for, and so is this attempt.
    const latest = play.events.findLast(
      ({ event, order }) =>
        order < work.order &&
        event.turn_id === work.turnId &&
        'call_id' in event &&
        event.call_id === work.callId &&
        event.event_type !== 'AttemptStarted' &&
        !late.has(event.event_type),
    );
    // An attempt beside a slow one has not waited: the wait before it was the other's.
    const wait = latest && waits.includes(latest) && !used.has(latest) ? latest : undefined;
    if (wait) used.add(wait);
    const call = callOf(work);
    const { waitForRecovery } = settingsOf(work);
    const waited = latest?.event.event_type === 'AdmissionWaiting' && latest.event.wait === 'recovery' && waitForRecovery;
    const at = wait?.at ?? work.beganAt;
    return {
      at,
      ratedAt: waitForRecovery ? work.beganAt : at,
      isRetry: before !== undefined,
      isFree: Boolean(waited) || (call !== undefined && isFree(call, work)),
    };
  });
  const neverStarted = waits
    .filter((seen) => !used.has(seen))
    .map((seen): Payment => {
      const callId = 'call_id' in seen.event ? seen.event.call_id : '';
      const attempts = attemptsOfCall.get(`${seen.event.turn_id} ${callId}`) ?? [];
      const isRetry = attempts.some(({ order }) => order < seen.order);
      return { at: seen.at, ratedAt: waitsForRecovery ? undefined : seen.at, isRetry, isFree: true };
    });
  return [...started, ...neverStarted].toSorted((a, b) => a.at - b.at);
}

function checkRateLimit(paid: readonly Payment[], { toolName }: Work, { rateLimit }: ToolSettings, fail: Case['fail']): void {
  if (!rateLimit) return;
  const times = paid.flatMap(({ ratedAt }) => (ratedAt === undefined ? [] : [ratedAt]));
  for (const at of times) {
    const within = times.filter((other) => other >= at && other < at + rateLimit.windowMs - TOLERANCE_MS).length;
    if (within > rateLimit.limit)
      return fail(`${toolName}: ${within} calls within ${rateLimit.windowMs} ms from ${round(at)}, but ${rateLimit.limit} are allowed`);
  }
}

/** The engine's window rolls in tenths: it covers at least nine tenths. */
function checkBudget({ fail }: Case, paid: readonly Payment[], works: readonly Work[], { retryBudget }: ToolSettings): void {
  if (!retryBudget) return;
  const { ratio, floor, windowMs } = retryBudget;
  const earnings = paid.flatMap(({ at, isRetry }) => (isRetry ? [] : [at]));
  const toolName = works[0]?.toolName ?? '';
  for (const { at, isRetry, isFree: isExempt } of paid) {
    if (!isRetry || isExempt) continue;
    const retries = paid.filter(
      (other) => other.isRetry && !other.isFree && other.at <= at && other.at > at - 0.9 * windowMs + TOLERANCE_MS,
    ).length;
    const earned = earnings.filter((time) => time <= at + TOLERANCE_MS && time > at - windowMs - TOLERANCE_MS).length;
    const max = Math.ceil(floor + ratio * earned - 1e-9);
    if (retries > max)
      return fail(`${toolName}: retry ${retries} within ${windowMs} ms at ${round(at)}, with ${earned} calls, but ${max} are allowed`);
  }
}

/** No call waits while a slot is free. */
function checkIdleSlots(one: Case, works: readonly Work[], { toolName, process }: Work, settings: ToolSettings): void {
  const { turns, fail } = one;
  const { concurrency } = settings;
  if (!concurrency || settings.waitForRecovery) return;
  const moments = [...new Set(works.flatMap((work) => [freeAt(one, work), work.beganAt]))].filter((at) => at < Number.POSITIVE_INFINITY);
  for (const { calls, played } of turns) {
    // A killed process does not record its end.
    if (played.process !== process || !played.report) continue;
    for (const { events, call } of calls)
      for (const [index, { event, at }] of events.entries()) {
        if (event.event_type !== 'AdmissionWaiting' || event.wait !== 'concurrency' || event.tool_id !== toolName) continue;
        const until = events[index + 1]?.at ?? Number.POSITIVE_INFINITY;
        const idle = moments.find((moment) => {
          const inside = moment > at - TOLERANCE_MS && moment < until - 1;
          return (
            inside &&
            works.filter((work) => work.beganAt <= moment + TOLERANCE_MS && freeAt(one, work) > moment + TOLERANCE_MS).length <
              concurrency.limit
          );
        });
        if (idle !== undefined)
          fail(
            `${played.turn.turnId}/${call.callId}: waits for a slot of ${toolName} from ${round(at)} to ${round(until)}, and one is free at ${round(idle)}`,
          );
      }
  }
}

/** The longest that one Retry-After keeps other calls of its tool away. */
const HOLD_MS = 10_000;

/** A wait that a server asks for applies to all calls of its tool, for `HOLD_MS` at most, until a request that was sent later is answered. */
export function checkSharedWaits({ play, turns, fail }: Case): void {
  // An operator who resets a circuit, or switches it off, also ends the wait.
  const controlled = new Set(play.scene.commands.map(({ toolName }) => toolName));
  for (const { calls } of turns)
    for (const { works, settingsOf, answeredAt, events } of calls)
      for (const work of works) {
        const settings = settingsOf(work.toolName);
        const { verdict, at } = judge(work, settings);
        // For work that is no longer waited for, only success or failure is recorded.
        const isLate =
          at > answeredAt + TOLERANCE_MS || events.some(({ event }) => event.event_type === 'LateResult' && event.attempt === work.attempt);
        // Where calls wait for recovery, a hint binds the call that got it; others are held once several calls have failed.
        if (settings.waitForRecovery) continue;
        if (work.waitMs === 0 || controlled.has(work.toolName) || verdict !== 'transient' || isLate) continue;
        const until = at + Math.min(work.waitMs, HOLD_MS);
        const others = play.works.filter(({ toolName, process }) => toolName === work.toolName && process === work.process);
        const answered = Math.min(
          ...others.filter((other) => other.beganAt > work.beganAt + TOLERANCE_MS).map((other) => answeredFrom(other, settings)),
        );
        const early = others.find(({ beganAt }) => beganAt > at + TOLERANCE_MS && beganAt < Math.min(until - 1, answered - TOLERANCE_MS));
        if (early)
          fail(
            `${describeWork(early)}: ${round(until - early.beganAt)} ms before the hold is over for the Retry-After of ${work.waitMs} ms that ${describeWork(work)} received at ${round(at)}`,
          );
      }
}

/** When a request was answered by its server, with a success or a permanent error; Infinity when it was not. */
function answeredFrom(work: Work, settings: ToolSettings): number {
  const { verdict, at } = judge(work, settings);
  return verdict === 'success' || verdict === 'permanent' ? at : Infinity;
}

/** A timer never fires within a moment of being set. */
const ALARM_MS = 2;

/** No call waits for recovery longer than allowed. */
export function checkRecoveryWaits({ turns, fail, play }: Case): void {
  for (const { calls, played } of turns)
    for (const { events, call, settingsOf } of calls) {
      const began = events.find(({ event }) => event.event_type === 'CallStarted')?.at ?? played.beganAt;
      for (const [index, { event, at }] of events.entries()) {
        if (event.event_type !== 'AdmissionWaiting') continue;
        const { waitForRecovery } = settingsOf(event.tool_id);
        const until = events.slice(index + 1).find((next) => !late.has(next.event.event_type))?.at;
        if (!waitForRecovery || until === undefined || event.queued === undefined) continue;
        if (until > awake(play.sleeps, began + waitForRecovery.maxWaitMs) + ALARM_MS)
          fail(
            `${played.turn.turnId}/${call.callId}: waits for ${event.tool_id} from ${round(at)} to ${round(until)}, may wait until ${round(began + waitForRecovery.maxWaitMs)}`,
          );
      }
    }
}
