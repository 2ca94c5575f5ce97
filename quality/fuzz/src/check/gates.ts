/** Owns the guarantees about what the calls of a tool share: slots, waiting for them, rate limit, retry budget, and the wait that a server asked for. */
import type { ToolSettings } from '@holdfast/core';
import type { SeenEvent, Work } from '../play/observation.ts';
import { awake } from '../play/observation.ts';
import type { Case } from './case.ts';
import { group, HAIR_MS, isFree, judge, late, round, describeWork } from './case.ts';

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
function freeAt({ settingsOf }: Case, work: Work): number {
  return Math.min(work.endedAt, awake(work.sleeps, work.abortedAt + settingsOf(work).abandonMs));
}

function checkSlots(one: Case, works: readonly Work[], settings: ToolSettings): void {
  if (!settings.concurrency) return;
  const { limit } = settings.concurrency;
  for (const work of works) {
    const beside = works.filter((other) => other.order <= work.order && freeAt(one, other) > work.beganAt + HAIR_MS);
    if (beside.length > limit) return one.fail(`${describeWork(work)}: the ${beside.length}. request in flight where ${limit} are allowed`);
  }
}

interface Payment {
  readonly at: number;
  readonly isRetry: boolean;
  /** The call waited for the tool to recover: it is free of the budget. */
  readonly isFree: boolean;
}

/** When limits were paid: a call that waits for a slot pays before it waits. */
function payments({ play, callOf, settingsOf }: Case, works: readonly Work[], { toolName, process }: Work): readonly Payment[] {
  const waits = play.events.filter(
    ({ event, process: own }) =>
      own === process && event.event_type === 'AdmissionWaiting' && event.wait === 'concurrency' && event.tool_id === toolName,
  );
  const used = new Set<SeenEvent>();
  const legs = group(works, ({ turnId, callId }) => `${turnId} ${callId}`);
  const begun = works.map((work): Payment => {
    const leg = legs.get(`${work.turnId} ${work.callId}`) ?? [];
    const before = leg[leg.indexOf(work) - 1];
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
    const waited =
      latest?.event.event_type === 'AdmissionWaiting' && latest.event.wait !== 'concurrency' && settingsOf(work).waitForRecovery;
    return {
      at: wait?.at ?? work.beganAt,
      isRetry: before !== undefined,
      isFree: Boolean(waited) || (call !== undefined && isFree(call, work)),
    };
  });
  const never = waits
    .filter((seen) => !used.has(seen))
    .map((seen): Payment => {
      const callId = 'call_id' in seen.event ? seen.event.call_id : '';
      const leg = legs.get(`${seen.event.turn_id} ${callId}`) ?? [];
      return { at: seen.at, isRetry: leg.some(({ order }) => order < seen.order), isFree: true };
    });
  return [...begun, ...never].toSorted((a, b) => a.at - b.at);
}

function checkRateLimit(paid: readonly Payment[], { toolName }: Work, { rateLimit }: ToolSettings, fail: Case['fail']): void {
  if (!rateLimit) return;
  for (const { at } of paid) {
    const within = paid.filter((other) => other.at >= at && other.at < at + rateLimit.windowMs - HAIR_MS).length;
    if (within > rateLimit.limit)
      return fail(`${toolName}: ${within} calls within ${rateLimit.windowMs} ms from ${round(at)} where ${rateLimit.limit} are allowed`);
  }
}

/** The engine's window rolls in tenths: it covers at least nine tenths. */
function checkBudget({ settingsOf, fail }: Case, paid: readonly Payment[], works: readonly Work[], { retryBudget }: ToolSettings): void {
  if (!retryBudget) return;
  const { ratio, floor, windowMs, of = 'calls' } = retryBudget;
  const earnings =
    of === 'calls'
      ? paid.flatMap(({ at, isRetry }) => (isRetry ? [] : [at]))
      : works.flatMap((work) => (['success', 'open'].includes(judge(work, settingsOf(work)).verdict) ? [work.endedAt] : []));
  const toolName = works[0]?.toolName ?? '';
  for (const { at, isRetry, isFree: isHeldToNone } of paid) {
    if (!isRetry || isHeldToNone) continue;
    const retries = paid.filter(
      (other) => other.isRetry && !other.isFree && other.at <= at && other.at > at - 0.9 * windowMs + HAIR_MS,
    ).length;
    const earned = earnings.filter((time) => time <= at + HAIR_MS && time > at - windowMs - HAIR_MS).length;
    const max = Math.ceil(floor + ratio * earned - 1e-9);
    if (retries > max)
      return fail(`${toolName}: retry ${retries} within ${windowMs} ms at ${round(at)}, with ${earned} ${of}, where ${max} are allowed`);
  }
}

/** No call waits while a slot is free. */
function checkIdleSlots(one: Case, works: readonly Work[], { toolName, process }: Work, settings: ToolSettings): void {
  const { turns, fail } = one;
  const { concurrency } = settings;
  if (!concurrency || concurrency.adaptive || settings.waitForRecovery) return;
  const moments = [...new Set(works.flatMap((work) => [freeAt(one, work), work.beganAt]))].filter((at) => at < Number.POSITIVE_INFINITY);
  for (const { calls, played } of turns) {
    // A killed process does not record its end.
    if (played.process !== process || !played.report) continue;
    for (const { events, call } of calls)
      for (const [index, { event, at }] of events.entries()) {
        if (event.event_type !== 'AdmissionWaiting' || event.wait !== 'concurrency' || event.tool_id !== toolName) continue;
        const until = events[index + 1]?.at ?? Number.POSITIVE_INFINITY;
        const idle = moments.find((moment) => {
          const inside = moment > at - HAIR_MS && moment < until - 1;
          return (
            inside &&
            works.filter((work) => work.beganAt <= moment + HAIR_MS && freeAt(one, work) > moment + HAIR_MS).length < concurrency.limit
          );
        });
        if (idle !== undefined)
          fail(
            `${played.turn.turnId}/${call.callId}: waits for a slot of ${toolName} from ${round(at)} to ${round(until)}, and one is free at ${round(idle)}`,
          );
      }
  }
}

/** A wait that a server asks for applies to all calls of its tool. */
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
          at > answeredAt + HAIR_MS || events.some(({ event }) => event.event_type === 'LateResult' && event.attempt === work.attempt);
        if (work.waitMs === 0 || controlled.has(work.toolName) || verdict !== 'transient' || isLate) continue;
        const early = play.works.find(
          (other) =>
            other.toolName === work.toolName &&
            other.process === work.process &&
            other.beganAt > at + HAIR_MS &&
            other.beganAt < at + work.waitMs - 1,
        );
        if (early)
          fail(
            `${describeWork(early)}: ${round(at + work.waitMs - early.beganAt)} ms before the Retry-After of ${work.waitMs} ms is over that ${describeWork(work)} received at ${round(at)}`,
          );
      }
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
