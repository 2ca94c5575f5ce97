/**
 * Owns the calls of a model's answer that LangChain could not parse, or parsed differently from what the model wrote.
 * They are added to the calls to run, so that they get a result, and the original arguments are kept in the metadata until then.
 *
 * Invariant: an answer without such calls is returned as the same object.
 */
import type { AIMessage, AIMessageChunk, ToolCall } from '@langchain/core/messages';
import type { ModelCall } from '@holdfast/core/agent';
import type { AdapterContext } from './adapter-context.ts';
import { withCalls } from './transcript.ts';

/** Key in `response_metadata` for the original arguments, by call id. */
const rawArgumentsKey = 'arguments_as_written';

/** Finish reasons of answers whose calls may be incomplete. */
const cutOff = /^(?:length|max_tokens|incomplete|in_progress|model_context_window_exceeded|content_filter|content_filtered|refusal)$/i;
const endFields = ['finish_reason', 'stop_reason', 'finishReason', 'stopReason', 'status'];

type Fields = Readonly<Record<string, unknown>>;

/** Restores a call as the model made it. */
export function modelCall({ name, id, args }: ToolCall, answer: AIMessage | undefined): ModelCall {
  const metadata = (answer?.response_metadata ?? {}) as Fields;
  const written = (metadata[rawArgumentsKey] ?? {}) as Fields;
  return { toolName: name, callId: id as string, arguments: written[id ?? ''] ?? args, truncated: isCutOff(metadata) };
}

/** The calls of an answer, frozen, by the list that they were read from. */
const callLists = new WeakMap<readonly ToolCall[], readonly ModelCall[]>();

/** All calls of an answer, the same list for each of them; `undefined` if one has no id, so that only its place tells it from others. */
export function callsOf(answer: AIMessage): readonly ModelCall[] | undefined {
  const { tool_calls: given = [] } = answer;
  const known = callLists.get(given);
  if (known && known.length === given.length && given.every(({ id }, index) => id === known[index]?.callId)) return known;
  if (given.some(({ id }) => !id)) return undefined;
  const calls = Object.freeze(given.map((call) => modelCall(call, answer)));
  callLists.set(given, calls);
  return calls;
}

/** Asked for every call of an answer, by every call of it. */
const cutOffAnswers = new WeakMap<Fields, boolean>();

function isCutOff(metadata: Fields): boolean {
  const known = cutOffAnswers.get(metadata);
  if (known !== undefined) return known;
  const found = endFields.some((field) => cutOff.test(String(metadata[field])));
  cutOffAnswers.set(metadata, found);
  return found;
}

/** Returns the answer with every call of a known tool in `tool_calls`, with the arguments to execute. */
export function readCalls(answer: AIMessage, { schemas, read, reliable }: AdapterContext): AIMessage {
  const written: Record<string, unknown> = {};
  const calls = writtenCallsOf(answer).flatMap(({ id = '', name, raw, given }): readonly ToolCall[] => {
    const effect = reliable.service.getToolSettings(name)?.effect;
    const reading = schemas.has(name) && read({ raw, toolName: name, schema: undefined, effect, truncated: false });
    if (!reading || (given && reading.ok && reading.repairs.length === 0)) return given ? [given] : [];
    written[id] = raw;
    return [{ ...given, type: 'tool_call', id, name, args: (reading.ok ? reading.value : {}) as ToolCall['args'] }];
  });
  if (Object.keys(written).length === 0) return answer;
  return withCalls(answer, calls, (id) => calls.find((call) => call.id === id), {
    invalid_tool_calls: answer.invalid_tool_calls?.filter(({ id }) => !(String(id) in written)) ?? [],
    response_metadata: { ...answer.response_metadata, output: undefined, [rawArgumentsKey]: written },
  });
}

interface WrittenCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly raw: unknown;
  /** The call as parsed by LangChain. */
  readonly given?: ToolCall;
}

/** All calls of an answer, in the model's order. */
function writtenCallsOf(answer: AIMessage): readonly WrittenCall[] {
  const chunks = (answer as Partial<AIMessageChunk>).tool_call_chunks ?? [];
  const written = (answer.additional_kwargs.tool_calls ?? []).map(({ id, function: called }) => ({ id, args: called?.arguments }));
  const read = (answer.tool_calls ?? []).map((given) => {
    const texts = (chunks.length > 0 ? chunks : written).filter((each) => each.id === given.id && !('isCustomTool' in each));
    const [text, more] = texts.map(({ args }) => args);
    // LangChain keeps the readable part of a truncated stream, and the last value of a name that occurs twice.
    return { id: given.id, name: given.name, raw: text === undefined || more !== undefined ? given.args : text, given };
  });
  const unread = (answer.invalid_tool_calls ?? []).flatMap(({ id, name, args }) => (id && name ? { id, name, raw: args } : []));
  const lists = [chunks, answer.additional_kwargs.tool_calls, answer.response_metadata['output'], answer.content];
  const order = lists
    .flatMap((list) => (Array.isArray(list) ? (list as readonly Fields[]) : []))
    .map((item) => item['call_id'] ?? item['id']);
  return unread.length === 0 ? read : [...read, ...unread].toSorted((one, other) => order.indexOf(one.id) - order.indexOf(other.id));
}
