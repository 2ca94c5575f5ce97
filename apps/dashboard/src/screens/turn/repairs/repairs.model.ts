/** Repairs between a model and its tools, from the events: transcripts, arguments, failed validations. */
import type { TraceEvent } from '@holdfast/gateway/contract';
import { records, toVisibleText, text, texts, time, word } from '../fields.ts';
import type { Tone } from '../../../ui/badge.tsx';
import { pluralize, formatDuration } from '../../../ui/format.ts';
import type { IconName } from '../../../ui/icon.tsx';

export interface Repair {
  readonly seq: number;
  readonly atMs: number;
  readonly kind: 'transcript' | 'arguments' | 'validation' | 'exchange' | 'refused';
  readonly tone: Tone;
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  readonly callId: string;
  /** The changes: a rule and a path, or a sentence. */
  readonly changes: readonly RepairedPlace[];
}

interface RepairedPlace {
  readonly rule: string;
  readonly place: string;
  readonly action?: string;
  /** The lines before and after, if payloads are captured. */
  readonly diff?: readonly DiffLine[];
}

export interface DiffLine {
  readonly sign: '−' | '+' | ' ';
  readonly text: string;
}

export function listRepairs(events: readonly TraceEvent[]): readonly Repair[] {
  return events.flatMap((event) => repairOf(event) ?? []);
}

type Base = Pick<Repair, 'seq' | 'atMs' | 'callId'>;
type EventOf<Type extends TraceEvent['event_type']> = Extract<TraceEvent, { readonly event_type: Type }>;

function repairOf(event: TraceEvent): Repair | undefined {
  const base: Base = { seq: event.seq, atMs: time(event.elapsed_ms), callId: 'call_id' in event ? text(event.call_id) : '' };
  switch (event.event_type) {
    case 'TranscriptRepaired':
      return transcriptRepairOf(base, event);
    case 'ArgumentsRepaired': {
      const changes = texts(event.repairs).map((each) => ({ rule: each, place: 'arguments' }));
      const title = `Arguments for ${text(event.tool_id)} repaired: ${pluralize(changes.length, 'repair')}`;
      return { ...base, kind: 'arguments', tone: 'warn', icon: 'wrench', title, text: '', changes };
    }
    case 'ResponseValidationFailed':
      return exchangeFailureOf(base, event);
    case 'ValidationRetryScheduled':
    case 'ValidationRetryExhausted':
    case 'ValidationRecovered':
      return validationOf(base, event);
    case 'AgentCallRefused': {
      const title = `Call of ${text(event.tool_id)} refused: ${text(event.code)}`;
      return refusalOf(base, { icon: 'refused', title, text: toVisibleText(event.error) });
    }
    case 'AgentRunStopped': {
      const title = `The run was stopped: ${text(event.reason)}`;
      return refusalOf(base, { icon: 'interrupted', title, text: toVisibleText(event.message) });
    }
    case 'ReducerFailed': {
      const title = `The reducer ${text(event.reducer)} failed`;
      return refusalOf(base, { icon: 'failed', title, text: toVisibleText(event.error) });
    }
    default:
      return undefined;
  }
}

function transcriptRepairOf(base: Base, event: EventOf<'TranscriptRepaired'>): Repair {
  const changes = records(event.changes).map(({ rule, path, action, before, after }) => ({
    rule: text(rule),
    place: text(path),
    ...(action === undefined ? {} : { action: text(action) }),
    ...(before === undefined && after === undefined ? {} : { diff: diffOf(before, after) }),
  }));
  const where = [text(event.format), text(event.profile)].filter((part) => part !== '').join(', ');
  const title = `Transcript repaired before it was sent (${where}): ${pluralize(changes.length, 'change')}`;
  return { ...base, kind: 'transcript', tone: 'warn', icon: 'wrench', title, text: toVisibleText(event.message), changes };
}

function exchangeFailureOf(base: Base, event: EventOf<'ResponseValidationFailed'>): Repair {
  const changes = records(event.problems).map(({ rule, path, message }) => ({
    rule: text(rule),
    place: [text(path), toVisibleText(message)].filter((part) => part !== '').join(': '),
  }));
  const format = event.format === undefined ? '' : ` (${text(event.format)})`;
  return {
    ...base,
    kind: 'exchange',
    tone: 'bad',
    icon: 'failed',
    title: `${toVisibleText(event.message)}${format}`,
    text: 'It was not repaired.',
    changes,
  };
}

function validationOf(base: Base, event: EventOf<'ValidationRetryScheduled' | 'ValidationRetryExhausted' | 'ValidationRecovered'>): Repair {
  switch (event.event_type) {
    case 'ValidationRetryScheduled': {
      const title = `${subjectOf(event)} failed validation: attempt ${word(event.attempt)} of ${word(event.max_attempts)}`;
      const next = `${event.feedback === true ? 'The model got feedback' : 'The model got no feedback'} and may retry in ${formatDuration(time(event.delay_ms))}.`;
      const changes = [{ rule: text(event.error_type), place: toVisibleText(event.error) }];
      return { ...base, kind: 'validation', tone: 'warn', icon: 'retry', title, text: next, changes };
    }
    case 'ValidationRetryExhausted': {
      const title = `${subjectOf(event)} still invalid after ${pluralize(time(event.attempt), 'attempt')}`;
      const changes = records(event.history).map(({ error_type, error, attempt }) => ({
        rule: `attempt ${word(attempt)}: ${text(error_type)}`,
        place: toVisibleText(error),
      }));
      const stopped = `${toVisibleText(event.message)} Stopped by: ${text(event.stopped_by).replaceAll('_', ' ')}.`;
      return { ...base, kind: 'validation', tone: 'bad', icon: 'failed', title, text: stopped, changes };
    }
    case 'ValidationRecovered': {
      const title = `The model corrected itself: ${subjectOf(event).toLowerCase()} valid on attempt ${word(event.attempts)}`;
      return { ...base, kind: 'validation', tone: 'good', icon: 'done', title, text: '', changes: [] };
    }
  }
}

const refusalOf = (base: Base, shown: Pick<Repair, 'icon' | 'title' | 'text'>): Repair => ({
  ...base,
  kind: 'refused',
  tone: 'bad',
  changes: [],
  ...shown,
});

const subjectOf = (event: { readonly source?: string; readonly tool_id?: string }): string =>
  event.source === 'structured_output' ? 'Parts of the structured output' : `Arguments for ${text(event.tool_id, 'a tool')}`;

/** A line diff: common lines at the start and end are kept, everything in between is removed and added. */
function diffOf(before: unknown, after: unknown): readonly DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const lines = (sign: DiffLine['sign'], texts: readonly string[]): readonly DiffLine[] => texts.map((line) => ({ sign, text: line }));
  return [
    ...lines(' ', old.slice(0, head)),
    ...lines('−', old.slice(head, old.length - tail)),
    ...lines('+', now.slice(head, now.length - tail)),
    ...lines(' ', old.slice(old.length - tail)),
  ];
}

function linesOf(value: unknown): readonly string[] {
  if (value === undefined) return [];
  return (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)).split('\n');
}
