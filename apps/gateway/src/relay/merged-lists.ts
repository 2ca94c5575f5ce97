/**
 * Owns the lists as clients see them: those of all exposed servers merged, in the order of the manifest.
 *
 * Invariants
 * 1. A server that does not answer does not affect the others: its last list is used, or it is left out, and the result reports it.
 * 2. A URI is offered once, by the first server that lists it; prompts have unique names.
 * 3. Entries are unchanged, except for the names of prompts.
 */
import { Pauses } from '@holdfast/mcp-wire/client';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { type NameRules, offeredName, uniqueNames } from '../catalog/names.ts';
import type { OnUpstreamFault, Upstream, Upstreams } from '../upstreams/upstream.ts';
import { listProtocol, type ListKind } from './list-kind.ts';
import { pageOf } from './pages.ts';
import { type CacheHint, privateHint, type ServerList, stricter } from './read-list.ts';
import type { ServerLists } from './server-lists.ts';

/** Which servers exist for a client; `undefined`: all. */
export type MayBeUsed = ((upstream: Upstream) => boolean) | undefined;

interface Offer {
  readonly upstream: Upstream;
  /** As the server calls it: URI, template, or name. */
  readonly ownKey: string;
  /** As clients see it. */
  readonly entry: JsonObject;
}

export interface MergedListsOptions {
  readonly upstreams: Pick<Upstreams, 'exposed'>;
  readonly lists: ServerLists;
  readonly nameRules: () => NameRules;
  readonly onFault: OnUpstreamFault;
  /** Listed after the items of the servers. */
  readonly own?: Partial<Readonly<Record<ListKind, readonly JsonObject[]>>>;
  readonly pageSize: number;
  /** Whether clients can get different lists. */
  readonly keepsApart: () => boolean;
}

interface Part {
  readonly upstream: Upstream;
  readonly list: ServerList | undefined;
  readonly isOld: boolean;
}

interface Merged {
  readonly offers: readonly Offer[];
  /** All of them, and the gateway's own. */
  readonly entries: readonly JsonObject[];
  readonly hint: CacheHint;
  readonly degraded: readonly Upstream[];
  /** Metadata of the list, if there is only one server. */
  readonly rest: JsonObject;
}

const lasting: CacheHint = { ttlMs: Number.MAX_SAFE_INTEGER, cacheScope: 'public' };
const short: CacheHint = { ttlMs: 0, cacheScope: 'private' };
/** A list without any server. */
const maxTtlMs = 24 * 60 * 60_000;

interface Index {
  readonly parts: readonly Part[];
  readonly offers: ReadonlyMap<string, Offer>;
}

export class MergedLists {
  readonly #options: MergedListsOptions;
  readonly #reported = new Set<string>();
  /** The list that the pages of a listing are taken from. */
  readonly #last = new Map<ListKind, Merged>();
  readonly #indexes = new Map<ListKind, Index>();

  constructor(options: MergedListsOptions) {
    this.#options = options;
  }

