/** Whether a request is answered at all: key, model, rules. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Refusal } from '../answers/error-body.ts';
import type { NeutralRequest } from '../neutral/neutral-request.ts';
import { checkWith } from '../rules/check-request.ts';
import type { BackendProfile, RequestProblem } from '../rules/problem.ts';
import { fieldsOf } from '../rules/reading.ts';
import type { HeldItems } from './held-items.ts';
import type { HeldThinking } from './held-thinking.ts';
import { missingFields } from './required-fields.ts';

/** Why a request is refused, with every rule that it breaks. */
export interface Verdict {
  readonly refusal: Refusal;
  readonly problems: readonly RequestProblem[];
}

type Format = NeutralRequest['format'];

const keyOf = (headers: IncomingHttpHeaders, query: URLSearchParams): string | undefined => {
  const own = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? query.get('key') ?? undefined;
  return typeof own === 'string' ? own : headers.authorization?.replace(/^Bearer /, '');
};

const keyRefusals: Readonly<Record<Format, (key: string) => Refusal>> = {
  'openai-chat': (key) => ({ status: 401, message: `Incorrect API key provided: ${key.slice(0, 4)}***.`, code: 'invalid_api_key' }),
  'openai-responses': (key) => ({ status: 401, message: `Incorrect API key provided: ${key.slice(0, 4)}***.`, code: 'invalid_api_key' }),
  'anthropic-messages': () => ({ status: 401, message: 'invalid x-api-key' }),
  // Google reports a wrong key as an invalid argument.
  gemini: () => ({ status: 400, message: 'API key not valid. Please pass a valid API key.' }),
  'bedrock-converse': () => ({ status: 403, message: 'The security token included in the request is invalid.' }),
};

const modelRefusals: Readonly<Record<Format, (model: string) => Refusal>> = {
  'openai-chat': (model) => unknownModel(model),
  'openai-responses': (model) => unknownModel(model),
  'anthropic-messages': (model) => ({ status: 404, message: `model: ${model}` }),
  gemini: (model) => ({
    status: 404,
    message: `models/${model} is not found for API version v1beta, or is not supported for generateContent.`,
  }),
  'bedrock-converse': () => ({ status: 400, message: 'The provided model identifier is invalid.' }),
};

function unknownModel(model: string): Refusal {
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return { status: 404, message, code: 'model_not_found' };
}

export interface Question {
  readonly format: Format;
  readonly profile: BackendProfile | undefined;
  readonly model: string;
  /** The request with everything the server holds before it; `undefined` if it continues something that is not held. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly held: HeldItems;
  readonly thinking: HeldThinking;
  readonly apiKey: string | undefined;
  readonly models: readonly string[] | undefined;
}

export function judge(question: Question): Verdict | undefined {
  const { format, profile, model, body, held, thinking, apiKey, models } = question;
  const key = keyOf(question.headers, question.query);
  if (apiKey !== undefined && key !== apiKey) return { refusal: keyRefusals[format](key ?? ''), problems: [] };
  if (models && !models.includes(model)) return { refusal: modelRefusals[format](model), problems: [] };
  if (body === undefined) {
    const details = { error_code: 'thread_not_found' };
    return { refusal: { status: 404, message: 'thread: previous message not found', details }, problems: [] };
  }
  const before = held.before(body);
  if (!before && format === 'openai-responses') {
    const { previous_response_id: id } = fieldsOf<{ readonly previous_response_id?: unknown }>(body);
    const message = `Previous response with id '${String(id)}' not found.`;
    return { refusal: { status: 400, message, param: 'previous_response_id', code: 'previous_response_not_found' }, problems: [] };
  }
  const changed = format === 'anthropic-messages' ? thinking.findChanged(body) : [];
  const problems = [
    ...missingFields(format, body),
    ...checkWith({ format, request: body, ...(profile ? { profile } : {}) }, before),
    ...changed,
  ];
  const [first] = problems;
  if (!first) return undefined;
  const { status = 400, message, code, param, type } = first;
  return { refusal: { status, message, code, param, type }, problems };
}

/** Groq validates its own model's output, and includes it in the refusal. */
export function groqRefusal(
  request: NeutralRequest,
  calls: readonly { readonly name: string; readonly raw: string }[],
): Readonly<Record<string, unknown>> | undefined {
  const foreign = calls.find((call) => !request.tools.some((tool) => tool.name === call.name));
  const broken = calls.find((call) => !/^\s*\{[\s\S]*\}\s*$/.test(call.raw));
  const wrong = foreign ?? broken;
  if (!wrong) return undefined;
  const message = foreign
    ? `Tool call validation failed: tool call validation failed: attempted to call tool '${foreign.name}' which was not in request.tools`
    : "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.";
  const generation = `${wrong.name}${wrong.raw}</function>`;
  return { message, type: 'invalid_request_error', code: 'tool_use_failed', failed_generation: generation };
}
