/** A recorded turn: the waterfall, then every event. */
import type { TraceEvent } from '@holdfast/core';
import { describeEvent } from '../plain/sentence.ts';
import { subjectOf } from '../plain/plain.ts';
import { isControlTurnId } from '@holdfast/core/internal';
import { isRecord } from '@holdfast/core/internal/plain';
import { chipLines } from '../live/footer.ts';
import { foldTurn, type TurnView } from '@holdfast/core/turn-view';
import { type Line, type Surface, type Tone, cell, columnRight, lineText, space } from '../text/cell.ts';
import { pluralize, formatDuration, formatElapsed } from '../text/format.ts';
import { type Glyphs, glyphsOf } from '../text/glyphs.ts';
import { titleLine, waterfallLines } from './summary.ts';
import { wrapHanging, wrapSentence } from './wrap.ts';

export function renderTrace(events: readonly TraceEvent[], surface: Surface): string[] {
  const glyphs = glyphsOf(surface.glyphs);
  const view = foldTurn(events);
  const readable = events.filter(isRecord);
  const lines: Line[] = [
    ...(isControlTurnId(view.turnId) ? [controlTitle(view)] : headLines(view, surface, glyphs)),
    [],
    ...readable.flatMap((event) => eventLines(event, surface.width)),
    [],
    ...(view.summary === '' ? [] : wrapSentence(cell(view.summary, 'strong'), surface.width)),
    ...factLines(view, surface.width, glyphs),
  ];
  return lines.map((line) => lineText(line, surface));
}

const headLines = (view: TurnView, surface: Surface, glyphs: Glyphs): readonly Line[] => [
  titleLine(view, surface.width, glyphs),
  ...interruptionLines(view, surface.width),
  ...waterfallLines(view, surface, glyphs),
];

/** What happened outside of turns has no calls, and no end. */
const controlTitle = ({ turnId }: TurnView): Line => [space(1), cell(turnId, 'strong'), space(2), cell('events outside of turns', 'dim')];

function interruptionLines(view: TurnView, width: number): readonly Line[] {
  if (view.outcome !== undefined) return [];
  const open = view.calls.filter(({ end, skip }) => end === undefined && skip === undefined).map(({ callId }) => callId);
  const missing = open.length === 0 ? '' : ` No result for: ${open.join(', ')}.`;
  const text = `INTERRUPTED after ${formatDuration(view.elapsedMs)}: the trace has no end of the turn.${missing}`;
  return wrapSentence(cell(text, 'bad'), width);
}

const tones: Readonly<Partial<Record<TraceEvent['event_type'], Tone>>> = {
  ToolSucceeded: 'good',
  ToolError: 'bad',
  ToolTimeout: 'bad',
  CallRefused: 'bad',
  CircuitBreakerOpened: 'bad',
  Escalated: 'bad',
  ComponentFailed: 'warn',
  RetryScheduled: 'warn',
  AdmissionWaiting: 'warn',
  TurnDeadlineReached: 'bad',
  TurnTakenOver: 'warn',
  TurnCancelled: 'warn',
  AlternativeUsed: 'accent',
  DefaultUsed: 'accent',
  CallStarted: 'dim',
  AttemptStarted: 'dim',
  ToolSkipped: 'dim',
  ValidationRetryScheduled: 'warn',
  ValidationRetryExhausted: 'bad',
  AgentCallRefused: 'bad',
  AgentRunStopped: 'bad',
  ReducerFailed: 'bad',
  TranscriptRepaired: 'warn',
  ArgumentsRepaired: 'warn',
  ResponseValidationFailed: 'bad',
};

function eventLines(event: TraceEvent, width: number): readonly Line[] {
  const sentence = describeEvent(event);
  if (sentence === undefined) return [];
  const subject = subjectOf(event);
  const subjectCells: Line = subject === '' ? [] : [cell(subject), space(2)];
  const prefix: Line = [space(1), ...columnRight(cell(formatElapsed(event.elapsed_ms), 'dim'), 9), space(2), ...subjectCells];
  const tone = Object.hasOwn(tones, event.event_type) ? tones[event.event_type] : undefined;
  return wrapHanging(prefix, cell(sentence, tone ?? 'plain'), width, 12);
}

function factLines(view: TurnView, width: number, glyphs: Glyphs): readonly Line[] {
  const parts = [
    pluralize(view.events, 'event'),
    view.profile === '' ? '' : `profile ${view.profile}`,
    view.seed === '' ? '' : `seed ${view.seed}`,
    view.startedAt,
  ];
  const chips = parts.filter((part) => part !== '').map((part) => cell(part, 'dim'));
  return chipLines(chips, width, glyphs);
}
