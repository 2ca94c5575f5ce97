/** Owns reading the calls out of an answer of Claude, and writing results as the Messages API takes them. Reads whatever it is given and never throws. */
import type { BetaMessage, BetaMessageParam } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { Message, MessageParam, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ExecutedArguments, Fields } from '@holdfast/adapter-kit';
import { fieldsOf, isUnaltered, listOf } from '@holdfast/adapter-kit';
import type { ModelCall, ToolAnswer } from '@holdfast/core/agent';

/** A message of `messages.create`, `messages.stream` or `beta.messages`. Its `stop_reason` tells whether it was cut off. */
export type ClaudeMessage = Message | BetaMessage;

/** A message that goes into the next request. */
export type AnyMessageParam = MessageParam | BetaMessageParam;

/** The message that answers an answer. */
export interface ToolResults {
  /** Results go back as a message of the user. */
  role: 'user';
  /** One result for each call of the answer. */
  content: ToolResultBlockParam[];
}

/** Answers that ended before the model had ended. */
const cutOff: ReadonlySet<unknown> = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal']);

export function callsOf(answer: ClaudeMessage): readonly ModelCall[] {
  const message = fieldsOf(answer);
  const truncated = cutOff.has(message['stop_reason']);
  return listOf(message['content'])
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

/** Texts and blocks as the tool gave them; everything else, and what went wrong, in words. */
export function contentOf({ result, text }: ToolAnswer): Content {
  if (isUnaltered(result) && areBlocks(result.output)) return result.output;
  const shown = imagesOf(result.error?.cause);
  return shown.length > 0 ? [{ type: 'text', text }, ...shown] : text;
}

/** Pictures that a tool shows together with its error. What was thrown may be anything. */
function imagesOf(cause: unknown): Blocks {
  try {
    const { name, content } = fieldsOf(cause);
    const shown = name === 'ToolError' ? listOf(content).filter((block) => fieldsOf(block)['type'] !== 'text') : [];
    return areBlocks(shown) ? shown : [];
  } catch {
    return [];
  }
}

const blockTypes: ReadonlySet<unknown> = new Set(['text', 'image', 'search_result', 'document', 'tool_reference']);

type Blocks = Exclude<Content, string>;

const areBlocks = (output: unknown): output is Blocks => Array.isArray(output) && output.length > 0 && output.map(fieldsOf).every(isBlock);

/** What only looks like one is told as JSON: the API would refuse the whole conversation. */
const isBlock = ({ type, text, source }: Fields): boolean =>
  blockTypes.has(type) && (type !== 'text' || typeof text === 'string') && (type !== 'image' || typeof source === 'object');

/** Messages in which calls have the arguments that were executed in place of those the model wrote. */
export function withExecutedArguments<Entry>(messages: readonly Entry[], executed: ExecutedArguments): readonly Entry[] {
  if (executed.isEmpty) return messages;
  const written = messages.map((message) => {
    const blocks = listOf(fieldsOf(message)['content']);
    const next = blocks.map((given) => {
      const block = fieldsOf(given);
      const own = block['type'] === 'tool_use' ? executed.get(block['id'], block['input']) : undefined;
      return own === undefined || own === block['input'] ? given : { ...block, input: own };
    });
    return next.every((block, index) => block === blocks[index]) ? message : ({ ...message, content: next } as Entry);
  });
  return written.every((message, index) => message === messages[index]) ? messages : written;
}
