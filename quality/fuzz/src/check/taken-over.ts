/** Owns the guarantees about the time of turns whose processes die: it continues while no process works on them, and a backoff ends on time. */
import type { TraceEvent } from '@holdfast/core';
import type { JournaledPlay } from '../play/journaled.ts';
import { awake } from '../play/observation.ts';
import { group, round } from './case.ts';

/** Wall clocks count whole milliseconds. */
const SLACK_MS = 2;

export function checkTakenOver(play: JournaledPlay, fail: (what: string) => void): void {
  const { scene, result, beganAtEpochMs } = play;
  const [first] = result?.trace ?? [];
  // The time of a turn that is taken over is measured by the wall clock.
  if (!result || !first || scene.wallSteps.length > 0) return;
  const startedAt = Date.parse(first.timestamp) - beganAtEpochMs;
  checkDuration(play, startedAt, result.executionTime, fail);
  const calls = group(result.trace, (event) => ('call_id' in event ? (event.call_id ?? '') : ''));
  for (const [callId, events] of calls) if (callId !== '') checkBackoffs(play, startedAt, events, fail);
}

function checkDuration(
  { returnedAt, diedAt, deaths, sleeps }: JournaledPlay,
  startedAt: number,
  took: number,
  fail: (what: string) => void,
): void {
  const away = diedAt.length * deaths.takeOverMs + sleeps.reduce((sum, { from, until }) => sum + until - from, 0);
  const lasted = returnedAt - startedAt;
  if (took > lasted + SLACK_MS || took < lasted - away - SLACK_MS)
    fail(`reports ${round(took)} ms, but took ${round(lasted)} ms, ${round(away)} ms of them without a process`);
}

function checkBackoffs(
  { diedAt, deaths, sleeps }: JournaledPlay,
  startedAt: number,
  events: readonly TraceEvent[],
  fail: (what: string) => void,
): void {
  for (const [index, scheduled] of events.entries()) {
    const next = events[index + 1];
    if (scheduled.event_type !== 'RetryScheduled' || next?.event_type !== 'AttemptStarted') continue;
    const at = startedAt + next.elapsed_ms;
    const due = awake(sleeps, startedAt + scheduled.elapsed_ms + scheduled.delay_ms);
    const takenOver = diedAt.map((died) => awake(sleeps, died + deaths.takeOverMs)).filter((moment) => moment <= at + SLACK_MS);
    if (at > Math.max(due, ...takenOver) + SLACK_MS)
      fail(`${scheduled.call_id}: attempt ${next.attempt} begins at ${round(at)}, though its backoff ended at ${round(due)}`);
  }
}
