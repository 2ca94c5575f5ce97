/** One line per event, for logs and pipes: time of day, time since the turn began, who, what. Words only, no signs. */
import type { TraceEvent } from '@holdfast/core';
import { text } from '@holdfast/core/internal';
import { isRecord } from '@holdfast/core/internal/plain';
import { clean } from '../text/clean.ts';
import { formatElapsed, timeOfDay } from '../text/format.ts';
import { sentenceOf } from './sentence.ts';

/** Undefined for what is not worth a line of a log: progress that says nothing. */
export function renderPlain(event: TraceEvent): string | undefined {
  if (!isRecord(event)) return undefined;
  const told = sentenceOf(event);
  if (told === undefined) return undefined;
  const who = subject(event);
  return clean(
    `${timeOfDay(event.timestamp)} ${formatElapsed(event.elapsed_ms).padStart(9)}  ${who === '' ? '' : `${who}: `}${told}`,
  ).trimEnd();
}

/** The call, and its tool where the two differ: `flights (flight_search)`. */
export function subject(event: TraceEvent): string {
  const fields: Readonly<Record<string, unknown>> = { ...event };
  const call = text(fields['call_id']);
  const tool = text(fields['tool_id']);
  if (call === '') return tool;
  return tool === '' || tool === call ? call : `${call} (${tool})`;
}
