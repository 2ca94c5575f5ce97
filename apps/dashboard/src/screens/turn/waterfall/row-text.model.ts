/** Text for a row of the waterfall, for screen readers and tooltips. */
import { count, duration } from '../../../ui/format.ts';
import type { CallView } from '@holdfast/core/turn-view';
import { callSign, progressText, segmentWord } from '../words.ts';
import type { Row } from './rows.model.ts';

export function rowText({ call, segment }: Row, nowMs: number, onPath: boolean): string {
  if (segment) {
    const from = `from ${duration(segment.startMs)}`;
    const length =
      segment.endMs === undefined ? `running for ${duration(nowMs - segment.startMs)}` : `for ${duration(segment.endMs - segment.startMs)}`;
    return `${segmentWord(segment)}, ${from}, ${length}`;
  }
  return [callText(call, nowMs), onPath ? 'on the critical path' : ''].filter(Boolean).join(', ');
}

function callText(call: CallView, nowMs: number): string {
  const { status, startedMs, endedMs, skip, defaults, alternatives, end } = call;
  const attempts = call.segments.filter(({ kind }) => kind === 'attempt').length;
  return [
    callSign(status).word,
    startedMs === undefined
      ? ''
      : `started at ${duration(startedMs)}, ${endedMs === undefined ? 'running for' : 'took'} ${duration((endedMs ?? nowMs) - startedMs)}`,
    attempts > 1 ? count(attempts, 'attempt') : '',
    call.failures.length > 0 ? count(call.failures.length, 'failure') : '',
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
