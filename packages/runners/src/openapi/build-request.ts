/**
 * Owns building a request: the arguments go where the operation's plan puts them.
 *
 * Invariants
 * 1. An argument changes neither scheme, host nor the number of path segments, and adds no parameter.
 * 2. No argument is dropped silently.
 */
import type { AttemptContext } from '@holdfast/core';
import { encodeValue, type HttpRequest, headerValue } from '../http/build-request.ts';
import { isRecord } from '@holdfast/core/internal/plain';
import { reveal } from '../options/secret.ts';
import { runnerError } from '../runner-error.ts';
import { asText } from '../template.ts';
import type { BodyPlan } from './body.ts';
import type { InputPlan, ParameterPlan } from './input.ts';
import type { Operation } from './operations.ts';
import type { OpenapiSettings } from './options.ts';
import { type Encode, headerText, pathText, queryPairs } from './styles.ts';

export interface RequestPlan {
  readonly operation: Operation;
  readonly input: InputPlan;
  readonly baseUrl: URL;
  readonly settings: OpenapiSettings;
}

type Arguments = Readonly<Record<string, unknown>>;

export function buildRequest({ operation, input, baseUrl, settings }: RequestPlan, given: unknown, context: AttemptContext): HttpRequest {
  const args = checkedArguments(input, given);
  const { method } = operation;
  const headers = headersOf(input, settings, args);
  if (settings.idempotencyHeader !== false && method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS')
    headers[settings.idempotencyHeader.toLowerCase()] ??= context.idempotencyKey;
  const body = input.body === undefined ? undefined : bodyText(input.body, input.parameters, args);
  if (body !== undefined && input.body !== undefined) headers['content-type'] ??= input.body.contentType;
  return { method, url: urlOf(operation.path, input, baseUrl, args), headers, body };
}

function checkedArguments({ schema, body }: InputPlan, given: unknown): Arguments {
  const args = isRecord(given) ? given : {};
  const known = schema['properties'] as Readonly<Record<string, unknown>>;
  const unknown = body?.further === undefined ? Object.keys(args).find((name) => !Object.hasOwn(known, name)) : undefined;
  if (unknown !== undefined)
    throw runnerError(
      'INVALID_ARGUMENT',
      `There is no parameter '${unknown}'. The parameters are: ${Object.keys(known).join(', ') || 'none'}`,
    );
  return args;
}

const valueOf = (args: Arguments, name: string): unknown => (Object.hasOwn(args, name) ? args[name] : undefined);

const writeValue = ({ isJson }: ParameterPlan, value: unknown): unknown =>
  isJson && value !== undefined && value !== null ? JSON.stringify(value) : value;

function urlOf(path: string, { parameters }: InputPlan, baseUrl: URL, args: Arguments): URL {
  const [own = '', ownQuery] = path.split('?', 2);
  const segments = own.split('/').map((segment) => filledSegment(segment, parameters, args));
  const url = new URL(baseUrl);
  url.pathname = baseUrl.pathname.replace(/\/+$/, '') + segments.join('/');
  const pairs = parameters
    .filter(({ place }) => place === 'query')
    .flatMap((plan) => queryPairs(plan, writeValue(plan, valueOf(args, plan.argument)), plan.allowReserved ? encodeReserved : encodeValue));
  const fixed = [baseUrl.search.slice(1), ownQuery].filter((text) => text !== undefined && text !== '');
  const query = [...fixed, ...pairs.map(([name, value]) => `${name}=${value}`)];
  url.search = query.join('&');
  url.hash = '';
  return url;
}

function filledSegment(template: string, parameters: readonly ParameterPlan[], args: Arguments): string {
  if (!template.includes('{')) return template;
  const segment = template.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const plan = parameters.find((each) => each.place === 'path' && each.name === name);
    const text = plan === undefined ? '' : pathText(plan, writeValue(plan, valueOf(args, plan.argument)), encodeValue);
    if (text === '') throw runnerError('INVALID_ARGUMENT', `Required parameter '${plan?.argument ?? name}' missing`);
    return text;
  });
  if (segment === '.' || segment === '..') throw runnerError('INVALID_ARGUMENT', `A parameter would change the path: '${segment}'`);
  return segment;
}

/** The characters that a query may contain unencoded, except separators. */
const encodeReserved: Encode = (text) =>
  encodeValue(text).replaceAll(/%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B|3D)/g, (code) => decodeURIComponent(code));

function headersOf({ parameters }: InputPlan, settings: OpenapiSettings, args: Arguments): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json, */*;q=0.8',
    'accept-encoding': 'gzip, br',
    'user-agent': 'holdfast',
  };
  const cookies: string[] = [];
  for (const plan of parameters) {
    const value = writeValue(plan, valueOf(args, plan.argument));
    if (plan.place === 'header') {
      const text = headerText(plan, value);
      if (text !== undefined) headers[plan.name.toLowerCase()] = headerValue(plan.name, text);
    } else if (plan.place === 'cookie') cookies.push(...queryPairs(plan, value, encodeValue).map(([name, text]) => `${name}=${text}`));
  }
  for (const [name, value] of Object.entries(settings.headers)) headers[name.toLowerCase()] = headerValue(name, reveal(value));
  if (cookies.length > 0) headers['cookie'] = [...(headers['cookie'] === undefined ? [] : [headers['cookie']]), ...cookies].join('; ');
  return headers;
}

function bodyText(body: BodyPlan, parameters: readonly ParameterPlan[], args: Arguments): string | undefined {
  const single = body.fields.find(({ name }) => name === undefined);
  if (single !== undefined) {
    const value = valueOf(args, single.argument);
    if (value === undefined) return undefined;
    return body.kind === 'text' ? asText(value) : json(value);
  }
  const entries = body.fields.flatMap(({ argument, name = '' }): [string, unknown][] =>
    Object.hasOwn(args, argument) && args[argument] !== undefined ? [[name, args[argument]]] : [],
  );
  if (body.further !== undefined) {
    const known = new Set([...parameters, ...body.fields].map(({ argument }) => argument));
    entries.push(...Object.entries(args).filter(([name]) => !known.has(name)));
  }
  if (entries.length === 0 && !body.isRequired) return undefined;
  return body.kind === 'form' ? formText(body, entries) : json(Object.fromEntries(entries));
}

function formText({ encoding }: BodyPlan, entries: readonly (readonly [string, unknown])[]): string {
  const pairs = entries.flatMap(([name, value]) =>
    queryPairs({ name, ...(encoding[name] ?? { style: 'form', explode: true }) }, objectAsJson(value, encoding[name]), encodeValue),
  );
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}

/** An object without a style is written as JSON. */
const objectAsJson = (value: unknown, encoding: unknown): unknown =>
  encoding === undefined && isRecord(value) ? JSON.stringify(value) : value;

function json(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw runnerError('INVALID_ARGUMENT', 'The arguments cannot be written as JSON', { cause });
  }
}
