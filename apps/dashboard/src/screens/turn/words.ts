/** Labels of call states and segments. */
import type { Sign } from '../../ui/status.tsx';
import type { CallStatus, FailureView, ProgressView, Segment, SegmentKind } from '@holdfast/core/turn-view';

const callSigns: Readonly<Record<CallStatus, Sign>> = {
  waiting: { icon: 'dot', word: 'waiting', tone: 'quiet' },
  queued: { icon: 'clock', word: 'queued', tone: 'accent' },
  running: { icon: 'running', word: 'running', tone: 'accent' },
  backing_off: { icon: 'retry', word: 'backing off', tone: 'warn' },
  success: { icon: 'done', word: 'succeeded', tone: 'good' },
  error: { icon: 'failed', word: 'failed', tone: 'bad' },
  timeout: { icon: 'clock', word: 'timed out', tone: 'bad' },
  skipped: { icon: 'skipped', word: 'skipped', tone: 'warn' },
  cancelled: { icon: 'idle', word: 'cancelled', tone: 'quiet' },
  not_run: { icon: 'refused', word: 'not run', tone: 'quiet' },
};

export const callSign = (status: CallStatus): Sign => callSigns[status];

const segmentWords: Readonly<Record<SegmentKind, string>> = {
  dependency: 'waiting for dependencies',
  place: 'waiting for a slot in the turn',
  prepare: 'preparing',
  queue: 'queued',
  attempt: 'attempt',
  backoff: 'backoff',
  late: 'late work',
};

const resultWords: Readonly<Record<string, string>> = {
  running: 'running',
  success: 'succeeded',
  error: 'failed',
  timeout: 'timed out',
  cancelled: 'cancelled',
  late_success: 'succeeded late, result not used',
  late_failure: 'failed late',
  abandoned: 'ignored its timeout and was abandoned',
};

/** Describes a segment, without its times. */
export function segmentWord(segment: Segment): string {
  const result = resultWords[segment.result] ?? '';
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
      return segment.wait === 'retry_after' ? 'Waiting for Retry-After' : 'Waiting for a slot of the tool';
    case 'backoff':
      return `Backoff before attempt ${segment.attempt}`;
    default: {
      const words = segmentWords[segment.kind];
      return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
    }
  }
}

/** The message of a failure. A refusal has none, so its code is used. */
export const failureText = ({ refused, message, code }: FailureView): string =>
  refused && message === '' ? `Not called: ${code}` : message;

export function progressText(progress: ProgressView | undefined): string {
  if (progress === undefined) return '';
  const { done, total, message, partial } = progress;
  const share = done === undefined ? '' : total === undefined ? `${done}` : `${done} of ${total}`;
  return [message, share, partial ? 'partial output' : ''].filter((part) => part !== '').join(', ');
}
