/**
 * Owns `createModelProxy`: providers of models behind the gateway, with the gateway's own keys.
 * Does not own repairs and checks (`guardFetch` of `@holdfast/wire`) or retries, which clients do.
 *
 * Invariants
 * 1. `fetch` always answers; a failure in the proxy has the form of the provider's errors.
 * 2. Everything that needs no repair is forwarded unchanged, in both directions, and streams without buffering.
 * 3. No credential of the client is sent to a provider, and no secret of the gateway is sent to a client.
 * 4. When a client disconnects, its request to the provider is cancelled.
 */
import type { ModelProvider } from '@holdfast/manifest';
import { type Fetch, guardFetch } from '@holdfast/wire';
import { errorText, type OutgoingBody, outgoingBody } from './body.ts';
import { type Failure, failureOf, failureResponse } from './failure.ts';
import { incomingHeaders, holdsSecret, outgoingHeaders, reveal, type RevealedEntry } from './headers.ts';
import type { ModelProxy, ModelProxySettings } from './settings.ts';
import { baseUrls, isTarget, type Target, targetOf } from './target.ts';
import { modelUpstream } from './upstream.ts';

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** @throws TypeError for an invalid base URL */
export function createModelProxy(settings: ModelProxySettings): ModelProxy {
  const { models, redact, maxBodyBytes = 64 * 1_024 * 1_024 } = settings;
  const limits = {
    connectTimeoutMs: settings.connectTimeoutMs ?? 10_000,
    answerTimeoutMs: settings.answerTimeoutMs ?? 600_000,
    idleTimeoutMs: settings.idleTimeoutMs ?? 300_000,
  };
  const bases = baseUrls(settings);
  const upstream = modelUpstream(limits);
  const fetches = new Map([...bases.keys()].map((provider) => [provider, fetchFor(provider, upstream.fetch, settings)] as const));

  const exchange = async (request: Request, target: Target, secrets: RevealedEntry): Promise<Response> => {
    const body = await outgoingBody(request, maxBodyBytes);
    if (body.kind === 'too-large') return failureResponse(target.provider, tooLarge(maxBodyBytes));
    const fetch = fetches.get(target.provider) ?? upstream.fetch;
    const response = await fetch(target.url, outgoing(request, target, secrets, body));
    return forwardResponse(response, target, secrets);
  };

  return {
    async fetch(request, path) {
      const target = targetOf(path, new URL(request.url).search, bases);
      if (!isTarget(target)) return failureResponse(target.provider, { ...target, code: 'not_found', retryable: false });
      const { provider, url } = target;
      if (!methods.has(request.method)) return failureResponse(provider, notAllowed);
      const secrets = reveal(models[provider] ?? { headers: {} }, process.env);
      if ('missing' in secrets) return failureResponse(provider, keyMissing(secrets.missing));
      try {
        return await exchange(request, target, secrets);
      } catch (error) {
        if (request.signal.aborted) return failureResponse(provider, clientDisconnected);
        const failure = failureOf(error, new URL(url).host, limits);
        return failureResponse(provider, { ...failure, message: redact(failure.message) });
      }
    },
    close: upstream.close,
  };
}

function fetchFor(provider: ModelProvider, fetch: Fetch, { models, service, onReport }: ModelProxySettings): Fetch {
  const { repair = true, validate = true } = models[provider] ?? {};
  if (!repair && !validate) return fetch;
  return guardFetch(fetch, {
    repair,
    validate,
    service,
    onReport: (report) => {
      const [url = ''] = report.url.split('?');
      onReport?.({ ...report, url, provider });
    },
  });
}

function outgoing(request: Request, { provider }: Target, secrets: RevealedEntry, body: OutgoingBody): RequestInit {
  const headers = outgoingHeaders(request.headers, provider, secrets);
  // The length of a buffered body is set by fetch.
  if (body.kind !== 'stream') headers.delete('content-length');
  const init: RequestInit = { method: request.method, headers, redirect: 'manual', signal: request.signal };
  switch (body.kind) {
    case 'whole':
      return { ...init, body: body.bytes as Uint8Array<ArrayBuffer> };
    case 'stream':
      return { ...init, body: body.stream, duplex: 'half' } as RequestInit;
    default:
      return init;
  }
}

async function forwardResponse(response: Response, { provider, url }: Target, secrets: RevealedEntry): Promise<Response> {
  const { status, statusText, body } = response;
  // Following a redirect would send the credentials of the gateway or the client elsewhere.
  if (status >= 300 && status < 400 && response.headers.has('location')) {
    body?.cancel().catch(() => undefined);
    return failureResponse(provider, redirectFailure(new URL(url).host));
  }
  const headers = incomingHeaders(response.headers, secrets);
  const init = { status, statusText, headers };
  if (body === null || withoutBody.has(status)) return new Response(null, init);
  if (status < 400 || secrets.values.length === 0 || !/\b(?:json|text)\b/i.test(headers.get('content-type') ?? ''))
    return new Response(body, init);
  return errorAnswer(body, init, secrets);
}

/** Redacts an error, which may contain the rejected key. */
async function errorAnswer(
  body: ReadableStream<Uint8Array>,
  init: { readonly status: number; readonly statusText: string; readonly headers: Headers },
  secrets: RevealedEntry,
): Promise<Response> {
  const text = await errorText(body);
  init.headers.delete('content-length');
  const shown = holdsSecret(text, secrets) ? secrets.values.reduce((masked, value) => masked.replaceAll(value, '[redacted]'), text) : text;
  return new Response(shown, init);
}

const tooLarge = (limit: number): Failure => ({
  status: 413,
  code: 'request_too_large',
  message: `The request is larger than ${limit} bytes, the limit of the gateway for models.`,
  retryable: false,
});

const keyMissing = (name: string): Failure => ({
  status: 500,
  code: 'gateway_key_missing',
  message: `The gateway has no key for this provider: the environment variable ${name} is not set.`,
  retryable: false,
});

const redirectFailure = (host: string): Failure => ({
  status: 502,
  code: 'upstream_redirects',
  message: `${host} redirects, which the gateway does not follow: set base_url to the final URL.`,
  retryable: false,
});

const notAllowed: Failure = { status: 405, code: 'method_not_allowed', message: 'This method is not forwarded.', retryable: false };
/** The client does not read it. */
const clientDisconnected: Failure = {
  status: 499,
  code: 'client_closed_request',
  message: 'The client has disconnected.',
  retryable: false,
};
