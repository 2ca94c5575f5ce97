/** Checks a request as its provider would. Pure: no clock, no network, no Node. */
import { checkModelMessages } from './ai-sdk/check.ts';
import { checkMessages } from './anthropic/check.ts';
import { checkConverse } from './bedrock/check.ts';
import { checkGenerate } from './gemini/check.ts';
import { checkChat } from './openai-chat/check.ts';
import { checkResponses, type HeldState } from './openai-responses/check.ts';
import type { BackendProfile, Report, RequestProblem, WireFormat } from './problem.ts';

/** The request to check and whose rules apply. */
export interface CheckRequestOptions {
  /** Format of the request. */
  readonly format: WireFormat;
  /** The provider whose rules apply. @default the format's own provider: `openai`, `anthropic`, `gemini`, `bedrock`, `ai-sdk` */
  readonly profile?: BackendProfile;
  /** The request's body as sent, with `model` (Gemini) or `modelId` (Bedrock) added from its URL: rules depend on it. */
  readonly request: unknown;
}

const formats: Readonly<Record<WireFormat, BackendProfile>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'gemini',
  'bedrock-converse': 'bedrock',
  'ai-sdk': 'ai-sdk',
};

const profiles: ReadonlySet<string> = new Set<BackendProfile>([
  'openai',
  'anthropic',
  'gemini',
  'bedrock',
  'ai-sdk',
  'deepseek',
  'mistral',
  'qwen',
  'kimi',
  'moonshot',
  'minimax',
  'xai',
  'groq',
  'vllm',
  'llama-server',
  'litellm',
  'ollama',
]);

const refuse = (field: string, value: unknown, known: Iterable<string>): never => {
  throw new RangeError(`${field} is '${String(value)}'; it must be one of ${[...known].join(', ')}`);
};

/** {@link checkRequest} with what a server remembers of earlier answers. */
export function checkWith(options: CheckRequestOptions, held: HeldState | undefined): readonly RequestProblem[] {
  const { format, request } = options;
  const usual = Object.hasOwn(formats, format) ? formats[format] : refuse('format', format, Object.keys(formats));
  const profile = options.profile ?? usual;
  if (!profiles.has(profile)) refuse('profile', profile, profiles);
  const problems: RequestProblem[] = [];
  const report: Report = (problem) => void problems.push(problem);
  switch (format) {
    case 'openai-chat':
      checkChat(request, profile, report);
      break;
    case 'openai-responses':
      checkResponses(request, profile, report, held);
      break;
    case 'anthropic-messages':
      checkMessages(request, profile, report);
      break;
    case 'gemini':
      checkGenerate(request, report);
      break;
    case 'bedrock-converse':
      checkConverse(request, report);
      break;
    case 'ai-sdk':
      checkModelMessages(request, report);
      break;
  }
  return problems;
}

/**
 * Everything a provider would refuse in this request, in the order in which it would report it; empty for a valid request.
 *
 * A rule is included if the provider's documentation, its types or its own error text shows it; what third parties report is accepted.
 *
 * @throws RangeError if `format` or `profile` is not known.
 */
export function checkRequest(options: CheckRequestOptions): readonly RequestProblem[] {
  return checkWith(options, undefined);
}
