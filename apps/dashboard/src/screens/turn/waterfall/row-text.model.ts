/** Text for a row of the waterfall, for screen readers and tooltips. */
import { pluralize, formatDuration } from '../../../ui/format.ts';
import type { CallView } from '@holdfast/core/turn-view';
import { callIndicator, progressText, describeSegment } from '../labels.ts';
import type { Row } from './rows.model.ts';

export function rowText({ call, segment }: Row, nowMs: number, onPath: boolean): string {
  if (segment) {
    const from = `from ${formatDuration(segment.startMs)}`;
    const length =
      segment.endMs === undefined
        ? `running for ${formatDuration(nowMs - segment.startMs)}`
        : `for ${formatDuration(segment.endMs - segment.startMs)}`;
    return `${describeSegment(segment)}, ${from}, ${length}`;
  }
  return [callText(call, nowMs), onPath ? 'on the critical path' : ''].filter(Boolean).join(', ');
}

function callText(call: CallView, nowMs: number): string {
  const { status, startedMs, endedMs, skip, defaults, alternatives, end } = call;
  const attempts = call.segments.filter(({ kind }) => kind === 'attempt').length;
  return [
    callIndicator(status).label,
    startedMs === undefined
      ? ''
      : `started at ${formatDuration(startedMs)}, ${endedMs === undefined ? 'running for' : 'took'} ${formatDuration((endedMs ?? nowMs) - startedMs)}`,
    attempts > 1 ? pluralize(attempts, 'attempt') : '',
    call.failures.length > 0 ? pluralize(call.failures.length, 'failure') : '',
    alternatives.length > 0 ? `alternative ${alternatives.join(', ')}` : '',
    defaults.length > 0 ? 'using a default value' : '',
    end?.partial === true ? 'with partial output' : '',
    skip === undefined ? '' : `because ${skip.causedBy.join(', because ')} failed`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** The note next to the name of a call. */
export function callNote(call: CallView): string {
  if (call.skip) return `because of ${call.skip.causedBy.at(-1) ?? '?'}`;
  const parts = [
    call.alternatives.length > 0 ? `⇄ ${call.alternatives.at(-1) ?? ''}` : '',
    call.defaults.length > 0 ? '≈ default' : '',
    call.end?.partial === true ? '◐ partial' : '',
    progressText(call.progress),
  ].filter(Boolean);
  if (parts.length === 0 && call.toolName !== call.callId) return call.toolName;
  return parts.join(' · ');
}
