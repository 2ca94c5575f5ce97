/**
 * Owns the lists for clients: those of all exposed servers merged, in the order of the manifest.
 *
 * Invariants
 * 1. A server that does not answer does not affect the others: its last list is used, or it is left out, and the result is marked.
 * 2. A URI is offered once, from the first server that lists it; every prompt has a unique name.
 * 3. Entries are unchanged, except for the name of a prompt.
 */
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { type NameRules, offeredName, uniqueNames } from '../catalog/names.ts';
import type { OnUpstreamFault, Upstream, Upstreams } from '../upstreams/upstream.ts';
import { listProtocol, type ListKind } from './list-kind.ts';
import { pageOf } from './pages.ts';
import { type CacheHint, type ServerList, stricter } from './read-list.ts';
import type { ServerLists } from './server-lists.ts';

interface Offer {
  readonly upstream: Upstream;
  /** The server's own key: URI, template, or name. */
  readonly ownKey: string;
  /** The entry for clients. */
  readonly entry: JsonObject;
}

export interface MergedLists {
  /** Returns the result of a list request. Rejects with an `RpcError` for an invalid cursor. */
  readonly page: (kind: ListKind, cursor: unknown) => Promise<JsonObject>;
  /** Returns what is known without a request, by URI, template, or offered name. */
  readonly known: (kind: ListKind) => ReadonlyMap<string, Offer>;
  /** The same, after requesting the lists that are not known yet, within their limits. */
  readonly settled: (kind: ListKind) => Promise<ReadonlyMap<string, Offer>>;
  /** Returns one entry, as soon as one of the lists contains it. */
  readonly find: (kind: ListKind, key: string) => Promise<Offer | undefined>;
}

export interface MergedListsOptions {
  readonly upstreams: Pick<Upstreams, 'exposed'>;
  readonly lists: ServerLists;
  readonly nameRules: () => NameRules;
  readonly onFault: OnUpstreamFault;
  /** The gateway's own entries, added after those of servers. */
  readonly own?: Partial<Readonly<Record<ListKind, readonly JsonObject[]>>>;
  readonly pageSize: number;
}

interface Part {
  readonly upstream: Upstream;
  readonly list: ServerList | undefined;
  readonly isOld: boolean;
}

interface Merged {
  readonly entries: readonly JsonObject[];
  readonly hint: CacheHint;
  readonly degraded: readonly string[];
  /** The other fields of the result, if there is a single server. */
  readonly rest: JsonObject;
}

const lasting: CacheHint = { ttlMs: Number.MAX_SAFE_INTEGER, cacheScope: 'public' };
const short: CacheHint = { ttlMs: 0, cacheScope: 'private' };
/** Maximum TTL of a merged list. */
const maxTtlMs = 24 * 60 * 60_000;

