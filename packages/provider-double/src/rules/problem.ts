/** The formats of requests, and the problems found in them. */

/** The format of a request. `ai-sdk` is the `ModelMessage` list that AI SDK converts to the others. */
export type WireFormat = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'bedrock-converse' | 'ai-sdk';

/** The backend that answers. Several backends use one format and refuse different things. */
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
  /** The broken rule, in kebab-case. One name per idea, in every format. */
  readonly rule: string;
  /** Path in the request: `messages[2].tool_calls[0].id`. Empty for the request as a whole. */
  readonly path: string;
  /** The provider's error message. */
  readonly message: string;
  /** The provider's `code`, if it sends one. */
  readonly code?: string;
  /** The provider's `param`, if it sends one. */
  readonly param?: string;
  /** The provider's error `type`, if it is not the usual one. */
  readonly type?: string;
  /** The HTTP status. @default 400 */
  readonly status?: number;
}

/** Receives one problem. */
export type Report = (problem: RequestProblem) => void;
