/** The format of each path. Base addresses with and without `/v1` are both in use. */
import type { NeutralRequest } from '../neutral/neutral-request.ts';

export interface Route {
  readonly format: NeutralRequest['format'];
  /** From the path, in formats that have it there. */
  readonly model?: string;
  /** `undefined` if it is in the body. */
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
