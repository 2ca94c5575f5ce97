/**
 * Owns reading a response: an output, or an error with status, headers and an excerpt of the body.
 */
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { isRecord, parseJsonOrUndefined, truncate } from '@holdfast/core/internal/plain';
import { runnerError } from '../runner-error.ts';
import type { HttpSettings } from './options.ts';
import type { HttpExchange } from './send.ts';

/** `auto`: by the content type of the response. */
export interface ReadSettings extends Pick<HttpSettings, 'successStatus' | 'maxResponseBytes'> {
  readonly response: HttpSettings['response'] | 'auto';
}

const excerptBytes = 4096;

export async function readResponse(settings: ReadSettings, exchange: HttpExchange): Promise<unknown> {
  const { response } = exchange;
  const { statusCode } = response;
  const isSuccess = settings.successStatus?.includes(statusCode) ?? (statusCode >= 200 && statusCode <= 299);
  if (!isSuccess) throw statusError(exchange, await beginningOf(decodeBody(response), excerptBytes));
  const body = await bytesOf(decodeBody(response), settings, exchange);
  const kind = settings.response === 'auto' ? kindOf(response, body) : settings.response;
  if (kind === 'bytes') return { contentType: String(response.headers['content-type'] ?? ''), base64: body.toString('base64') };
  const source = new TextDecoder().decode(body);
  if (kind === 'text') return source;
  if (kind === 'nothing' || statusCode === 204 || statusCode === 205) return null;
  const value = parseJsonOrUndefined(source);
  if (value !== undefined) return value;
  throw runnerError('INVALID_RESPONSE', `${requestLine(exchange)} did not return JSON: ${truncate(source, 200)}`, {
    status: statusCode,
    headers: headersOf(response),
    body: truncate(source, excerptBytes),
  });
}

/** A response without a content type is JSON if it parses, otherwise text. */
function kindOf({ headers }: Dispatcher.ResponseData, body: Buffer): 'json' | 'text' | 'bytes' | 'nothing' {
  const type = String(headers['content-type'] ?? '')
    .split(';', 1)[0]
    ?.trim()
    .toLowerCase();
  if (body.length === 0) return 'nothing';
  if (type === '' || type === undefined) return parseJsonOrUndefined(body.toString()) === undefined ? 'text' : 'json';
  if (/[/+]json$/.test(type)) return 'json';
  return /^text\/|[/+](?:xml|yaml|x-yaml|javascript|x-www-form-urlencoded|x-ndjson|jsonl|csv|sql)$/.test(type) ? 'text' : 'bytes';
}

function statusError(exchange: HttpExchange, excerpt: string): Error {
  const { response } = exchange;
  const body: unknown = parseJsonOrUndefined(excerpt) ?? excerpt;
  const text = messageInBody(body);
  const message = `HTTP ${response.statusCode} from ${requestLine(exchange)}${text === undefined ? '' : `: ${truncate(text, 300)}`}`;
  return runnerError('HTTP_STATUS', message, { status: response.statusCode, headers: headersOf(response), body });
}

/** The message of common error bodies: `{ error: { message } }`, `{ error }`, `{ message }`, `{ detail }`, `{ title }`, or plain text. */
function messageInBody(body: unknown): string | undefined {
  if (typeof body === 'string') return body.trim() === '' || body.trimStart().startsWith('<') ? undefined : body.trim();
  if (!isRecord(body)) return undefined;
  const inner = isRecord(body['error']) ? body['error']['message'] : body['error'];
  return [inner, body['message'], body['detail'], body['title']].find((each) => typeof each === 'string');
}

/** Method and address without the query, which may contain a secret. */
function requestLine({ request }: HttpExchange): string {
  return `${request.method} ${request.url.origin}${request.url.pathname}`;
}

function headersOf({ headers }: Dispatcher.ResponseData): Readonly<Record<string, string>> {
  const pairs = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]);
  return Object.fromEntries(pairs.filter(([name, value]) => value !== undefined && name !== 'set-cookie')) as Record<string, string>;
}

function decodeBody({ headers, body }: Dispatcher.ResponseData): Readable {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  const decoder = { gzip: createGunzip, 'x-gzip': createGunzip, br: createBrotliDecompress, deflate: createInflate }[encoding];
  // The reader of the decoder gets the same error.
  return decoder === undefined ? body : pipeline(body, decoder(), () => {});
}

async function bytesOf(body: Readable, { maxResponseBytes }: ReadSettings, exchange: HttpExchange): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxResponseBytes)
      throw runnerError('OUTPUT_TOO_LARGE', `${requestLine(exchange)} responded with more than ${maxResponseBytes} bytes`, {
        status: exchange.response.statusCode,
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The first bytes, without waiting for the rest. Of a broken body, the bytes that arrived. */
async function beginningOf(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxBytes) break;
    }
  } catch {
    // The status is enough.
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes));
}
