/**
 * Owns the exchange: sends the request and follows redirects itself.
 *
 * Invariants
 * 1. Every hop is checked against the allow-list before a request is sent to it.
 * 2. Another origin gets only harmless headers, never the secrets of the first.
 * 3. An abort destroys the connection.
 */
import type { Dispatcher } from 'undici';
import { runnerError } from '../runner-error.ts';
import type { HttpRequest } from './build-request.ts';
import type { HttpClient } from './client.ts';
import { checkRedirect } from './hosts.ts';
import type { HttpSettings } from './options.ts';

export type SendSettings = Pick<HttpSettings, 'allowedHosts' | 'maxRedirects' | 'successStatus'>;

export interface HttpExchange {
  readonly request: HttpRequest;
  readonly response: Dispatcher.ResponseData;
}

const redirectStatus: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const harmlessHeaders: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent']);

export async function send(
  client: Pick<HttpClient, 'request'>,
  settings: SendSettings,
  first: HttpRequest,
  signal: AbortSignal,
): Promise<HttpExchange> {
  let request = first;
  for (let redirects = 0; ; redirects++) {
    const response = await client.request({
      origin: request.url.origin,
      path: request.url.pathname + request.url.search,
      method: request.method as Dispatcher.HttpMethod,
      headers: { ...request.headers },
      body: request.body ?? null,
      signal,
    });
    const location = redirectStatus.has(response.statusCode) ? response.headers['location'] : undefined;
    if (typeof location !== 'string' || isWanted(settings, response.statusCode)) return { request, response };
    await response.body.dump();
    if (redirects >= settings.maxRedirects)
      throw runnerError('TOO_MANY_REDIRECTS', `${first.url.host} redirects more than ${settings.maxRedirects} times`);
    request = redirect(request, response.statusCode, location, settings.allowedHosts);
  }
}

function isWanted({ successStatus }: SendSettings, status: number): boolean {
  return successStatus?.includes(status) === true;
}

function redirect(request: HttpRequest, status: number, location: string, allowedHosts: readonly string[]): HttpRequest {
  if (!URL.canParse(location, request.url.href)) throw runnerError('INVALID_RESPONSE', `${request.url.host} redirects to an invalid URL`);
  const url = new URL(location, request.url);
  checkRedirect(request.url, url, allowedHosts);
  const becomesGet = status === 303 || (request.method === 'POST' && (status === 301 || status === 302));
  const headers = Object.entries(request.headers).filter(
    ([name]) => (url.origin === request.url.origin || harmlessHeaders.has(name)) && !(becomesGet && name === 'content-type'),
  );
  return {
    method: becomesGet ? 'GET' : request.method,
    url,
    headers: Object.fromEntries(headers),
    body: becomesGet ? undefined : request.body,
  };
}
