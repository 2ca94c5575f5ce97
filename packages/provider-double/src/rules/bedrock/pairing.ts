/**
 * Calls and results of a Converse conversation.
 * 1. The turn after one with calls has one result for each of them, and no more.
 * 2. Ids are unique within a turn, on both sides.
 * 3. Which other blocks are allowed next to results depends on the model.
 */
import type { Report } from '../problem.ts';
import { findRepeated, textOf } from '../reading.ts';
import { resultsIn, usesIn, type Block, type Turn } from './shape.ts';

const idsOf = (blocks: readonly { readonly toolUseId?: unknown }[]): readonly string[] => blocks.map((block) => textOf(block.toolUseId));

function checkDuplicates(turn: Turn, report: Report): void {
  const place = `messages.${turn.index}.content`;
  const path = `messages[${turn.index}].content`;
  const calls = findRepeated(idsOf(usesIn(turn)));
  const results = findRepeated(idsOf(resultsIn(turn)));
  const words = (kind: string, ids: readonly string[]): string => `The ${kind} blocks at ${place} contain duplicate Ids: ${ids.join(', ')}`;
  if (calls.length > 0) report({ rule: 'duplicate-call', path, message: words('toolUse', calls) });
  if (results.length > 0) report({ rule: 'duplicate-result', path, message: words('toolResult', results) });
}

const besideResults = (block: Block, model: string): boolean => {
  if (block.toolResult !== undefined || block.cachePoint !== undefined) return true;
  if (/meta\.llama|mistral\.|writer\./.test(model)) return false;
  if (!model.includes('anthropic.')) return true;
  return block.text !== undefined || block.image !== undefined || block.guardContent !== undefined;
};

export function checkPairing(turns: readonly Turn[], model: string, report: Report): void {
  for (const [order, turn] of turns.entries()) {
    const next = turns[order + 1];
    const answered = new Set(idsOf(resultsIn(next)));
    const open = [...new Set(idsOf(usesIn(turn)))].filter((id) => !answered.has(id));
    if (turn.role === 'assistant' && open.length > 0) {
      const index = next?.index ?? turn.index + 1;
      const message = `Expected toolResult blocks at messages.${index}.content for the following Ids: ${open.join(', ')}`;
      report({ rule: 'missing-result', path: `messages[${index}].content`, message });
    }
    const path = `messages[${turn.index}].content`;
    const results = resultsIn(turn);
    const calls = usesIn(turns[order - 1]);
    const foreign = idsOf(results).some((id) => !idsOf(calls).includes(id));
    if (results.length > calls.length || foreign) {
      const message = `The number of toolResult blocks at messages.${turn.index}.content exceeds the number of toolUse blocks of previous turn.`;
      report({ rule: foreign ? 'orphan-result' : 'duplicate-result', path, message });
    }
    checkDuplicates(turn, report);
    if (results.length > 0 && !turn.blocks.every((block) => besideResults(block, model))) {
      const message = 'Conversation blocks and tool result blocks cannot be provided in the same turn';
      report({ rule: 'mixed-turn', path, message });
    }
  }
}
