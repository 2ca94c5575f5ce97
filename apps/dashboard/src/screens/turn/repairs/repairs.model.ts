/** Owns what was repaired, or tried to be, between a model and its tools: transcripts, arguments, outputs that failed their validation. Only what the events hold. */
import type { TraceEvent } from '@holdfast/gateway/contract';
import { records, toVisibleText, text, texts, time, word } from '../fields.ts';
import type { Tone } from '../../../ui/badge.tsx';
import { count, duration } from '../../../ui/format.ts';
import type { IconName } from '../../../ui/icon.tsx';

export interface Repair {
  readonly seq: number;
  readonly atMs: number;
  readonly kind: 'transcript' | 'arguments' | 'validation' | 'refused';
  readonly tone: Tone;
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  readonly callId: string;
  /** What was changed: a rule and a place, or a sentence. */
  readonly changes: readonly RepairedPlace[];
}

interface RepairedPlace {
  readonly rule: string;
  readonly place: string;
  readonly action?: string;
  /** As it was and as it is now, line by line; only where payloads are captured. */
  readonly diff?: readonly DiffLine[];
}

export interface DiffLine {
  readonly sign: '−' | '+' | ' ';
  readonly text: string;
}

export function repairs(events: readonly TraceEvent[]): readonly Repair[] {
  return events.flatMap((event) => repairOf(event) ?? []);
}

type Base = Pick<Repair, 'seq' | 'atMs' | 'callId'>;
type EventOf<Type extends TraceEvent['event_type']> = Extract<TraceEvent, { readonly event_type: Type }>;

function repairOf(event: TraceEvent): Repair | undefined {
  const base: Base = { seq: event.seq, atMs: time(event.elapsed_ms), callId: 'call_id' in event ? text(event.call_id) : '' };
  switch (event.event_type) {
    case 'TranscriptRepaired':
      return transcriptRepair(base, event);
    case 'ArgumentsRepaired': {
      const changes = texts(event.repairs).map((each) => ({ rule: each, place: 'arguments' }));
      const title = `Arguments for ${text(event.tool_id)} repaired: ${count(changes.length, 'repair')}`;
      return { ...base, kind: 'arguments', tone: 'warn', icon: 'wrench', title, text: '', changes };
    }
    case 'ValidationRetryScheduled':
    case 'ValidationRetryExhausted':
    case 'ValidationRecovered':
      return validation(base, event);
    case 'AgentCallRefused': {
      const title = `Call of ${text(event.tool_id)} turned down: ${text(event.code)}`;
      return refusal(base, { icon: 'refused', title, text: toVisibleText(event.error) });
    }
    case 'AgentRunStopped': {
      const title = `The run was stopped: ${text(event.reason)}`;
      return refusal(base, { icon: 'interrupted', title, text: toVisibleText(event.message) });
    }
    case 'ReducerFailed': {
      const title = `The reducer ${text(event.reducer)} failed`;
      return refusal(base, { icon: 'failed', title, text: toVisibleText(event.error) });
    }
    default:
      return undefined;
  }
}

function transcriptRepair(base: Base, event: EventOf<'TranscriptRepaired'>): Repair {
  const changes = records(event.changes).map(({ rule, path, action, before, after }) => ({
    rule: text(rule),
    place: text(path),
    ...(action === undefined ? {} : { action: text(action) }),
    ...(before === undefined && after === undefined ? {} : { diff: diffOf(before, after) }),
  }));
  const where = [text(event.format), text(event.profile)].filter((part) => part !== '').join(', ');
  const title = `Transcript repaired before it was sent (${where}): ${count(changes.length, 'change')}`;
  return { ...base, kind: 'transcript', tone: 'warn', icon: 'wrench', title, text: toVisibleText(event.message), changes };
}

function validation(base: Base, event: EventOf<'ValidationRetryScheduled' | 'ValidationRetryExhausted' | 'ValidationRecovered'>): Repair {
  switch (event.event_type) {
    case 'ValidationRetryScheduled': {
      const title = `${subject(event)} failed their validation: attempt ${word(event.attempt)} of ${word(event.max_attempts)}`;
      const next = `${event.feedback === true ? 'The model was told why' : 'The model was not told why'} and may try again in ${duration(time(event.delay_ms))}.`;
      const changes = [{ rule: text(event.error_type), place: toVisibleText(event.error) }];
      return { ...base, kind: 'validation', tone: 'warn', icon: 'retry', title, text: next, changes };
    }
    case 'ValidationRetryExhausted': {
      const title = `${subject(event)} stayed invalid after ${count(time(event.attempt), 'attempt')}`;
      const changes = records(event.history).map(({ error_type, error, attempt }) => ({
        rule: `attempt ${word(attempt)}: ${text(error_type)}`,
        place: toVisibleText(error),
      }));
      const stopped = `${toVisibleText(event.message)} Stopped by: ${text(event.stopped_by).replaceAll('_', ' ')}.`;
      return { ...base, kind: 'validation', tone: 'bad', icon: 'failed', title, text: stopped, changes };
    }
    case 'ValidationRecovered': {
      const title = `The model corrected itself: ${subject(event).toLowerCase()} valid at attempt ${word(event.attempts)}`;
      return { ...base, kind: 'validation', tone: 'good', icon: 'done', title, text: '', changes: [] };
    }
  }
}

function refusal(base: Base, shown: Pick<Repair, 'icon' | 'title' | 'text'>): Repair {
  return { ...base, kind: 'refused', tone: 'bad', changes: [], ...shown };
}

const subject = (event: { readonly source?: string; readonly tool_id?: string }): string =>
  event.source === 'structured_output' ? 'Parts of the structured output' : `Arguments for ${text(event.tool_id, 'a tool')}`;

/** What is alike at the begin and at the end stands once; what is between is taken out and put in. */
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
