/**
 * Calls and their results in a Chat Completions conversation.
 * 1. Results come directly after the message with the calls, with nothing between; their own order is free.
 * 2. Every call has a result, and every result has a call in the message before its run.
 * 3. One id has one result within a run; ids may be reused in a later turn.
 */
import type { Report } from '../problem.ts';
import { fieldsOf, listOf, textOf } from '../reading.ts';
import type { ChatDialect } from './dialect.ts';
import type { ChatCall, ChatMessage } from './shape.ts';

const idsOf = (message: ChatMessage): readonly string[] =>
  message.role === 'assistant' ? listOf(message.tool_calls).map((call) => textOf(fieldsOf<ChatCall>(call).id)) : [];

interface Run {
  /** The message before the run; -1 if the run begins the conversation. */
  readonly owner: number;
  readonly results: readonly number[];
  readonly next: number | undefined;
}

/** Each message that is not a result, with the results directly after it. */
function runsOf(messages: readonly ChatMessage[]): readonly Run[] {
  const starts = [-1, ...messages.keys()].filter((index) => messages[index]?.role !== 'tool');
  return starts.map((owner, order) => {
    const next = starts[order + 1];
    const end = next ?? messages.length;
    return { owner, next, results: Array.from({ length: end - owner - 1 }, (_unused, step) => owner + 1 + step) };
  });
}

export function checkPairing(messages: readonly ChatMessage[], dialect: ChatDialect, report: Report): void {
  for (const { owner, results, next } of runsOf(messages)) {
    const calls = idsOf(messages[owner] ?? {});
    const first = new Map<string, number>();
    for (const index of results) {
      const id = textOf(messages[index]?.tool_call_id);
      const earlier = first.get(id);
      if (!calls.includes(id)) {
        const words = dialect.orphan(id, index, textOf(messages[index - 1]?.role));
        report({ rule: 'orphan-result', path: `messages[${index}]`, ...words });
      } else if (earlier !== undefined) {
        report({ rule: 'duplicate-result', path: `messages[${index}].tool_call_id`, ...dialect.duplicate(id, earlier, index) });
      } else first.set(id, index);
    }
    const open = [...new Set(calls)].filter((id) => !first.has(id));
    if (open.length > 0) report({ rule: 'missing-result', path: `messages[${owner}].tool_calls`, ...dialect.missing(open, next) });
  }
}
