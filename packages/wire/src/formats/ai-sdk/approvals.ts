/** Owns which calls wait for an approval, and what was answered. */
import { isObject, textOf } from '../../json.ts';
import type { Message } from '../../transcript.ts';

export function approvalsOf(messages: readonly Message[]): ReadonlyMap<string, 'asked' | 'given' | 'refused'> {
  const calls = new Map<string, string>();
  const approvals = new Map<string, 'asked' | 'given' | 'refused'>();
  for (const { parts } of messages)
    for (const { native } of parts) {
      if (!isObject(native)) continue;
      const approvalId = textOf(native['approvalId']) ?? '';
      if (native['type'] === 'tool-approval-request') {
        calls.set(approvalId, textOf(native['toolCallId']) ?? '');
        approvals.set(textOf(native['toolCallId']) ?? '', 'asked');
      } else if (native['type'] === 'tool-approval-response')
        approvals.set(calls.get(approvalId) ?? '', native['approved'] === true ? 'given' : 'refused');
    }
  return approvals;
}
