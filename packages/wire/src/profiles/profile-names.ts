/** Owns the names of the backends. They come without the rules, since a bundle may need only the names. */
import { refuse } from '@holdfast/core/internal/plain';

/** A provider or inference server whose rules apply. */
export type ProviderProfile =
  | 'openai'
  | 'anthropic'
  | 'gemini'
  | 'bedrock'
  | 'ai-sdk'
  | 'deepseek'
  | 'mistral'
  | 'qwen'
  | 'kimi'
  | 'minimax'
  | 'xai'
  | 'groq'
  | 'vllm'
  | 'llama-server'
  | 'ollama'
  | 'litellm';

/** All provider profiles. */
export const providerProfiles: readonly ProviderProfile[] = [
  'openai',
  'anthropic',
  'gemini',
  'bedrock',
  'ai-sdk',
  'deepseek',
  'mistral',
  'qwen',
  'kimi',
  'minimax',
  'xai',
  'groq',
  'vllm',
  'llama-server',
  'ollama',
  'litellm',
];

/** Aliases of the profiles. */
const profileAliases: ReadonlyMap<string, ProviderProfile> = new Map([
  ['moonshot', 'kimi'],
  ['moonshotai', 'kimi'],
  ['dashscope', 'qwen'],
  ['alibaba', 'qwen'],
  ['google', 'gemini'],
  ['vertex', 'gemini'],
  ['azure', 'openai'],
  ['aws', 'bedrock'],
  ['grok', 'xai'],
  ['llama.cpp', 'llama-server'],
  ['llamacpp', 'llama-server'],
]);

/** The profile with a name or an alias such as `grok`; `undefined` for an unknown name. */
export function providerProfileOf(name: string): ProviderProfile | undefined {
  if (typeof name !== 'string') return refuse('providerProfileOf: name', name, 'of type string', '');
  const plain = name.toLowerCase();
  return providerProfiles.find((profile) => profile === plain) ?? profileAliases.get(plain);
}