  /** The result of a list request. Rejects with an `RpcError` for an unknown cursor. */
  async page(kind: ListKind, cursor: unknown, mayBeUsed: MayBeUsed): Promise<JsonObject> {
    const before = cursor === undefined ? undefined : this.#last.get(kind);
    const { entries, hint, degraded, rest } = this.#partFor(kind, before ?? (await this.#merge(kind)), mayBeUsed);
    const { part, nextCursor } = pageOf(entries, cursor, this.#options.pageSize);
    const isForAll = mayBeUsed === undefined && !this.#options.keepsApart();
    return {
      ...rest,
      [listProtocol[kind].field]: part,
      ...(nextCursor === undefined ? {} : { nextCursor }),
      ...(isForAll ? hint : privateHint(hint)),
      ...(degraded.length === 0 ? {} : { _meta: { ...(rest['_meta'] as JsonObject | undefined), 'dev.holdfast/degraded': degraded } }),
    };
  }

  #partFor(
    kind: ListKind,
    merged: Merged,
    mayBeUsed: MayBeUsed,
  ): Omit<Merged, 'offers' | 'degraded'> & { readonly degraded: readonly string[] } {
    const degraded = merged.degraded.filter((upstream) => mayBeUsed?.(upstream) ?? true).map(({ name }) => name);
    if (mayBeUsed === undefined) return { ...merged, degraded };
    const offers = merged.offers.filter(({ upstream }) => mayBeUsed(upstream));
    const entries = [...offers.map(({ entry }) => entry), ...(this.#options.own?.[kind] ?? [])];
    return { entries, hint: merged.hint, degraded, rest: offers.length === merged.offers.length ? merged.rest : {} };
  }

  /** Known items by URI, template or offered name, without a request. */
  #knownOffers(kind: ListKind): Promise<ReadonlyMap<string, Offer>> {
    return this.#indexOf(kind, this.#knownParts(kind));
  }

  /** The same, after requesting the lists that are not known yet, within their limits. */
  async requestOffers(kind: ListKind): Promise<ReadonlyMap<string, Offer>> {
    await Promise.all(this.#requestLists(kind));
    return this.#knownOffers(kind);
  }

  /** One of it, as soon as one of the lists has it. */
  async find(kind: ListKind, key: string): Promise<Offer | undefined> {
    return (await this.#knownOffers(kind)).get(key) ?? this.#firstToHave(kind, key);
  }

  async #merge(kind: ListKind): Promise<Merged> {
    const { upstreams, lists, own = {} } = this.#options;
    const parts = await Promise.all(
      upstreams.exposed().map(async (upstream): Promise<Part> => ({ upstream, ...(await lists.current(upstream, kind)) })),
    );
    const hint = parts.reduce((all, { list, isOld }) => stricter(all, isOld || list === undefined ? short : list), lasting);
    const offers = await this.#offersOf(kind, parts);
    const merged: Merged = {
      offers,
      entries: [...offers.map(({ entry }) => entry), ...(own[kind] ?? [])],
      hint: { ...hint, ttlMs: Math.min(hint.ttlMs, maxTtlMs) },
      rest: parts.length === 1 ? (parts[0]?.list?.rest ?? {}) : {},
      degraded: parts.flatMap(({ upstream, isOld }) => (isOld ? [upstream] : [])),
    };
    this.#last.set(kind, merged);
    return merged;
  }

  async #offersOf(kind: ListKind, parts: readonly Part[]): Promise<readonly Offer[]> {
    const { key } = listProtocol[kind];
    const all = parts.flatMap(({ upstream, list }) =>
      (list?.entries ?? []).map((entry): Offer => ({ upstream, entry, ownKey: String(entry[key]) })),
    );
    if (kind === 'prompts') return nameOffers(all, this.#options.nameRules());
    return firstOfEach(all, (hidden, first) => this.#reportHidden(kind, hidden, first));
  }

  #reportHidden(kind: ListKind, hidden: Offer, first: Upstream): void {
    const text = `${hidden.ownKey} is offered from MCP server ${first.name}: the one from MCP server ${hidden.upstream.name} is hidden`;
    if (this.#reported.has(text) || this.#reported.size > 1000) return;
    this.#reported.add(text);
    this.#options.onFault({ upstream: hidden.upstream.name, operation: listProtocol[kind].method, error: new Error(text) });
  }

  async #indexOf(kind: ListKind, parts: readonly Part[]): Promise<ReadonlyMap<string, Offer>> {
    const before = this.#indexes.get(kind);
    if (before !== undefined && isSame(before.parts, parts)) return before.offers;
    const { key } = listProtocol[kind];
    const offers = new Map((await this.#offersOf(kind, parts)).map((offer) => [String(offer.entry[key]), offer]));
    this.#indexes.set(kind, { parts, offers });
    return offers;
  }

  #knownParts(kind: ListKind): readonly Part[] {
    const { upstreams, lists } = this.#options;
    return upstreams.exposed().map((upstream) => ({ upstream, list: lists.lastList(upstream, kind), isOld: true }));
  }

  #requestLists(kind: ListKind): readonly Promise<unknown>[] {
    const { lists } = this.#options;
    return this.#knownParts(kind).flatMap(({ upstream, list }) => (list === undefined ? [lists.current(upstream, kind)] : []));
  }

  #firstToHave(kind: ListKind, key: string): Promise<Offer | undefined> {
    return new Promise((resolve) => {
      const check = async (): Promise<void> => {
        const found = (await this.#knownOffers(kind)).get(key);
        if (found !== undefined) resolve(found);
      };
      void Promise.all(this.#requestLists(kind).map((list) => list.then(check))).then(() => resolve(undefined));
    });
  }
}

const isSame = (some: readonly Part[], others: readonly Part[]): boolean =>
  some.length === others.length &&
  some.every(({ upstream, list }, index) => upstream === others[index]?.upstream && list === others[index].list);

async function firstOfEach(offers: readonly Offer[], onHidden: (hidden: Offer, first: Upstream) => void): Promise<readonly Offer[]> {
  const pauses = new Pauses();
  const firsts = new Map<string, Offer>();
  for (const offer of offers) {
    if (pauses.isDue) await pauses.pause();
    const first = firsts.get(offer.ownKey);
    if (first === undefined) firsts.set(offer.ownKey, offer);
    else if (first.upstream !== offer.upstream) onHidden(offer, first.upstream);
  }
  return [...firsts.values()];
}

/** A server without a prefix keeps its names: only the later one of two equal names gets a prefix. */
async function nameOffers(offers: readonly Offer[], rules: NameRules): Promise<readonly Offer[]> {
  const names = await uniqueNames(
    offers.map(({ upstream: { name, entry }, ownKey }) => ({
      name: entry.prefix === '' ? ownKey : offeredName(entry.prefix, ownKey, rules),
      identity: `${name}\0${ownKey}`,
      rank: 0,
    })),
    rules.maxLength,
  );
  return offers.map((offer, index) => ({ ...offer, entry: { ...offer.entry, name: names[index] ?? offer.ownKey } }));
}
