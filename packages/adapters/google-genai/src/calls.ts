/** Owns reading calls from Gemini's answers, and writing responses in the form of the API. Accepts any input and never throws. */
import type { Content, FunctionCall, FunctionResponse, GenerateContentResponse, Part } from '@google/genai';
import type { UntypedFields } from '@holdfast/adapter-kit';
import { fieldsOf, isUnaltered, itemsOf } from '@holdfast/adapter-kit';
import type { ModelCall, ToolAnswer } from '@holdfast/core/agent';

/** An answer: the response, the chunks of a stream, or only its content, parts or calls, which do not show whether it was cut off. */
export type GeminiAnswer =
  | GenerateContentResponse
  | Content
  | readonly GenerateContentResponse[]
  | readonly Content[]
  | readonly Part[]
  | readonly FunctionCall[];

/** The content with the responses to an answer's calls. */
export interface FunctionResults {
  /** Responses go back as a content of the user. */
  role: 'user';
  /** One response for each call of the answer. */
  parts: Part[];
}

/** A call, and its location in the answer. */
export interface LocatedCall extends ModelCall {
  /** The id that the API has given; models before Gemini 3 have none. */
  readonly id: unknown;
  readonly native: { args?: unknown };
}

/** Finish reasons of complete answers. Any other one may mean that calls are incomplete. */
const complete: ReadonlySet<unknown> = new Set([undefined, 'STOP', 'FINISH_REASON_UNSPECIFIED']);

export function callsOf(answer: unknown): readonly LocatedCall[] {
  const cutOff = !complete.has(finishReason(answer));
  // A piece without a name continues the call before it, whose arguments are streamed.
  const calls = nativeCalls(answer).filter(({ name }, index, all) => name !== undefined || all[index - 1]?.['willContinue'] !== true);
  return calls.map((native) => locateCall(native, cutOff || native['willContinue'] === true));
}

export const locateCall = (native: UntypedFields, truncated: boolean): LocatedCall => ({
  toolName: native['name'] as string,
  callId: native['id'] as string,
  arguments: native['args'] ?? {},
  truncated,
  id: native['id'],
  native,
});

/** Reads the calls of a response, a content, a part, or of a list of them. */
function nativeCalls(value: unknown): readonly UntypedFields[] {
  if (Array.isArray(value)) return value.flatMap(nativeCalls);
  const fields = fieldsOf(value);
  if ('candidates' in fields) return nativeCalls(fieldsOf(itemsOf(fields['candidates'])[0])['content']);
  if ('parts' in fields) return itemsOf(fields['parts']).flatMap((part) => ('functionCall' in fieldsOf(part) ? nativeCalls(part) : []));
  if ('functionCall' in fields) return isPlain(fields['functionCall']) ? [fieldsOf(fields['functionCall'])] : [];
  return 'name' in fields ? [fields] : [];
}

/** The reason of the latest chunk that has one. */
function finishReason(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(finishReason).findLast((reason) => reason !== undefined);
  return fieldsOf(itemsOf(fieldsOf(value)['candidates'])[0])['finishReason'] ?? undefined;
}

/** Parts that a tool itself has written, by the response that is its output. */
const ownParts = new WeakMap<object, readonly Part[]>();

/** Returns the response in the parts of a tool as its output; the parts are sent as they are. */
export function outputOfParts(parts: readonly Part[]): unknown {
  const output = parts.find(({ functionResponse }) => functionResponse)?.functionResponse?.response ?? {};
  ownParts.set(output, parts);
  return output;
}

export function partsOf({ id, toolName }: LocatedCall, { result, text, isError }: ToolAnswer): readonly Part[] {
  const head = { ...(id === undefined ? {} : { id: id as string }), name: typeof toolName === 'string' ? toolName : '' };
  if (isError) return [{ functionResponse: { ...head, response: { error: text } } }];
  if (!isUnaltered(result)) return [{ functionResponse: { ...head, response: { output: text } } }];
  const { output } = result;
  const own = typeof output === 'object' && output !== null ? ownParts.get(output) : undefined;
  if (own) return own.map((part) => (part.functionResponse ? { ...part, functionResponse: { ...answered(part, id), ...head } } : part));
  if (hasMedia(output)) return [{ functionResponse: { response: {}, ...output, ...head } }];
  return [{ functionResponse: { ...head, response: { output: isSent(output) ? output : text } } }];
}

/** The response of a tool without the id that its call was given here: a call without an id has a response without one. */
function answered({ functionResponse }: Part, id: unknown): UntypedFields {
  const whole = fieldsOf(functionResponse);
  const { id: _id, ...response } = whole;
  return id === undefined ? response : whole;
}

/** An empty string and `undefined` tell the model nothing. */
const isSent = (output: unknown): boolean => output !== undefined && output !== '';

type Media = Required<Pick<FunctionResponse, 'parts'>> & Pick<FunctionResponse, 'response'>;

/** Whether an output is the `response` of a function with media, and nothing else. */
function hasMedia(output: unknown): output is Media {
  const fields = fieldsOf(output);
  const parts = itemsOf(fields['parts']).map(fieldsOf);
  return (
    parts.length > 0 &&
    parts.every(({ inlineData, fileData }) => typeof (inlineData ?? fileData) === 'object') &&
    Object.keys(fields).every((name) => name === 'parts' || (name === 'response' && isPlain(fields[name])))
  );
}

const isPlain = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Writes repaired arguments back into the model's answer, so that the transcript contains what was executed. */
export function writeExecutedArguments({ native }: LocatedCall, { repairs, arguments: args }: ToolAnswer): void {
  if (repairs.length === 0) return;
  try {
    native.args = args;
  } catch {
    return;
  }
}
