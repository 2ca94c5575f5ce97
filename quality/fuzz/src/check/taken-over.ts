/** Owns the promises about the time of turns whose processes die: it continues while nobody works for them, and a back-off ends when it would have ended. */
import type { TraceEvent } from '@holdfast/core';
import type { JournaledPlay } from '../play/journaled.ts';
import { awake } from '../play/observation.ts';
import { group, round } from './case.ts';

/** Clocks of the wall count whole milliseconds. */
const SLACK_MS = 2;

export function checkTakenOver(play: JournaledPlay, say: (what: string) => void): void {
  const { scene, result, beganAtEpochMs } = play;
  const [first] = result?.trace ?? [];
  // The time of a turn that is taken over is that of the wall.
  if (!result || !first || scene.wallSteps.length > 0) return;
  const startedAt = Date.parse(first.timestamp) - beganAtEpochMs;
  checkDuration(play, startedAt, result.executionTime, say);
  const calls = group(result.trace, (event) => ('call_id' in event ? (event.call_id ?? '') : ''));
  for (const [callId, events] of calls) if (callId !== '') checkBackoffs(play, startedAt, events, say);
}

function checkDuration(
  { returnedAt, diedAt, deaths, sleeps }: JournaledPlay,
  startedAt: number,
  took: number,
  say: (what: string) => void,
): void {
  const away = diedAt.length * deaths.takeOverMs + sleeps.reduce((sum, { from, until }) => sum + until - from, 0);
  const lasted = returnedAt - startedAt;
  if (took > lasted + SLACK_MS || took < lasted - away - SLACK_MS)
    say(`says that it took ${round(took)} ms, and took ${round(lasted)} ms, ${round(away)} ms of them without anybody`);
}

function checkBackoffs(
  { diedAt, deaths, sleeps }: JournaledPlay,
  startedAt: number,
  events: readonly TraceEvent[],
  say: (what: string) => void,
): void {
  for (const [index, scheduled] of events.entries()) {
    const next = events[index + 1];
    if (scheduled.event_type !== 'RetryScheduled' || next?.event_type !== 'AttemptStarted') continue;
    const at = startedAt + next.elapsed_ms;
    const due = awake(sleeps, startedAt + scheduled.elapsed_ms + scheduled.delay_ms);
    const takenOver = diedAt.map((died) => awake(sleeps, died + deaths.takeOverMs)).filter((moment) => moment <= at + SLACK_MS);
    if (at > Math.max(due, ...takenOver) + SLACK_MS)
      say(`${scheduled.call_id}: attempt ${next.attempt} begins at ${round(at)}, though its back-off ended at ${round(due)}`);
  }
}
