/**
 * Owns requests to addresses that a server named: metadata, authorization servers.
 *
 * Invariants
 * 1. A request ends within its time limit, and no more than the limit of its body is read.
 * 2. No redirect is followed.
 * 3. Only https, or http on this machine; and no address that the rule excludes, whatever the name resolves to.
 */
import { isIP } from 'node:net';
import { addressJudge, type AddressRule, checkedLookup } from '@holdfast/runners';
import { once } from '../plain/once.ts';
import { authError, isAuthError } from './auth-error.ts';

/** The part of `fetch` that is used. */
export type Outbound = (url: string, init?: OutboundInit) => Promise<Response>;

interface OutboundInit {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Only status and headers are needed. @default false */
  readonly isBodyIgnored?: boolean | undefined;
}

export interface OutboundOptions {
  readonly addresses: AddressRule;
  /** @default 10000 */
  readonly timeoutMs?: number | undefined;
  /** @default 262144 */
  readonly maxBytes?: number | undefined;
}

export interface OutboundClient {
  readonly fetch: Outbound;
  readonly close: () => Promise<void>;
}

const defaultTimeoutMs = 10_000;
const defaultMaxBytes = 256 * 1024;

export function outboundClient({ addresses, timeoutMs = defaultTimeoutMs, maxBytes = defaultMaxBytes }: OutboundOptions): OutboundClient {
  const isAllowed = addressJudge(addresses);
  const lookup = checkedLookup(addresses);
  // Loaded for the first request: it takes as much memory as a third of the gateway.
  const undici = once(async () => {
    const { Agent, fetch } = await import('undici');
    const agent = new Agent({
      connect: { timeout: timeoutMs, ...(lookup === undefined ? {} : { lookup }) },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxHeaderSize: 32 * 1024,
      keepAliveTimeout: 1_000,
    });
    return { agent, fetch };
  });
  return {
    async fetch(address, { method = 'GET', headers = {}, body, signal, isBodyIgnored = false } = {}) {
      const url = checkUrl(address);
      const host = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !isAllowed(host))
        throw authError('AUTHORIZATION_FAILED', `${url.host} is not an allowed address: see 'addresses' of the server's 'auth'`);
      const limit = AbortSignal.timeout(timeoutMs);
      try {
        const { agent, fetch } = await undici.get();
        const answer = await fetch(url, {
          method,
          headers: { ...headers },
          ...(body === undefined ? {} : { body }),
          redirect: 'manual',
          signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
          dispatcher: agent,
        });
        if (isBodyIgnored) await answer.body?.cancel();
        const text = isBodyIgnored ? '' : await readBounded(answer.body as AsyncIterable<Uint8Array> | null, maxBytes, url);
        return new Response(hasNoBody(answer.status) ? null : text, { status: answer.status, headers: [...answer.headers] });
      } catch (error) {
        throw isAuthError(error) ? error : networkError(url, error);
      }
    },
    close: async () => (await undici.made())?.agent.destroy(),
  };
}

const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304;

function networkError(url: URL, error: unknown): Error {
  const cause = (error as { readonly cause?: { readonly code?: unknown; readonly message?: string } }).cause;
  const text = cause?.message ?? (error instanceof Error ? error.message : String(error));
  const isForbidden = cause?.code === 'ADDRESS_FORBIDDEN';
  return authError(isForbidden ? 'AUTHORIZATION_FAILED' : 'AUTHORIZATION_SERVER_DOWN', `${url.origin} cannot be reached: ${text}`, error);
}

async function readBounded(body: AsyncIterable<Uint8Array> | null, maxBytes: number, url: URL): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw authError('AUTHORIZATION_FAILED', `${url.origin} sent more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** https, or http for a server on this machine. */
export function checkUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw authError('AUTHORIZATION_FAILED', `not a URL: ${address.slice(0, 200)}`);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (!isSafe || url.username !== '' || url.password !== '')
    throw authError('AUTHORIZATION_FAILED', `${url.protocol}//${url.host} is not accepted: it has to be https, without a user name`);
  return url;
}

export const isLoopbackHost = (host: string): boolean => /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(host);
