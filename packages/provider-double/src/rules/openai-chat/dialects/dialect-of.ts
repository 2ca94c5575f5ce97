/** The dialect of each backend. */
import type { BackendProfile } from '../../problem.ts';
import { openai, type ChatDialect } from '../dialect.ts';
import { deepseek } from './deepseek.ts';
import { groq } from './groq.ts';
import { kimi } from './kimi.ts';
import { litellm, llamaServer, ollama, vllm } from './local.ts';
import { minimax } from './minimax.ts';
import { mistral } from './mistral.ts';
import { qwen } from './qwen.ts';
import { xai } from './xai.ts';

const dialects: Readonly<Partial<Record<BackendProfile, ChatDialect>>> = {
  deepseek,
  groq,
  kimi,
  moonshot: kimi,
  litellm,
  'llama-server': llamaServer,
  ollama,
  vllm,
  minimax,
  mistral,
  qwen,
  xai,
};

export const dialectOf = (profile: BackendProfile): ChatDialect => dialects[profile] ?? openai;
