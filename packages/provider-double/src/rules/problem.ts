/** What a request may be, and what is wrong with one. */

/** The shape of a request. `ai-sdk` is the `ModelMessage` list that AI SDK turns into the others. */
export type WireFormat = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'bedrock-converse' | 'ai-sdk';

/** Who answers. Several backends speak one format and refuse different things. */
export type BackendProfile =
  | 'openai'
  | 'anthropic'
  | 'gemini'
  | 'bedrock'
  | 'ai-sdk'
  | 'deepseek'
  | 'mistral'
  | 'qwen'
  | 'kimi'
  | 'moonshot'
  | 'minimax'
  | 'xai'
  | 'groq'
  | 'vllm'
  | 'llama-server'
  | 'litellm'
  | 'ollama';

/** One reason to refuse a request. */
export interface RequestProblem {
  /** The broken rule, in kebab-case. One name for one idea, whatever the format. */
  readonly rule: string;
  /** Where, in the request's own words: `messages[2].tool_calls[0].id`. Empty for the request as a whole. */
  readonly path: string;
  /** What the provider says. */
  readonly message: string;
  /** The provider's `code`, where it sends one. */
  readonly code?: string;
  /** The provider's `param`, where it sends one. */
  readonly param?: string;
  /** The provider's `type` of error, where it is not the usual one. */
  readonly type?: string;
  /** The HTTP status. @default 400 */
  readonly status?: number;
}

/** Takes one problem. */
export type Report = (problem: RequestProblem) => void;
