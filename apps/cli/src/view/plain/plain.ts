/** One line per event, for logs and pipes: time of day, time since the start of the turn, call, event. Text only, no glyphs. */
import type { TraceEvent } from '@holdfast/core';
import { text } from '@holdfast/core/internal';
import { isRecord } from '@holdfast/core/internal/plain';
import { clean } from '../text/clean.ts';
import { formatElapsed, formatTimeOfDay } from '../text/format.ts';
import { describeEvent } from './sentence.ts';

/** `undefined` for events that need no line, such as progress without content. */
export function renderPlain(event: TraceEvent): string | undefined {
  if (!isRecord(event)) return undefined;
  const sentence = describeEvent(event);
  if (sentence === undefined) return undefined;
  const subject = subjectOf(event);
  return clean(
    `${formatTimeOfDay(event.timestamp)} ${formatElapsed(event.elapsed_ms).padStart(9)}  ${subject === '' ? '' : `${subject}: `}${sentence}`,
  ).trimEnd();
}

/** The call, and its tool if its name differs: `flights (flight_search)`. */
export function subjectOf(event: TraceEvent): string {
  const fields: Readonly<Record<string, unknown>> = { ...event };
  const call = text(fields['call_id']);
  const tool = text(fields['tool_id']);
  if (call === '') return tool;
  return tool === '' || tool === call ? call : `${call} (${tool})`;
}
