/**
 * Owns reading one list of one server to its end.
 *
 * Invariants
 * 1. Ends whatever the server says: limits of pages, entries, characters and time; a cursor that comes again is the end.
 * 2. What was read before a limit is the list. A page that fails fails the list.
 * 3. Entries are as the server sent them. What is no entry is left out.
 */
import { isJsonObject, type JsonObject, rpcCodes, isRpcError } from '@holdfast/mcp-wire/server';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Ask } from './ask.ts';
import type { RelayLimits } from './limits.ts';
import { listWords, type ListKind } from './list-kind.ts';

/** How long a list may be kept, as a server of the modern era says it. */
export interface CacheHint {
  /** 0: not at all. */
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

export interface ServerList extends CacheHint {
  readonly entries: readonly JsonObject[];
  /** What else the server said with the list. */
  readonly rest: JsonObject;
  /** Why there may be more than this. */
  readonly cutBy?: string;
}

export type ReadListLimits = Pick<RelayLimits, 'pages' | 'entries' | 'chars' | 'listMs'>;

const noHint: CacheHint = { ttlMs: 0, cacheScope: 'private' };

export async function readList(ask: Ask, upstream: Upstream, kind: ListKind, limits: ReadListLimits): Promise<ServerList> {
  const { method, field, key } = listWords[kind];
  const endsAt = performance.now() + limits.listMs;
  const entries: JsonObject[] = [];
  const cursors = new Set<string>();
  let chars = 0;
  let rest: JsonObject = {};
  let hint: CacheHint | undefined;
  let cursor: string | undefined;
  for (let page = 1; ; page++) {
    const limitMs = Math.max(1, Math.ceil(endsAt - performance.now()));
    const result = await orEmpty(ask(upstream, method, cursor === undefined ? {} : { cursor }, { isRead: true, limitMs }), page);
    const { [field]: listed, nextCursor: next, ttlMs, cacheScope, resultType: _type, ...more } = result;
    chars += JSON.stringify(listed)?.length ?? 0;
    if (chars <= limits.chars && Array.isArray(listed))
      for (const entry of listed) if (isJsonObject(entry) && typeof entry[key] === 'string') entries.push(entry);
    hint = stricter(hint, cacheHint({ ttlMs, cacheScope }));
    rest = { ...rest, ...more };
    const cutBy = cutReason(next, page);
    if (cutBy !== undefined) return { entries: entries.slice(0, limits.entries), rest, ...hint, cutBy };
    if (typeof next !== 'string' || next === '') return { entries, rest, ...hint };
    cursors.add(next);
    cursor = next;
  }

  function cutReason(next: unknown, page: number): string | undefined {
    if (chars > limits.chars) return `it has more than ${limits.chars} characters`;
    const hasMore = typeof next === 'string' && next !== '';
    if (entries.length > limits.entries || (hasMore && entries.length === limits.entries))
      return `it has more than ${limits.entries} entries`;
    if (!hasMore) return undefined;
    if (cursors.has(next)) return 'its pages go in a circle';
    return page >= limits.pages ? `it has more than ${limits.pages} pages` : undefined;
  }
}

/** Some servers have the capability and not the method, such as templates: they have none. */
async function orEmpty(answer: Promise<JsonObject>, page: number): Promise<JsonObject> {
  try {
    return await answer;
  } catch (error) {
    if (page === 1 && isRpcError(error) && error.code === rpcCodes.methodNotFound) return {};
    throw error;
  }
}

export function cacheHint({ ttlMs, cacheScope }: { readonly ttlMs?: unknown; readonly cacheScope?: unknown }): CacheHint {
  if (typeof ttlMs !== 'number' || !Number.isFinite(ttlMs) || ttlMs < 0) return noHint;
  return { ttlMs: Math.floor(ttlMs), cacheScope: cacheScope === 'public' ? 'public' : 'private' };
}

/** The shorter time and the narrower scope. */
export function stricter(one: CacheHint | undefined, other: CacheHint): CacheHint {
  if (one === undefined) return other;
  return {
    ttlMs: Math.min(one.ttlMs, other.ttlMs),
    cacheScope: one.cacheScope === 'public' && other.cacheScope === 'public' ? 'public' : 'private',
  };
}
