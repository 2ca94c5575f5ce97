/**
 * Owns recognizing requests to a model, by their URL and body.
 * Does not own checking or repairing them.
 *
 * Invariant: a request that is not recognized with certainty is left alone.
 */
import { isList, isRecord, isText, type JsonObject, parseJsonOrUndefined } from '../json.ts';
import type { StreamFormat } from '../stream/assemble-stream.ts';

/** A request to a model. */
export interface ModelRequest {
  readonly url: string;
  readonly format: StreamFormat;
  readonly body: JsonObject;
  /** The body is covered by a signature; a changed body would be refused. */
  readonly signed: boolean;
}

export type FetchInput = string | URL | Request;

const paths: readonly (readonly [RegExp, StreamFormat])[] = [
  [/\/chat\/completions$/, 'openai-chat'],
  [/\/responses$/, 'openai-responses'],
  [/\/messages$/, 'anthropic-messages'],
  [/\/publishers\/anthropic\/.*:(?:rawPredict|streamRawPredict)$/, 'anthropic-messages'],
  [/:(?:generateContent|streamGenerateContent)$/, 'gemini'],
  [/\/model\/[^/]+\/converse(?:-stream)?$/, 'bedrock-converse'],
];

/** The field that contains the transcript in each format. */
const lists: Readonly<Record<StreamFormat, string>> = {
  'openai-chat': 'messages',
  'openai-responses': 'input',
  'anthropic-messages': 'messages',
  gemini: 'contents',
  'bedrock-converse': 'messages',
};

/** Hosts with stricter rules than the format they use. */
const hosts: readonly (readonly [RegExp, string])[] = [
  [/\bdeepseek\.com$/, 'deepseek'],
  [/\bmistral\.ai$/, 'mistral'],
  [/\b(?:moonshot\.(?:ai|cn)|kimi\.com)$/, 'kimi'],
  [/\bdashscope[\w-]*\.aliyuncs\.com$/, 'qwen'],
  [/\bminimax(?:i)?\.(?:io|com|chat)$/, 'minimax'],
  [/\bx\.ai$/, 'xai'],
  [/\bgroq\.com$/, 'groq'],
];

const urlOf = (input: FetchInput): string => (typeof input === 'string' ? input : 'href' in input ? input.href : input.url);

const formatOfUrl = (url: string): StreamFormat | undefined => {
  const [path = ''] = url.split(/[?#]/);
  return paths.find(([pattern]) => pattern.test(path))?.[1];
};

/** The provider profile of a known host, or `undefined`. */
export const profileOfUrl = (url: string): string | undefined => {
  const host = /^[a-z]+:\/\/(?:[^/@]*@)?([^/:?#]+)/i.exec(url)?.[1] ?? '';
  return hosts.find(([pattern]) => pattern.test(host.toLowerCase()))?.[1];
};

/** Reads a request to a model; `undefined` if it is a different request or unreadable. */
export async function readModelRequest(
  input: FetchInput,
  init: RequestInit | undefined,
  given: StreamFormat | undefined,
): Promise<ModelRequest | undefined> {
  const url = urlOf(input);
  const format = formatOfUrl(url) ?? given;
  const whole = typeof input === 'object' && 'method' in input ? input : undefined;
  const method = init?.method ?? whole?.method ?? 'GET';
  if (format === undefined || method.toUpperCase() !== 'POST') return undefined;
  const headers = new Headers(init?.headers ?? whole?.headers);
  if (headers.has('content-encoding')) return undefined;
  const text = await textOf(init?.body ?? undefined, whole);
  const body = text === undefined ? undefined : parseJsonOrUndefined(text);
  if (!isRecord(body) || !isTranscript(body[lists[format]], format)) return undefined;
  return { url, format, body, signed: (headers.get('authorization') ?? '').startsWith('AWS4-') };
}

const isTranscript = (value: unknown, format: StreamFormat): boolean => isList(value) || (format !== 'anthropic-messages' && isText(value));

async function textOf(body: RequestInit['body'] | undefined, whole: Request | undefined): Promise<string | undefined> {
  if (typeof body === 'string') return body;
  if (body === undefined || body === null) return whole?.clone().text();
  return ArrayBuffer.isView(body) || Object.prototype.toString.call(body) === '[object ArrayBuffer]'
    ? new TextDecoder('utf-8', { fatal: true }).decode(body as ArrayBuffer)
    : undefined;
}

/** Returns the same request with another body. */
export function withBody(input: FetchInput, init: RequestInit | undefined, body: JsonObject): readonly [FetchInput, RequestInit] {
  const whole = typeof input === 'object' && 'method' in input ? input : undefined;
  const next: RequestInit = { ...init, body: JSON.stringify(body), method: init?.method ?? whole?.method ?? 'POST' };
  const headers = new Headers(init?.headers ?? whole?.headers);
  if (!headers.has('content-length')) return [input, next];
  headers.delete('content-length');
  return [input, { ...next, headers }];
}
