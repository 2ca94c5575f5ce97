/** Owns the guarantees about time: the deadline, the caller's cancellation, dependencies, concurrency, and that no work runs unneeded. */
import { awake } from '../play/observation.ts';
import type { Case, CheckedCall, CheckedTurn } from './case.ts';
import { TOLERANCE_MS, limitOf, round, describeWork } from './case.ts';

/** How long after its deadline a turn may return. */
const GRACE_MS = 50;

export function checkTimes({ turns, fail, play }: Case): void {
  for (const turn of turns) {
    const { played, deadlineAt } = turn;
    const { turnId, cancelAtMs } = played.turn;
    // The caller sleeps with the machine.
    const cancelledAt =
      cancelAtMs === undefined ? Number.POSITIVE_INFINITY : awake(play.sleeps, played.beganAt + (cancelAtMs < 1 ? 0 : cancelAtMs));
    const endsBy = Math.min(deadlineAt, cancelledAt);
    if (played.report && played.returnedAt > awake(play.sleeps, endsBy) + GRACE_MS)
      fail(`${turnId}: returned at ${round(played.returnedAt)}, expected by ${round(endsBy)}`);
    for (const call of turn.calls) {
      for (const work of call.works) {
        if (work.beganAt > endsBy + TOLERANCE_MS) fail(`${describeWork(work)}: after the turn's end at ${round(endsBy)}`);
        if (work.beganAt > call.answeredAt + TOLERANCE_MS)
          fail(`${describeWork(work)}: after its call was answered at ${round(call.answeredAt)}`);
      }
      // A killed process recorded nothing.
      const isWhole = played.report !== undefined && (play.scene.killAtMs === undefined || played.process > 1);
      if (isWhole) checkStops(call, fail);
      // A result is available when the trace records it.
      if (played.report && call.answeredAt > played.returnedAt + TOLERANCE_MS)
        fail(`${turnId}/${call.call.callId}: answered after the turn had returned`);
      checkDependencies(turn, call, fail);
    }
    if (play.driver !== 'journaled') checkConcurrency(turn, fail);
  }
}

/** Work that is no longer waited for is aborted: at its limit, and when its call is answered, except for work that a deadline leaves running. */
function checkStops({ works, settingsOf, result, answeredAt }: CheckedCall, fail: Case['fail']): void {
  const isLeft = result?.error?.code === 'TURN_DEADLINE' || result?.partial === true;
  for (const work of works) {
    const limitAt = limitOf(work, settingsOf(work.toolName));
    const stopsAt = isLeft ? limitAt : Math.min(limitAt, Math.max(answeredAt, work.beganAt));
    if (work.endedAt > stopsAt + TOLERANCE_MS && work.abortedAt > stopsAt + TOLERANCE_MS)
      fail(
        `${describeWork(work)}: aborted ${work.abortedAt === Number.POSITIVE_INFINITY ? 'never' : `at ${round(work.abortedAt)}`}, but it is not waited for since ${round(stopsAt)}`,
      );
  }
}

function checkDependencies({ calls, played }: CheckedTurn, { call, works, events }: CheckedCall, fail: Case['fail']): void {
  const began = Math.min(
    ...works.map(({ beganAt }) => beganAt),
    events.find(({ event }) => event.event_type === 'CallStarted')?.at ?? Number.POSITIVE_INFINITY,
  );
  if (began === Number.POSITIVE_INFINITY) return;
  for (const name of call.dependsOn ?? []) {
    const dependency = calls.find((other) => other.call.callId === name);
    if (!dependency) continue;
    const where = `${played.turn.turnId}/${call.callId}`;
    if (dependency.answeredAt > began + TOLERANCE_MS) fail(`${where}: begun before ${name}, for which it waits, was answered`);
    const { result } = dependency;
    const isLost = result !== undefined && result.status !== 'success' && !result.fallbackUsed;
    const isCovered = call.optional !== true && Object.hasOwn(call.defaults ?? {}, name);
    if (isLost && !isCovered) fail(`${where}: run, though ${name} failed and has no default`);
  }
}

function checkConcurrency({ calls, settings, played }: CheckedTurn, fail: Case['fail']): void {
  const changes = calls
    .flatMap(({ events }) => events)
    .toSorted((a, b) => a.order - b.order)
    .flatMap(({ event }) => (event.event_type === 'CallStarted' ? [1] : event.event_type === 'CallCompleted' ? [-1] : []));
  const started = new Set<string>();
  let running = 0;
  for (const { event } of calls.flatMap(({ events }) => events).toSorted((a, b) => a.order - b.order)) {
    if (event.event_type === 'CallStarted') {
      started.add(event.call_id);
      running += 1;
    } else if (event.event_type === 'CallCompleted' && started.delete(event.call_id)) running -= 1;
    if (running > settings.concurrency) {
      fail(`${played.turn.turnId}: ${running} calls at once, but ${settings.concurrency} are allowed (${changes.length} changes)`);
      return;
    }
  }
}
