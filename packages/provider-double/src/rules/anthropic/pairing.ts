/**
 * Calls and results of a Messages conversation.
 * 1. The results of a turn come first in the next turn, one for each call.
 * 2. An id is used for one call in the whole request.
 * 3. The provider's own tools are answered inside the assistant's turn; only the last turn may leave one open.
 */
import type { Report } from '../problem.ts';
import { isText, findRepeated, textOf, wordOf } from '../reading.ts';
import { dottedPath, isServerResult, isThinking, pathOf, type Placed, type Turn } from './shape.ts';

const usesOf = (turn: Turn | undefined): readonly Placed[] =>
  turn?.role === 'assistant' ? turn.blocks.filter(({ block }) => block.type === 'tool_use') : [];

const isResult = ({ block }: Placed): boolean => block.type === 'tool_result';

/** A tool that the provider runs itself, or reaches by MCP. */
const isServerUse = ({ block }: Placed): boolean => block.type === 'server_tool_use' || block.type === 'mcp_tool_use';

const leadingResults = (turn: Turn | undefined): readonly Placed[] => {
  if (turn?.role !== 'user') return [];
  const other = turn.blocks.findIndex((placed) => !isResult(placed));
  return other < 0 ? turn.blocks : turn.blocks.slice(0, other);
};

/** A client call that precedes a server call in the same section between thinking blocks does not count as answered. */
function findOvertaken(turn: Turn): ReadonlySet<Placed> {
  const lost = new Set<Placed>();
  let section: Placed[] = [];
  for (const placed of turn.blocks) {
    if (isThinking(placed.block)) section = [];
    if (placed.block.type === 'tool_use') section.push(placed);
    if (placed.block.type === 'server_tool_use') for (const one of section) lost.add(one);
  }
  return lost;
}

const missingWords = (message: number, ids: readonly string[]): string =>
  `messages.${message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. ` +
  'Each `tool_use` block must have a corresponding `tool_result` block in the next message.';

function checkAnswers(turn: Turn, next: Turn | undefined, report: Report): void {
  const answered = new Set(leadingResults(next).map(({ block }) => block.tool_use_id));
  const lost = findOvertaken(turn);
  const open = usesOf(turn).filter((placed) => !answered.has(placed.block.id) || lost.has(placed));
  if (open.length === 0) return;
  const ids = [...new Set(open.map(({ block }) => textOf(block.id)))];
  const rule = open.every((placed) => lost.has(placed)) ? 'call-order' : 'missing-result';
  report({ rule, path: `messages[${turn.last}]`, message: missingWords(turn.last, ids) });
}

function checkResults(turn: Turn, before: Turn | undefined, report: Report): void {
  const calls = new Set(usesOf(before).map(({ block }) => block.id));
  const results = turn.blocks.filter(isResult);
  for (const placed of results) {
    const id = textOf(placed.block.tool_use_id);
    if (calls.has(id)) continue;
    const words = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}.`;
    const demand = 'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.';
    report({ rule: 'orphan-result', path: pathOf(placed), message: `${dottedPath(placed)}: ${words} ${demand}` });
  }
  for (const id of findRepeated(results.map(({ block }) => textOf(block.tool_use_id)))) {
    const second = results.filter(({ block }) => block.tool_use_id === id)[1];
    const words = `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
    if (second) report({ rule: 'duplicate-result', path: pathOf(second), message: `${dottedPath(second)}: ${words}` });
  }
}

function checkServerTools(turn: Turn, last: boolean, report: Report): void {
  const calls = turn.blocks.filter((placed) => isServerUse(placed) && isText(placed.block.id));
  const results = turn.blocks.filter(({ block }) => isServerResult(block) && isText(block.tool_use_id));
  for (const placed of results) {
    const { type, tool_use_id: id } = placed.block;
    if (calls.some(({ block }) => block.id === id)) continue;
    const owner = type === 'mcp_tool_result' ? 'mcp_tool_use' : 'server_tool_use';
    const words = `unexpected \`tool_use_id\` found in \`${wordOf(type)}\` blocks: ${wordOf(id)}.`;
    const demand = `Each \`${wordOf(type)}\` block must have a corresponding \`${owner}\` block before it.`;
    report({ rule: 'orphan-result', path: pathOf(placed), message: `${dottedPath(placed)}: ${words} ${demand}` });
  }
  for (const placed of calls) {
    const { id, name } = placed.block;
    if (last || results.some(({ block }) => block.tool_use_id === id)) continue;
    const words = `\`${wordOf(name)}\` tool use with id \`${wordOf(id)}\` was found without a corresponding \`${wordOf(name)}_tool_result\` block`;
    report({ rule: 'missing-result', path: pathOf(placed), message: `${dottedPath(placed)}: ${words}` });
  }
}

/** `continues`: the server holds the turns before the first one. */
export function checkPairing(turns: readonly Turn[], continues: boolean, report: Report): void {
  const uses = turns.flatMap((turn) => [...usesOf(turn)]);
  const seen = new Set<unknown>();
  for (const placed of uses) {
    if (seen.has(placed.block.id)) {
      report({ rule: 'duplicate-call', path: `${pathOf(placed)}.id`, message: `${dottedPath(placed)}: \`tool_use\` ids must be unique` });
    }
    seen.add(placed.block.id);
  }
  const lastSpeech = turns.findLastIndex((turn) => turn.role === 'assistant');
  // While only results follow, the provider may still be working on its own tools.
  const trailing = turns.slice(lastSpeech + 1).every((turn) => turn.blocks.every(isResult));
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'assistant') {
      checkAnswers(turn, turns[index + 1], report);
      checkServerTools(turn, trailing && index === lastSpeech, report);
    } else if (turn.role === 'user' && !(continues && index === 0)) checkResults(turn, turns[index - 1], report);
  }
}
