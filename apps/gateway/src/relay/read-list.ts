/**
 * Owns reading one list of one server completely.
 *
 * Invariants
 * 1. It always ends: pages, entries, characters and time are limited, and a repeated cursor is the end.
 * 2. What was read before a limit is the list. A failed page fails the list.
 * 3. Entries are unchanged. Invalid entries are left out.
 */
import {
  isJsonObject,
  isRpcError,
  type JsonObject,
  type ListPage,
  type PageRequest,
  pagesOf,
  Pauses,
  rpcCodes,
} from '@holdfast/mcp-wire/client';
import { sizeWithin } from '../calls/wire-size.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Ask } from './ask.ts';
import type { RelayLimits } from './limits.ts';
import { listProtocol, type ListKind } from './list-kind.ts';

/** The caching hint of a modern server for a list. */
export interface CacheHint {
  /** 0: not cacheable. */
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

export interface ServerList extends CacheHint {
  readonly entries: readonly JsonObject[];
  /** Why entries of the server are left out, by their key: the lock file blocks them. */
  readonly withheld?: ReadonlyMap<string, string>;
  /** The other fields of the result. */
  readonly rest: JsonObject;
  /** Why the list was truncated. */
  readonly cutBy?: string;
}

export type ReadListLimits = Pick<RelayLimits, 'pages' | 'entries' | 'chars' | 'listMs'>;

const noHint: CacheHint = { ttlMs: 0, cacheScope: 'private' };

export function readList(ask: Ask, upstream: Upstream, kind: ListKind, limits: ReadListLimits): Promise<ServerList> {
  const endsAt = performance.now() + limits.listMs;
  const request: PageRequest = (name, params) =>
    ask(upstream, name, params, { isRead: true, limitMs: Math.max(1, Math.ceil(endsAt - performance.now())) });
  return readEntries(request, kind, limits);
}

/** The same over any connection. */
export async function readEntries(ask: PageRequest, kind: ListKind, limits: Omit<ReadListLimits, 'listMs'>): Promise<ServerList> {
  const { method, field, key } = listProtocol[kind];
  const entries: JsonObject[] = [];
  const pauses = new Pauses();
  let chars = 0;
  let rest: JsonObject = {};
  let hint: CacheHint | undefined;
  const request: PageRequest = (name, params) => orEmpty(ask(name, params), params['cursor'] === undefined);
  for await (const { result, more } of pagesOf(request, method, limits.pages)) {
    const { [field]: listed, nextCursor: _next, ttlMs, cacheScope, resultType: _type, ...others } = result;
    for (const entry of Array.isArray(listed) ? (listed as readonly unknown[]) : []) {
      if (pauses.isDue) await pauses.pause();
      chars += sizeWithin(entry, limits.chars - chars);
      if (chars > limits.chars || entries.length > limits.entries) break;
      if (isJsonObject(entry) && typeof entry[key] === 'string') entries.push(entry);
    }
    hint = stricter(hint, cacheHint({ ttlMs, cacheScope }));
    rest = { ...rest, ...others };
    const cutBy = cutReason(more);
    if (cutBy !== undefined) return { entries: entries.slice(0, limits.entries), rest, ...hint, cutBy };
  }
  return { entries, rest, ...(hint ?? noHint) };

  function cutReason(more: ListPage['more']): string | undefined {
    if (chars > limits.chars) return `it has more than ${limits.chars} characters`;
    const hasMore = more !== 'none';
    if (entries.length > limits.entries || (hasMore && entries.length === limits.entries))
      return `it has more than ${limits.entries} entries`;
    if (more === 'repeated') return 'its pages repeat';
    return more === 'limit' ? `it has more than ${limits.pages} pages` : undefined;
  }
}

/** Some servers declare the capability without the method, such as for templates: their list is empty. */
async function orEmpty(answer: Promise<JsonObject>, isFirst: boolean): Promise<JsonObject> {
  try {
    return await answer;
  } catch (error) {
    if (isFirst && isRpcError(error) && error.code === rpcCodes.methodNotFound) return {};
    throw error;
  }
}

export function cacheHint({ ttlMs, cacheScope }: { readonly ttlMs?: unknown; readonly cacheScope?: unknown }): CacheHint {
  if (typeof ttlMs !== 'number' || !Number.isFinite(ttlMs) || ttlMs < 0) return noHint;
  return { ttlMs: Math.floor(ttlMs), cacheScope: cacheScope === 'public' ? 'public' : 'private' };
}

/** Returns the shorter TTL and the narrower scope. */
export function stricter(one: CacheHint | undefined, other: CacheHint): CacheHint {
  if (one === undefined) return other;
  return {
    ttlMs: Math.min(one.ttlMs, other.ttlMs),
    cacheScope: one.cacheScope === 'public' && other.cacheScope === 'public' ? 'public' : 'private',
  };
}

/** For a result that another client may not get. */
export const privateHint = ({ ttlMs }: CacheHint): CacheHint => ({ ttlMs, cacheScope: 'private' });
