/** Owns the approval state of calls: requested, granted or refused. */
import { isRecord, textOf } from '../../json.ts';
import { usableId, type Message, type Part } from '../../transcript.ts';

/** Later turns may reuse call ids, so an approval refers to the latest call with its id. */
export function approvalsOf(messages: readonly Message[]): ReadonlyMap<Part, 'asked' | 'given' | 'refused'> {
  const latest = new Map<string, Part>();
  const asked = new Map<string, Part>();
  const approvals = new Map<Part, 'asked' | 'given' | 'refused'>();
  for (const { parts } of messages) {
    for (const part of parts) if (part.kind === 'call' && part.id !== undefined) latest.set(part.id, part);
    for (const { native } of parts) {
      if (!isRecord(native)) continue;
      const approvalId = textOf(native['approvalId']) ?? '';
      const request = native['type'] === 'tool-approval-request';
      const call = request ? latest.get(usableId(native['toolCallId']) ?? '') : asked.get(approvalId);
      if (!call) continue;
      if (request) asked.set(approvalId, call);
      if (request) approvals.set(call, 'asked');
      else if (native['type'] === 'tool-approval-response') approvals.set(call, native['approved'] === true ? 'given' : 'refused');
    }
  }
  return approvals;
}
