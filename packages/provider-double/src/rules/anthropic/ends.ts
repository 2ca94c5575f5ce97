/** How a conversation may end, and text that JSON cannot represent. */
import type { Report } from '../problem.ts';
import { textOf } from '../reading.ts';
import { isServerResult, type Turn } from './shape.ts';

/** Models from 4.6 on do not accept prefill. */
export function takesPrefill(model: string): boolean {
  const version = /claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?!\d)/.exec(model);
  if (!version) return true;
  return Number(version[1]) * 100 + Number(version[2] ?? 0) < 406;
}

export function checkEnd(model: unknown, turns: readonly Turn[], report: Report): void {
  const turn = turns.at(-1);
  const block = turn?.blocks.at(-1)?.block;
  if (turn?.role !== 'assistant') return;
  // An answer that the provider paused is sent back unchanged.
  if (block && (block.type === 'server_tool_use' || isServerResult(block))) return;
  if (!takesPrefill(textOf(model))) {
    const message = 'This model does not support assistant message prefill. The conversation must end with a user message.';
    report({ rule: 'conversation-end', path: `messages[${turn.last}]`, message });
  } else if (block?.type === 'text' && /\s$/.test(textOf(block.text))) {
    const message = 'messages: final assistant content cannot end with trailing whitespace';
    report({ rule: 'conversation-end', path: `messages[${turn.last}]`, message });
  }
}

/** A lone surrogate, as cutting a string in the middle leaves it. */
export function checkUnicode(body: unknown, report: Report): void {
  const text = JSON.stringify(body) ?? '';
  // `JSON.stringify` writes an escape only for a lone surrogate.
  const half = /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/.exec(text);
  if (!half) return;
  const column = half.index + 1;
  const message = `The request body is not valid JSON: no low surrogate in string: line 1 column ${column} (char ${column - 1})`;
  report({ rule: 'unicode', path: '', message });
}
