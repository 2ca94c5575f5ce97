/**
 * Owns asking a server without a token, for the challenge in its refusal. Some servers refuse the first request, others let everyone begin and refuse the next one.
 */
import type { Outbound } from './outbound.ts';

/** What a request without a token has shown, or one whose token was refused. */
export interface Refused {
  readonly header: string | string[] | undefined;
}

const legacyVersion = '2025-11-25';
const modernVersion = '2026-07-28';
const clientInfo = { name: 'holdfast', version: '0.1.0' };

export async function probe(url: URL, fetch: Outbound): Promise<Refused> {
  const first = await post(url, fetch, {
    method: 'initialize',
    params: { protocolVersion: legacyVersion, capabilities: {}, clientInfo },
  });
  const header = headerOf(first);
  if (header !== undefined || first.status === 401) return { header };
  const session = first.headers.get('mcp-session-id');
  const second = await post(url, fetch, first.status === 200 ? legacyList(session) : modernList);
  if (session !== null) await fetch(url.href, { method: 'DELETE', headers: { 'mcp-session-id': session } }).catch(() => undefined);
  return { header: headerOf(second) };
}

interface Sent {
  readonly method: string;
  readonly params?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const legacyList = (session: string | null): Sent => ({
  method: 'tools/list',
  headers: { 'mcp-protocol-version': legacyVersion, ...(session === null ? {} : { 'mcp-session-id': session }) },
});

const modernList: Sent = {
  method: 'tools/list',
  headers: { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/list' },
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': modernVersion,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

function post(url: URL, fetch: Outbound, { method, params, headers = {} }: Sent): Promise<Response> {
  return fetch(url.href, {
    method: 'POST',
    // It may be a stream without an end.
    isBodyIgnored: true,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) }),
  });
}

const headerOf = (answer: Response): string | undefined => answer.headers.get('www-authenticate') ?? undefined;