export function createMergedLists({ upstreams, lists, nameRules, onFault, own = {}, pageSize }: MergedListsOptions): MergedLists {
  const reported = new Set<string>();
  const last = new Map<ListKind, Merged>();

  const logHidden = (kind: ListKind, hidden: Offer, first: Upstream): void => {
    const text = `${hidden.ownKey} is offered from MCP server ${first.name}: the one from MCP server ${hidden.upstream.name} is hidden`;
    if (reported.has(text) || reported.size > 1000) return;
    reported.add(text);
    onFault({ upstream: hidden.upstream.name, operation: listProtocol[kind].method, error: new Error(text) });
  };
  const offersOf = (kind: ListKind, parts: readonly Part[]): readonly Offer[] => {
    const { key } = listProtocol[kind];
    const all = parts.flatMap(({ upstream, list }) =>
      (list?.entries ?? []).map((entry): Offer => ({ upstream, entry, ownKey: String(entry[key]) })),
    );
    return kind === 'prompts' ? nameOffers(all, nameRules()) : firstOfEach(all, (hidden, first) => logHidden(kind, hidden, first));
  };
  const merge = async (kind: ListKind): Promise<Merged> => {
    const parts = await Promise.all(
      upstreams.exposed().map(async (upstream): Promise<Part> => ({ upstream, ...(await lists.current(upstream, kind)) })),
    );
    const hint = parts.reduce((all, { list, isOld }) => stricter(all, isOld || list === undefined ? short : list), lasting);
    const merged: Merged = {
      entries: [...offersOf(kind, parts).map(({ entry }) => entry), ...(own[kind] ?? [])],
      hint: { ...hint, ttlMs: Math.min(hint.ttlMs, maxTtlMs) },
      rest: parts.length === 1 ? (parts[0]?.list?.rest ?? {}) : {},
      degraded: parts.flatMap(({ upstream, isOld }) => (isOld ? [upstream.name] : [])),
    };
    last.set(kind, merged);
    return merged;
  };
  const indexes = new Map<ListKind, { readonly parts: readonly Part[]; readonly index: ReadonlyMap<string, Offer> }>();
  const indexOf = (kind: ListKind, parts: readonly Part[]): ReadonlyMap<string, Offer> => {
    const before = indexes.get(kind);
    if (before !== undefined && isSame(before.parts, parts)) return before.index;
    const { key } = listProtocol[kind];
    const index = new Map(offersOf(kind, parts).map((offer) => [String(offer.entry[key]), offer]));
    indexes.set(kind, { parts, index });
    return index;
  };
  const knownParts = (kind: ListKind): readonly Part[] =>
    upstreams.exposed().map((upstream) => ({ upstream, list: lists.known(upstream, kind), isOld: true }));

  const requestLists = (kind: ListKind): readonly Promise<unknown>[] =>
    knownParts(kind).flatMap(({ upstream, list }) => (list === undefined ? [lists.current(upstream, kind)] : []));
  const settledOffers = async (kind: ListKind): Promise<ReadonlyMap<string, Offer>> => {
    await Promise.all(requestLists(kind));
    return indexOf(kind, knownParts(kind));
  };
  const findFirst = (kind: ListKind, key: string): Promise<Offer | undefined> =>
    new Promise((resolve) => {
      const check = (): void => {
        const found = indexOf(kind, knownParts(kind)).get(key);
        if (found !== undefined) resolve(found);
      };
      void Promise.all(requestLists(kind).map((list) => list.then(check))).then(() => resolve(undefined));
    });

  return {
    async page(kind, cursor) {
      const isFirst = cursor === undefined;
      const { entries, hint, degraded, rest } = (isFirst ? undefined : last.get(kind)) ?? (await merge(kind));
      const { part, nextCursor } = pageOf(entries, cursor, pageSize);
      return {
        ...rest,
        [listProtocol[kind].field]: part,
        ...(nextCursor === undefined ? {} : { nextCursor }),
        ...hint,
        ...(degraded.length === 0 ? {} : { _meta: { ...(rest['_meta'] as JsonObject | undefined), 'dev.holdfast/degraded': degraded } }),
      };
    },
    known: (kind) => indexOf(kind, knownParts(kind)),
    settled: settledOffers,
    find: (kind, key) => {
      const known = indexOf(kind, knownParts(kind)).get(key);
      return known === undefined ? findFirst(kind, key) : Promise.resolve(known);
    },
  };
}

const isSame = (some: readonly Part[], others: readonly Part[]): boolean =>
  some.length === others.length &&
  some.every(({ upstream, list }, index) => upstream === others[index]?.upstream && list === others[index].list);

function firstOfEach(offers: readonly Offer[], onHidden: (hidden: Offer, first: Upstream) => void): readonly Offer[] {
  const firsts = new Map<string, Offer>();
  for (const offer of offers) {
    const first = firsts.get(offer.ownKey);
    if (first === undefined) firsts.set(offer.ownKey, offer);
    else if (first.upstream !== offer.upstream) onHidden(offer, first.upstream);
  }
  return [...firsts.values()];
}

/** A server without a prefix keeps its names. If two are equal, the later one gets a suffix. */
function nameOffers(offers: readonly Offer[], rules: NameRules): readonly Offer[] {
  const names = uniqueNames(
    offers.map(({ upstream: { name, entry }, ownKey }) => ({
      name: entry.prefix === '' ? ownKey : offeredName(entry.prefix, ownKey, rules),
      identity: `${name}\0${ownKey}`,
      rank: 0,
    })),
    rules.maxLength,
  );
  return offers.map((offer, index) => ({ ...offer, entry: { ...offer.entry, name: names[index] ?? offer.ownKey } }));
}
