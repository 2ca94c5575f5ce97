/** Which format a path speaks. Base addresses with and without `/v1` in front are both in use. */
import type { NeutralRequest } from '../neutral/neutral-request.ts';

export interface Route {
  readonly format: NeutralRequest['format'];
  /** From the path, where the format has it there. */
  readonly model?: string;
  /** `undefined` where the body says so. */
  readonly stream?: boolean;
}

export function routeOf(path: string): Route | undefined {
  if (/^(?:\/v1)?\/chat\/completions$/.test(path)) return { format: 'openai-chat' };
  if (/^(?:\/v1)?\/responses$/.test(path)) return { format: 'openai-responses' };
  if (/^(?:\/v1)?\/messages$/.test(path)) return { format: 'anthropic-messages' };
  const gemini = /^(?:\/v1(?:beta|alpha)?)?\/models\/([^/]+):(generateContent|streamGenerateContent)$/.exec(path);
  if (gemini) return { format: 'gemini', model: decodeURIComponent(gemini[1] ?? ''), stream: gemini[2] === 'streamGenerateContent' };
  const bedrock = /^\/model\/([^/]+)\/(converse|converse-stream)$/.exec(path);
  if (bedrock) return { format: 'bedrock-converse', model: decodeURIComponent(bedrock[1] ?? ''), stream: bedrock[2] === 'converse-stream' };
  return undefined;
}
