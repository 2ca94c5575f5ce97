/** Owns reading calls from Claude's answers, and writing results in the form of the Messages API. Accepts any input and never throws. */
import type { BetaMessage, BetaMessageParam } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { Message, MessageParam, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ExecutedArguments, UntypedFields } from '@holdfast/adapter-kit';
import { fieldsOf, isUnaltered, itemsOf } from '@holdfast/adapter-kit';
import type { ModelCall, ToolAnswer } from '@holdfast/core/agent';

/** A message of `messages.create`, `messages.stream` or `beta.messages`. Its `stop_reason` shows whether it was cut off. */
export type ClaudeMessage = Message | BetaMessage;

/** A message of the next request. */
export type AnyMessageParam = MessageParam | BetaMessageParam;

/** The user message with the results of an answer's calls. */
export interface ToolResults {
  /** Results go back as a message of the user. */
  role: 'user';
  /** One result for each call of the answer. */
  content: ToolResultBlockParam[];
}

/** Stop reasons of truncated answers; `null` while the answer is not complete. */
const cutOff: ReadonlySet<unknown> = new Set([null, 'max_tokens', 'model_context_window_exceeded', 'refusal']);

export function callsOf(answer: ClaudeMessage): readonly ModelCall[] {
  const message = fieldsOf(answer);
  const truncated = cutOff.has(message['stop_reason']);
  return itemsOf(message['content'])
    .map(fieldsOf)
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({ toolName: name as string, callId: id as string, arguments: input, truncated }));
}

export function resultsOf(calls: readonly ModelCall[], answers: readonly ToolAnswer[]): ToolResults {
  const content = answers.map((answer, index): ToolResultBlockParam => {
    const result = { type: 'tool_result', tool_use_id: calls[index]?.callId ?? answer.callId, content: contentOf(answer) } as const;
    return answer.isError ? { ...result, is_error: true } : result;
  });
  return { role: 'user', content };
}

type Content = NonNullable<ToolResultBlockParam['content']>;

/** Texts and blocks as returned by the tool; other outputs and errors as text. */
export function contentOf({ result, text }: ToolAnswer): Content {
  if (isUnaltered(result) && areBlocks(result.output)) return result.output;
  const shown = imagesOf(result.error?.cause);
  return shown.length > 0 ? [{ type: 'text', text }, ...shown] : text;
}

/** Non-text content a tool returned with its error. Anything may have been thrown. */
function imagesOf(cause: unknown): Blocks {
  try {
    const { name, content } = fieldsOf(cause);
    const shown = name === 'ToolError' ? itemsOf(content).filter((block) => fieldsOf(block)['type'] !== 'text') : [];
    return areBlocks(shown) ? shown : [];
  } catch {
    return [];
  }
}

const blockTypes: ReadonlySet<unknown> = new Set(['text', 'image', 'search_result', 'document', 'tool_reference']);

type Blocks = Exclude<Content, string>;

const areBlocks = (output: unknown): output is Blocks => Array.isArray(output) && output.length > 0 && output.map(fieldsOf).every(isBlock);

/** Malformed blocks are sent as JSON text: the API would refuse the whole conversation. */
const isBlock = ({ type, text, source }: UntypedFields): boolean =>
  blockTypes.has(type) && (type !== 'text' || typeof text === 'string') && (type !== 'image' || typeof source === 'object');

/** Replaces the arguments the model wrote by the executed ones. */
export function withExecutedArguments<Entry>(messages: readonly Entry[], executed: ExecutedArguments): readonly Entry[] {
  if (executed.isEmpty) return messages;
  const written = messages.map((message) => {
    const blocks = itemsOf(fieldsOf(message)['content']);
    const next = blocks.map((given) => {
      const block = fieldsOf(given);
      const own = block['type'] === 'tool_use' ? executed.get(block['id'], block['input']) : undefined;
      return own === undefined || own === block['input'] ? given : { ...block, input: own };
    });
    return next.every((block, index) => block === blocks[index]) ? message : ({ ...message, content: next } as Entry);
  });
  return written.every((message, index) => message === messages[index]) ? messages : written;
}
