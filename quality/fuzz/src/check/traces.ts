/** Owns the guarantees about the record: complete, correct, replayable, without secrets, and its folds agree with what the tools saw. */
import type { TraceEvent } from '@holdfast/core';
import { createMetricsFold } from '@holdfast/core/internal';
import { replayTurn } from '@holdfast/core/replay';
import { planted } from '../scene/secrets.ts';
import type { Case, CheckedTurn } from './case.ts';
import { TOLERANCE_MS, late, describeWork } from './case.ts';

/** Number of turns of a scene that are replayed: a replay costs as much as a run. */
const MAX_REPLAYS = 3;

export function checkTraces(one: Case): void {
  const { turns, fail, play } = one;
  for (const [index, turn] of turns.entries()) {
    if (!turn.played.report) continue;
    checkOrder(turn, fail);
    checkStarts(turn, fail);
    if (index < MAX_REPLAYS && play.driver !== 'virtual') checkReplay(turn, fail);
  }
  // The virtual driver's tools are scripts: their strings contain no real secrets.
  if (play.driver !== 'virtual') checkSecrets(one);
  checkFold(one);
}

function checkOrder({ played: { turn, trace } }: CheckedTurn, fail: Case['fail']): void {
  let elapsed = 0;
  for (const [index, event] of trace.entries()) {
    if (event.seq !== index + 1) return fail(`${turn.turnId}: event ${index + 1} has the number ${event.seq}`);
    if (event.elapsed_ms < elapsed) return fail(`${turn.turnId}: event ${event.seq} goes back in time`);
    elapsed = event.elapsed_ms;
  }
  const completed = trace.filter(({ event_type }) => event_type === 'TurnCompleted').length;
  if (completed !== 1) fail(`${turn.turnId}: completed ${completed} times`);
}

/** Every attempt that a tool saw is in the trace, and no other. */
function checkStarts({ calls, played }: CheckedTurn, fail: Case['fail']): void {
  for (const { works, call, events } of calls) {
    const recorded = events.flatMap(({ event, at }) => (event.event_type === 'AttemptStarted' ? [{ ...event, at }] : []));
    for (const work of works)
      if (
        !recorded.some(
          ({ attempt, tool_id, at }) => attempt === work.attempt && tool_id === work.toolName && Math.abs(at - work.beganAt) < TOLERANCE_MS,
        )
      )
        fail(`${describeWork(work)}: not in the trace`);
    if (recorded.length > works.length)
      fail(`${played.turn.turnId}/${call.callId}: ${recorded.length} attempts in the trace, ${works.length} made`);
    const answered = events.find(({ event }) => event.event_type === 'CallCompleted')?.order ?? Number.POSITIVE_INFINITY;
    if (events.some(({ event, order }) => order > answered && !late.has(event.event_type)))
      fail(`${played.turn.turnId}/${call.callId}: continues after it was completed`);
  }
}

function checkReplay({ played: { turn, trace } }: CheckedTurn, fail: Case['fail']): void {
  try {
    const recorded = JSON.parse(JSON.stringify(trace)) as readonly TraceEvent[];
    const [first, ...more] = replayTurn(recorded).differences;
    if (first) fail(`${turn.turnId}: replayed differently (${more.length + 1} differences): ${JSON.stringify(first).slice(0, 300)}`);
  } catch (error) {
    fail(`${turn.turnId}: cannot be replayed: ${String(error).slice(0, 300)}`);
  }
}

function checkSecrets({ play, turns, fail }: Case): void {
  const text = JSON.stringify([
    play.events,
    turns.map(({ played }) => played.report?.results.map(({ error }) => [error?.message, error?.userMessage, error?.advice])),
  ]);
  for (const secret of planted) if (text.includes(secret)) fail(`the secret ${secret} is in a trace or in an error message`);
}

function checkFold({ play, fail }: Case): void {
  const fold = createMetricsFold();
  for (const { event } of play.events) fold.observe(event);
  for (const name of Object.keys(play.settings)) {
    const metrics = fold.of(name);
    const own = play.events.filter(({ event }) => 'tool_id' in event && event.tool_id === name);
    const opens = own.filter(({ event }) => event.event_type === 'CircuitBreakerOpened').length;
    if (metrics.attempts.circuitBreakerOpens !== opens)
      fail(`${name}: metrics count ${metrics.attempts.circuitBreakerOpens} openings, the trace has ${opens}`);
    const asked = play.turns.flatMap(({ report }) => report?.results ?? []).filter(({ toolName }) => toolName === name).length;
    if (metrics.totalExecutions < asked) fail(`${name}: metrics count ${metrics.totalExecutions} calls, ${asked} were answered`);
  }
}
