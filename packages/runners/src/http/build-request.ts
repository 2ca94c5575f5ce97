/**
 * Owns building a request: fills the templates with the call's arguments.
 *
 * Invariants
 * 1. An argument changes neither scheme, host nor the number of path segments.
 * 2. No argument is dropped silently: those that no template uses go into the body, or the query of a method without a body, unless
 *    the options set these.
 */
import type { AttemptContext } from '@holdfast/core';
import { isRecord } from '@holdfast/core/internal/plain';
import { type TextOrSecret, isSecretReference, reveal } from '../options/secret.ts';
import { outgoingHeaders } from '../outgoing.ts';
import { runnerError } from '../runner-error.ts';
import { asText, fillTemplate, pathsIn, solePath, valueAt } from '../template.ts';
import type { HttpSettings, QueryValue } from './options.ts';

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export function buildRequest(settings: HttpSettings, args: unknown, context: AttemptContext): HttpRequest {
  const { method } = settings;
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const rest = unusedArguments(settings, args);
  const url = buildUrl(settings.url, args);
  addQuery(url, settings.query ?? (hasBody ? {} : rest), args, settings.query === undefined);
  const body = settings.body === undefined ? (hasBody ? rest : undefined) : filledBody(settings.body, args);
  const headers = buildHeaders(settings, args);
  if (settings.idempotencyHeader !== false && method !== 'GET')
    headers[settings.idempotencyHeader.toLowerCase()] ??= context.idempotencyKey;
  for (const [name, value] of Object.entries(outgoingHeaders())) headers[name] ??= value;
  return { method, url, headers, body: encodedBody(body, headers) };
}

function buildUrl(template: string, args: unknown): URL {
  const [beforeHash = ''] = template.split('#', 1);
  const queryStart = beforeHash.indexOf('?');
  const path = queryStart === -1 ? beforeHash : beforeHash.slice(0, queryStart);
  const query = queryStart === -1 ? '' : beforeHash.slice(queryStart);
  const segments = path.split('/').map((segment) => filledSegment(segment, args));
  return new URL(segments.join('/') + fillTemplate(query, args, encodeValue));
}

/** Percent-encoded, for any part of a URL. */
export function encodeValue(value: string): string {
  if (/\p{Surrogate}/u.test(value)) throw runnerError('INVALID_ARGUMENT', 'A string with a lone surrogate cannot be put into a URL');
  return encodeURIComponent(value);
}

function filledSegment(template: string, args: unknown): string {
  const segment = fillTemplate(template, args, encodeValue);
  const paths = pathsIn(template);
  if (paths.length > 0 && (segment === '' || segment === '.' || segment === '..'))
    throw runnerError('INVALID_ARGUMENT', `Parameter '${paths.join("', '")}' would change the path: '${segment}'`);
  return segment;
}

function addQuery(url: URL, query: Readonly<Record<string, unknown>>, args: unknown, areValues: boolean): void {
  for (const [name, entry] of Object.entries(query)) {
    const values = areValues ? texts(entry) : queryTexts(entry as QueryValue, args);
    for (const value of values) url.searchParams.append(name, value);
  }
}

function queryTexts(entry: QueryValue, args: unknown): readonly string[] {
  if (typeof entry === 'object' && !isSecretReference(entry)) return entry.flatMap((each) => queryTexts(each, args));
  if (typeof entry === 'number' || typeof entry === 'boolean') return [String(entry)];
  const path = typeof entry === 'string' ? solePath(entry) : undefined;
  return path === undefined ? [filledOrRevealed(entry, args)] : texts(valueAt(args, path));
}

/** An array has many values, a missing value none. */
function texts(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map(asText).filter((each) => each !== undefined);
}

function buildHeaders(settings: HttpSettings, args: unknown): Record<string, string> {
  const headers: Record<string, string> = {
    accept: settings.response === 'json' ? 'application/json' : '*/*',
    'accept-encoding': 'gzip, br',
    'user-agent': 'holdfast',
  };
  for (const [name, entry] of Object.entries(settings.headers)) {
    const path = typeof entry === 'string' ? solePath(entry) : undefined;
    if (path !== undefined && asText(valueAt(args, path)) === undefined) continue;
    headers[name.toLowerCase()] = headerValue(name, filledOrRevealed(entry, args));
  }
  return headers;
}

/** The value, which must not contain line breaks or characters outside Latin-1. */
export function headerValue(name: string, value: string): string {
  if (!/[^\t\x20-\x7e\x80-\xff]/.test(value)) return value;
  throw runnerError('INVALID_ARGUMENT', `The value of the header '${name}' contains invalid characters`);
}

function filledOrRevealed(entry: TextOrSecret, args: unknown): string {
  return typeof entry === 'string' ? fillTemplate(entry, args) : reveal(entry);
}

function filledBody(template: unknown, args: unknown): unknown {
  if (typeof template === 'string') {
    const path = solePath(template);
    return path === undefined ? fillTemplate(template, args) : valueAt(args, path);
  }
  if (Array.isArray(template)) return template.map((each) => filledBody(each, args));
  if (!isRecord(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([name, each]) => [name, filledBody(each, args)]));
}

function encodedBody(body: unknown, headers: Record<string, string>): string | undefined {
  if (body === undefined) return undefined;
  const type = headers['content-type'];
  if (type?.startsWith('application/x-www-form-urlencoded') === true && isRecord(body)) {
    const pairs = Object.entries(body).flatMap(([name, value]) => texts(value).map((each): [string, string] => [name, each]));
    return new URLSearchParams(pairs).toString();
  }
  if (type !== undefined && !type.includes('json') && typeof body === 'string') return body;
  headers['content-type'] ??= 'application/json';
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw runnerError('INVALID_ARGUMENT', 'The arguments cannot be written as JSON', { cause });
  }
}

/** The top-level arguments whose name no template mentions. */
function unusedArguments(settings: HttpSettings, args: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(args)) return {};
  const templates = [settings.url, ...Object.values(settings.headers), ...Object.values(settings.query ?? {}).flat()];
  const used = new Set(
    templates.flatMap((template) => (typeof template === 'string' ? pathsIn(template) : [])).map((path) => path.split('.')[0]),
  );
  return Object.fromEntries(Object.entries(args).filter(([name]) => !used.has(name)));
}
