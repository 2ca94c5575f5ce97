/** Labels of call states and segments. */
import { formatDuration } from '../../ui/format.ts';
import type { Indicator } from '../../ui/status.tsx';
import { latenessOf, type CallStatus, type FailureView, type ProgressView, type Segment, type SegmentKind } from '@holdfast/core/turn-view';
import { text, timeOrNone } from './fields.ts';
import { refusalText } from './refusal.model.ts';

const callIndicators: Readonly<Record<CallStatus, Indicator>> = {
  waiting: { icon: 'dot', label: 'waiting', tone: 'quiet' },
  queued: { icon: 'clock', label: 'queued', tone: 'accent' },
  running: { icon: 'running', label: 'running', tone: 'accent' },
  backing_off: { icon: 'retry', label: 'backing off', tone: 'warn' },
  success: { icon: 'done', label: 'succeeded', tone: 'good' },
  error: { icon: 'failed', label: 'failed', tone: 'bad' },
  timeout: { icon: 'clock', label: 'timed out', tone: 'bad' },
  skipped: { icon: 'skipped', label: 'skipped', tone: 'warn' },
  cancelled: { icon: 'idle', label: 'cancelled', tone: 'quiet' },
  interrupted: { icon: 'interrupted', label: 'interrupted', tone: 'warn' },
  not_run: { icon: 'refused', label: 'not run', tone: 'quiet' },
};

export const callIndicator = (status: CallStatus): Indicator => callIndicators[status];

/** Timers are never exact. */
export const minLatenessMs = 5;

const segmentNames: Readonly<Record<SegmentKind, string>> = {
  dependency: 'waiting for dependencies',
  place: 'waiting for a slot in the turn',
  prepare: 'preparing',
  queue: 'queued',
  attempt: 'attempt',
  backoff: 'backoff',
  late: 'late work',
};

const resultTexts: Readonly<Record<string, string>> = {
  running: 'running',
  success: 'succeeded',
  error: 'failed',
  timeout: 'timed out',
  cancelled: 'cancelled',
  interrupted: 'interrupted with its process',
  late_success: 'succeeded late, result not used',
  late_failure: 'failed late',
  abandoned: 'ignored its timeout and was abandoned',
};

/** Describes a segment, without its times. */
export function describeSegment(segment: Segment): string {
  const result = resultTexts[segment.result] ?? '';
  switch (segment.kind) {
    case 'attempt': {
      const kind = segment.hedge ? 'Hedged attempt' : segment.probe ? 'Probe, attempt' : 'Attempt';
      const tool = segment.alternative ? ` by ${segment.toolName}` : '';
      return `${kind} ${segment.attempt}${tool} ${result}${segment.code === '' ? '' : ` (${segment.code})`}`;
    }
    case 'late':
      return `Attempt ${segment.attempt} ${result}`;
    case 'queue':
      if (segment.wait === 'recovery') return 'Waiting for the tool to recover';
      if (segment.heldMs !== undefined) return 'Held by the server’s Retry-After';
      if (segment.wait === 'retry_budget') return 'Waiting for the retry budget to refill';
      return segment.wait === 'retry_after' ? 'Waiting for the rate limit' : 'Waiting for a slot of the tool';
    case 'backoff': {
      const lateMs = latenessOf(segment);
      const late = lateMs < minLatenessMs ? '' : `, then ${formatDuration(lateMs)} late because the process was busy`;
      return `Backoff before attempt ${segment.attempt}${late}`;
    }
    default: {
      const words = segmentNames[segment.kind];
      return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
    }
  }
}

/** The message of a failure. A refusal has none, so what refused is named. */
export const failureText = (failure: FailureView): string =>
  failure.refused && failure.message === '' ? refusalText(failure) : failure.message;

/** `half-open`, `closed, held for 8 s`. */
export const circuitText = (circuit: unknown, heldMs: unknown): string => {
  const held = timeOrNone(heldMs);
  return `${text(circuit).replace('_', '-')}${held === undefined ? '' : `, held for ${formatDuration(held)}`}`;
};

export function progressText(progress: ProgressView | undefined): string {
  if (progress === undefined) return '';
  const { done, total, message, partial } = progress;
  const share = done === undefined ? '' : total === undefined ? `${done}` : `${done} of ${total}`;
  return [message, share, partial ? 'partial output' : ''].filter((part) => part !== '').join(', ');
}
