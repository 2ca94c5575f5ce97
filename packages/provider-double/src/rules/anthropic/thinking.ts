/** Thinking blocks: they are signed, begin the turn whose calls are being answered, and are absent when thinking is disabled. */
import { thinksAtDeepSeek } from '../deepseek-thinking.ts';
import type { BackendProfile, Report } from '../problem.ts';
import { fieldsOf, isText, textOf, wordOf } from '../reading.ts';
import { takesPrefill } from './ends.ts';
import { dottedPath, isThinking, pathOf, type MessagesRequest, type Turn } from './shape.ts';

const expected =
  'When `thinking` is enabled, a final `assistant` message must start with a thinking block ' +
  '(preceeding the lastmost set of `tool_use` and `tool_result` blocks).';

/** Models before 4.6 think once, at the beginning of the turn that their calls belong to. */
function thoughtOnce(request: MessagesRequest, turns: readonly Turn[], profile: BackendProfile): boolean {
  if (profile === 'deepseek' || !takesPrefill(textOf(request.model))) return false;
  const lastUserTurn = turns.findLastIndex(
    ({ role, blocks }) => role !== 'assistant' && !blocks.some(({ block }) => block.type === 'tool_result'),
  );
  const opening = turns.slice(lastUserTurn + 1).find(({ role }) => role === 'assistant')?.blocks[0]?.block;
  return opening !== undefined && isThinking(opening);
}

/** DeepSeek signs nothing. */
function checkSignatures(turns: readonly Turn[], report: Report): void {
  for (const placed of turns.flatMap(({ blocks }) => blocks)) {
    const { type, signature } = placed.block;
    if (type !== 'thinking' || (isText(signature) && signature !== '')) continue;
    const words = isText(signature) ? ': Invalid `signature` in `thinking` block' : '.thinking.signature: Field required';
    report({ rule: 'thinking-form', path: `${pathOf(placed)}.signature`, message: dottedPath(placed) + words });
  }
}

export function checkThinking(request: MessagesRequest, turns: readonly Turn[], profile: BackendProfile, report: Report): void {
  if (profile !== 'deepseek') checkSignatures(turns, report);
  const mode = fieldsOf<{ readonly type?: unknown }>(request.thinking).type;
  const turn = turns.findLast(({ role }) => role === 'assistant');
  const first = turn?.blocks[0];
  if (!turn || !first) return;
  const path = pathOf(first);
  const calls = turn.blocks.some(({ block }) => block.type === 'tool_use');
  const thinks = profile === 'deepseek' ? thinksAtDeepSeek(request) : mode === 'enabled';
  if (thinks && calls && !isThinking(first.block) && !thoughtOnce(request, turns, profile)) {
    const found = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${wordOf(first.block.type)}\`.`;
    const message =
      profile === 'deepseek'
        ? 'The `content[].thinking` in the thinking mode must be passed back to the API.'
        : `messages.${first.message}.content.${first.place}.type: ${found} ${expected}`;
    report({ rule: 'thinking-missing', path, message });
  }
  if (mode === 'disabled' && turn.blocks.some(({ block }) => isThinking(block))) {
    const message = 'When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.';
    report({ rule: 'thinking-forbidden', path, message: `messages.${turn.last}.content: ${message}` });
  }
}
