/**
 * Owns reading the body of a request: its media type, its size, its encoding, its depth.
 *
 * Invariant: no more of a body than the limit is read or kept, whatever its headers declare.
 */
import { repeatsName } from '@holdfast/core/internal/plain';
import { largeJsonChars, readLargeJson } from '@holdfast/mcp-wire/server';
import type { ApiLimits } from './parts.ts';
import type { Refusal } from './problem.ts';

export type BodyKind = 'json' | 'yaml';

export type BodyText = { readonly text: string; readonly kind: BodyKind; readonly refusal?: undefined } | { readonly refusal: Refusal };

const kinds: readonly (readonly [RegExp, BodyKind])[] = [
  [/^application\/(?:[\w.-]+\+)?json$/, 'json'],
  [/^(?:application|text)\/(?:x-)?yaml$/, 'yaml'],
];
const names: Readonly<Record<BodyKind, string>> = { json: 'application/json', yaml: 'application/yaml' };

export async function readBody(
  request: Request,
  accepted: readonly BodyKind[],
  { bodyBytes, bodyDepth }: Pick<ApiLimits, 'bodyBytes' | 'bodyDepth'>,
): Promise<BodyText> {
  const given = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const kind = kinds.find(([pattern]) => pattern.test(given))?.[1];
  if (kind === undefined || !accepted.includes(kind)) return { refusal: unsupportedType(given, accepted) };
  const encoding = request.headers.get('content-encoding')?.toLowerCase() ?? 'identity';
  if (encoding !== 'identity') return { refusal: refuseEncoding(encoding) };
  if (Number(request.headers.get('content-length')) > bodyBytes) return { refusal: tooLarge(bodyBytes) };
  const bytes = await take(request, bodyBytes);
  if (bytes === 'too_large') return { refusal: tooLarge(bodyBytes) };
  if (bytes === 'broken')
    return { refusal: { status: 400, error: { code: 'BODY_BROKEN', message: 'The body ended before it was complete' } } };
  const text = decodeUtf8(bytes);
  if (text === undefined)
    return { refusal: { status: 400, error: { code: 'ENCODING', message: 'The body is not UTF-8', allowed: 'UTF-8' } } };
  if (kind === 'json' && depthOf(text) > bodyDepth) return { refusal: tooDeep(bodyDepth) };
  return { text, kind };
}

/** Returns the value of a JSON body, or a refusal when it is not JSON or has a name twice: `JSON.parse` would keep the last value. */
export function parseJson(text: string): { readonly value: unknown; readonly refusal?: undefined } | { readonly refusal: Refusal } {
  try {
    const value: unknown = JSON.parse(text);
    return repeatsName(text, value) ? { refusal: nameTwice } : { value };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = text.trim() === '' ? 'The body is empty' : `The body is not JSON: ${reason}`;
    return { refusal: { status: 400, error: { code: 'SYNTAX', message, allowed: 'a JSON text', ...placeIn(reason) } } };
  }
}

/** Like `parseJson`, but a large body is parsed in slices, so that other clients are served meanwhile. */
export async function parseLargeJson(text: string, depth: number): Promise<ReturnType<typeof parseJson>> {
  if (text.length < largeJsonChars) return parseJson(text);
  const read = await readLargeJson(text, depth);
  if (read.problem === 'too_deep') return { refusal: tooDeep(depth) };
  if (read.problem === 'not_json')
    return { refusal: { status: 400, error: { code: 'SYNTAX', message: 'The body is not JSON', allowed: 'a JSON text' } } };
  if (read.problem === undefined) return (await read.repeatsName()) ? { refusal: nameTwice } : { value: read.value };
  return {
    refusal: { status: 413, error: { code: 'BODY_TOO_LARGE', message: `The body ${read.reason}`, hint: 'Send the values as a list.' } },
  };
}

const nameTwice: Refusal = {
  status: 400,
  error: { code: 'SYNTAX', message: 'The body has a name twice in one object', allowed: 'each name once in an object' },
};

/** Line and column, if the JavaScript engine reports them. */
function placeIn(reason: string): { readonly line?: number; readonly column?: number } {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(reason) ?? [];
  return line === undefined || column === undefined ? {} : { line: Number(line), column: Number(column) };
}

async function take(request: Request, limit: number): Promise<Uint8Array | 'too_large' | 'broken'> {
  if (request.body === null) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of request.body) {
      size += part.byteLength;
      if (size > limit) return 'too_large';
      parts.push(part);
    }
  } catch {
    return 'broken';
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, size);
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the depth of brackets outside of strings. Checked first because parsing and validation are recursive. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (quoted) {
      if (character === backslash) index += 1;
      else if (character === quote) quoted = false;
    } else if (character === quote) quoted = true;
    else if (character === openBrace || character === openBracket) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (character === closeBrace || character === closeBracket) depth -= 1;
  }
  return deepest;
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d] as const;

function unsupportedType(given: string, accepted: readonly BodyKind[]): Refusal {
  const allowed = accepted.map((kind) => names[kind]).join(' or ');
  const message = given === '' ? 'The body has no content type' : `A body of type ${given} is not supported`;
  return {
    status: 415,
    error: { code: 'UNSUPPORTED_MEDIA_TYPE', message, field: 'content-type', allowed, hint: `Send it as ${names.json}.` },
  };
}

function refuseEncoding(encoding: string): Refusal {
  const error = {
    code: 'UNSUPPORTED_ENCODING',
    message: `A body encoded as ${encoding} is not supported`,
    field: 'content-encoding',
    allowed: 'identity',
  };
  return { status: 415, error };
}

const tooLarge = (limit: number): Refusal => ({
  status: 413,
  error: { code: 'BODY_TOO_LARGE', message: 'The body is too large', allowed: `at most ${limit} bytes` },
});

const tooDeep = (limit: number): Refusal => ({
  status: 422,
  error: { code: 'TOO_DEEP', message: 'The body is nested too deeply', allowed: `at most ${limit} levels` },
});
