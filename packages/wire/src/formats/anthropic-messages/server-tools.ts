/**
 * Owns the order and pairing of blocks specific to Anthropic's messages: server tools and their results.
 * Nothing is moved across reasoning blocks.
 */
import { isRecord, isText, textOf, type JsonObject } from '../../json.ts';
import { newMessage, newPart, sentences, type Message, type Part } from '../../transcript.ts';
import type { FormatContext } from '../format-context.ts';

export function repairServerTools(context: FormatContext): void {
  const { messages } = context;
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  // A server tool use at the end may still await its result, even if client results follow.
  const mayWait = messages.slice(last + 1).every(({ role, parts }) => role === 'user' && parts.every(({ kind }) => kind === 'result'));
  const emptied = new Set<Message>();
  for (let index = 0; index < messages.length; index += 1) {
    const turn: Message[] = [];
    for (let message = messages[index]; message?.role === 'assistant'; message = messages[index]) {
      turn.push(message);
      index += 1;
    }
    if (!turn.some(({ parts }) => parts.some(({ kind }) => kind === 'server'))) continue;
    pairServerTools(turn, mayWait && index > last, context);
    moveCallsAfterServerTools(turn, context);
    for (const message of turn) if (message.parts.length === 0 && message.changed) emptied.add(message);
  }
  if (emptied.size > 0) context.messages = messages.filter((message) => !emptied.has(message));
}

/** Removes empty assistant turns, except the last; a turn followed by added results is no longer the last. */
export function removeEmptyTurns(context: FormatContext): void {
  const { messages, log } = context;
  const empty = messages.filter(({ role, parts }, index) => role === 'assistant' && parts.length === 0 && index < messages.length - 1);
  if (empty.length === 0) return;
  for (const { path, native } of empty) log.removed('empty-content', path, native);
  context.messages = messages.filter((message) => !empty.includes(message));
}

/** Turns a system message in mid-conversation into a user message, unless it follows a user turn. */
export function repairSystemTurns(context: FormatContext): void {
  context.messages = context.messages.map((message, index) => {
    if (message.role !== 'system' || context.messages[index - 1]?.role === 'user') return message;
    if (message.path !== undefined) context.log.edited('role', `${message.path}.role`, 'system', 'user');
    return newMessage('user', { ...message.native, role: 'user' }, message.parts, message.path, true);
  });
}

const isUse = ({ kind, native }: Part): boolean =>
  kind === 'server' && isRecord(native) && textOf(native['type'])?.endsWith('_use') === true;
const isAnswer = (part: Part): boolean => part.kind === 'server' && !isUse(part);

/** Pairs uses with results in one turn: the provider merges adjacent assistant messages. */
function pairServerTools(turn: readonly Message[], mayWait: boolean, { log }: FormatContext): void {
  const open = new Map<string, Part>();
  const strays = new Set<Part>();
  for (const { parts } of turn)
    for (const part of parts) {
      if (isUse(part)) open.set(part.id ?? '', part);
      else if (isAnswer(part) && !open.delete(part.id ?? '')) strays.add(part);
    }
  const answers = mayWait ? new Map<Part, Part>() : errorsFor(open.values(), log);
  for (const part of strays) log.removed('server-tool-pair', part.path, part.native);
  if (strays.size + answers.size === 0) return;
  for (const message of turn) {
    if (!message.parts.some((part) => strays.has(part) || answers.has(part))) continue;
    message.parts = message.parts.flatMap((part) =>
      strays.has(part) ? [] : [part, ...(answers.has(part) ? [answers.get(part) as Part] : [])],
    );
    message.changed = true;
  }
}

const answerTypes: ReadonlyMap<string, string> = new Map([
  ['web_search', 'web_search_tool_result'],
  ['web_fetch', 'web_fetch_tool_result'],
  ['code_execution', 'code_execution_tool_result'],
  ['bash_code_execution', 'bash_code_execution_tool_result'],
  ['text_editor_code_execution', 'text_editor_code_execution_tool_result'],
  ['tool_search_tool_regex', 'tool_search_tool_result'],
  ['tool_search_tool_bm25', 'tool_search_tool_result'],
  ['advisor', 'advisor_tool_result'],
]);

function errorFor({ id, name, native }: Part): JsonObject | undefined {
  const use = { tool_use_id: id ?? '' };
  if (isRecord(native) && native['type'] === 'mcp_tool_use')
    return { type: 'mcp_tool_result', ...use, is_error: true, content: [{ type: 'text', text: sentences.noResult }] };
  const type = answerTypes.get(name ?? '');
  return type === undefined ? undefined : { type, ...use, content: { type: `${type}_error`, error_code: 'unavailable' } };
}

function errorsFor(open: Iterable<Part>, log: FormatContext['log']): ReadonlyMap<Part, Part> {
  const answers = new Map<Part, Part>();
  for (const part of open) {
    const native = errorFor(part);
    if (native === undefined) {
      log.problem('server-tool-pair', part.path ?? '', `The provider's tool use ${part.id ?? ''} has no result.`);
      continue;
    }
    const answer = newPart('server', native, undefined, part.id);
    log.added('server-tool-pair', answer);
    answers.set(part, answer);
  }
  return answers;
}

/** Within each segment between reasoning blocks, moves client calls after the server tool uses and results. */
function moveCallsAfterServerTools(turn: readonly Message[], { log }: FormatContext): void {
  const moved = new Map<Part, readonly Part[]>();
  let calls: Part[] = [];
  let waiting: Part[] = [];
  let last: Part | undefined;
  const flush = (): void => {
    if (last && calls.length > 0) moved.set(last, calls);
    calls = [];
    waiting = [];
    last = undefined;
  };
  for (const { parts } of turn)
    for (const part of parts) {
      if (isBorder(part)) flush();
      else if (part.kind === 'call') waiting.push(part);
      else if (part.kind === 'server') {
        for (const call of waiting) calls.push(call);
        waiting = [];
        last = part;
      }
    }
  flush();
  if (moved.size > 0) moveAfter(turn, moved, log);
}

/** Moves the calls of a segment after its last server tool block and the texts that follow it. */
function moveAfter(turn: readonly Message[], moved: ReadonlyMap<Part, readonly Part[]>, log: FormatContext['log']): void {
  const movedCalls = new Set([...moved.values()].flat());
  for (const call of movedCalls) log.moved('block-order', call);
  for (const message of turn) {
    if (!message.parts.some((part) => movedCalls.has(part) || moved.has(part))) continue;
    const ordered: Part[] = [];
    let held: readonly Part[] = [];
    for (const part of message.parts) {
      if (movedCalls.has(part)) continue;
      if (held.length > 0 && (part.kind === 'call' || isBorder(part))) {
        for (const call of held) ordered.push(call);
        held = [];
      }
      ordered.push(part);
      held = moved.get(part) ?? held;
    }
    for (const call of held) ordered.push(call);
    message.parts = ordered;
    message.changed = true;
  }
}

const isBorder = ({ kind, native }: Part): boolean =>
  kind === 'reasoning' || (isRecord(native) && isText(native['type']) && native['type'] === 'fallback');
