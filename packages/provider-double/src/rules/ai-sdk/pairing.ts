/**
 * Calls and results of a `ModelMessage` list.
 * 1. AI SDK throws when a call is open at a user or system message, or at the end.
 * 2. It passes on what a provider then refuses: results without a call, second results, second calls of one id while one is
 *    open, messages of the model between calls and results, input that is not an object. The double has its own messages for those.
 */
import type { Report } from '../problem.ts';
import { isRecord, textOf } from '../reading.ts';
import { partsOf, type Message, type Part } from './shape.ts';

interface Walk {
  readonly open: Set<string>;
  readonly answered: Set<string>;
  /** Calls that the SDK runs itself, if the approval is not followed by a result. */
  readonly approved: Set<string>;
  /** Approval id → call id. */
  readonly approvals: Map<string, string>;
  readonly report: Report;
}

function closeStep({ open, answered, approved, report }: Walk, path: string): void {
  const ids = [...open];
  open.clear();
  approved.clear();
  answered.clear();
  if (ids.length === 0) return;
  const subject = ids.length === 1 ? 'Tool result is missing for tool call' : 'Tool results are missing for tool calls';
  report({ rule: 'missing-result', path, message: `${subject} ${ids.join(', ')}.`, type: 'AI_MissingToolResultsError' });
}

function takeCall(part: Part, path: string, { open, report }: Walk): void {
  const id = textOf(part.toolCallId);
  if (!isRecord(part.input)) {
    report({ rule: 'arguments-form', path: `${path}.input`, message: `The input of tool call ${id} is not an object.` });
  }
  if (part.providerExecuted === true) return;
  if (open.has(id)) report({ rule: 'duplicate-call', path: `${path}.toolCallId`, message: `Two open tool calls have the id ${id}.` });
  open.add(id);
}

function takeResult(part: Part, path: string, { open, answered, approved, report }: Walk): void {
  const id = textOf(part.toolCallId);
  if (open.delete(id) || approved.delete(id)) answered.add(id);
  else if (answered.has(id)) report({ rule: 'duplicate-result', path, message: `Tool call ${id} has two results.` });
  else report({ rule: 'orphan-result', path, message: `There is no tool call ${id} before this result.` });
}

function takeAssistant(message: Message, path: string, walk: Walk): void {
  if (walk.open.size > 0) {
    const ids = [...walk.open].join(', ');
    walk.report({ rule: 'result-order', path, message: `The model speaks again before tool calls ${ids} have results.` });
  } else walk.answered.clear();
  const provided = new Set<string>();
  for (const [order, part] of partsOf(message).entries()) {
    const place = `${path}.content[${order}]`;
    if (part.type === 'tool-call') {
      takeCall(part, place, walk);
      if (part.providerExecuted === true) provided.add(textOf(part.toolCallId));
    }
    if (part.type === 'tool-approval-request') walk.approvals.set(textOf(part.approvalId), textOf(part.toolCallId));
    // A result in the model's own turn belongs to a tool of the provider, or to a call before it.
    if (part.type === 'tool-result' && !provided.has(textOf(part.toolCallId)) && walk.open.has(textOf(part.toolCallId))) {
      takeResult(part, place, walk);
    }
  }
}

function takeApproval(part: Part, { open, approved, approvals }: Walk): void {
  const id = approvals.get(textOf(part.approvalId)) ?? '';
  if (open.delete(id)) approved.add(id);
}

export function checkPairing(messages: readonly Message[], report: Report): void {
  const walk: Walk = { open: new Set(), answered: new Set(), approved: new Set(), approvals: new Map(), report };
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    if (message.role === 'user' || message.role === 'system') closeStep(walk, path);
    if (message.role === 'assistant') takeAssistant(message, path, walk);
    if (message.role !== 'tool') continue;
    for (const [order, part] of partsOf(message).entries()) {
      if (part.type === 'tool-result') takeResult(part, `${path}.content[${order}]`, walk);
      if (part.type === 'tool-approval-response') takeApproval(part, walk);
    }
  }
  closeStep(walk, 'messages');
}
