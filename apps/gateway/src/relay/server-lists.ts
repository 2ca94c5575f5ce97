/**
 * Owns the last known lists of every server.
 *
 * Invariants
 * 1. A list is returned within a short limit: the current list of the server, otherwise its last one, otherwise none.
 * 2. One request per list and server at a time.
 * 3. When a later answer differs from the returned list, `onChange` is called.
 * 4. A replaced server starts without lists.
 */
import { isDeepStrictEqual } from 'node:util';
import { waitAtMost } from '@holdfast/core/internal/plain';
import { Pauses } from '@holdfast/mcp-wire/client';
import type { OnUpstreamFault, Upstream } from '../upstreams/upstream.ts';
import type { Ask } from './ask.ts';
import type { ServerInfo } from './server-info.ts';
import type { RelayLimits } from './limits.ts';
import { listProtocol, type ListKind } from './list-kind.ts';
import { type ReadListLimits, readList, type ServerList } from './read-list.ts';

interface ListAnswer {
  /** `undefined`: the list is not known yet. */
  readonly list: ServerList | undefined;
  /** The list is not current. */
  readonly isOld: boolean;
}

type ListLimits = ReadListLimits & Pick<RelayLimits, 'knownListMs' | 'unknownListMs'>;

export interface ServerListsOptions {
  readonly ask: Ask;
  readonly serverInfo: ServerInfo;
  readonly limits: ListLimits;
  readonly onChange: (upstream: Upstream, kind: ListKind) => void;
  readonly onFault: OnUpstreamFault;
  /** Why entries are not offered, by their key. @default all are */
  readonly withheldParts?:
    | ((server: string, kind: ListKind, entries: ServerList['entries']) => Promise<ReadonlyMap<string, string>>)
    | undefined;
}

interface Slot {
  known: ServerList | undefined;
  /** The reported failure, until a request succeeds. */
  reported: string | undefined;
  /** The connection that it was read over. */
  knownAs: number;
  /** The last answer. */
  answered: ServerList | undefined;
  freshUntil: number;
  reading: Promise<ListAnswer> | undefined;
  readingSince: number;
  /** Its first answer was late: from then on the wait is as short as for a known list. */
  wasMissing: boolean;
  /** Counts attempts to read; a notification in between makes an answer stale. */
  generation: number;
}

const nothing: ServerList = { entries: [], rest: {}, ttlMs: Number.MAX_SAFE_INTEGER, cacheScope: 'public' };

export class ServerLists {
  readonly #options: ServerListsOptions;
  readonly #slots = new WeakMap<Upstream['server'], Map<ListKind, Slot>>();

  constructor(options: ServerListsOptions) {
    this.#options = options;
  }

  /** The last list. */
  lastList(upstream: Upstream, kind: ListKind): ServerList | undefined {
    return this.#slotIfAny(upstream, kind)?.known;
  }

  /** Why the last list leaves out an entry of the server; `undefined` if it does not. */
  withheldReason(upstream: Upstream, kind: ListKind, key: string): string | undefined {
    return this.lastList(upstream, kind)?.withheld?.get(key);
  }

  /** The current list, within the limits. Never rejects. */
  async current(upstream: Upstream, kind: ListKind): Promise<ListAnswer> {
    const slot = this.#slotOf(upstream, kind);
    if (slot.known !== undefined && performance.now() < slot.freshUntil) return { list: slot.known, isOld: false };
    const underWay = this.#readOnce(upstream, kind, slot);
    const answer = await waitAtMost(globalThis, underWay, this.#maxWaitMs(upstream, slot));
    slot.answered = answer === undefined ? slot.known : answer.list;
    slot.wasMissing ||= slot.answered === undefined;
    if (answer !== undefined) return answer;
    void underWay.then((late) => this.#reportChange(upstream, kind, slot, late));
    return { list: slot.known, isOld: true };
  }

  /** Requests the lists again that were requested before; reports changes to `onChange`. Never rejects. */
  async refresh(upstream: Upstream, kinds: readonly ListKind[]): Promise<void> {
    await Promise.all(
      kinds.map(async (kind) => {
        const slot = this.#slotIfAny(upstream, kind);
        if (slot === undefined) return;
        slot.generation++;
        slot.freshUntil = 0;
        await slot.reading;
        await this.#reportChange(upstream, kind, slot, await this.#readOnce(upstream, kind, slot));
      }),
    );
  }

  /** The same after a reconnection, for lists that were not read over the new connection. */
  async catchUp(upstream: Upstream, kinds: readonly ListKind[]): Promise<void> {
    const { restarts } = upstream.server.status();
    const isBehind = (kind: ListKind): boolean => {
      const slot = this.#slotIfAny(upstream, kind);
      return slot !== undefined && slot.reading === undefined && slot.knownAs !== restarts;
    };
    await this.refresh(upstream, kinds.filter(isBehind));
  }

  /** Later requests do not wait again for a server that hangs. */
  #maxWaitMs(upstream: Upstream, { known, wasMissing, readingSince }: Slot): number {
    const { limits, serverInfo } = this.#options;
    const { knownListMs, unknownListMs } = limits;
    const beganAt = Math.min(readingSince, serverInfo.waitingSince(upstream));
    const isNew = known === undefined && !wasMissing;
    return Math.max(beganAt + (isNew ? unknownListMs : Math.min(knownListMs, unknownListMs)) - performance.now(), 0);
  }

  #readOnce(upstream: Upstream, kind: ListKind, slot: Slot): Promise<ListAnswer> {
    if (slot.reading !== undefined) return slot.reading;
    slot.readingSince = performance.now();
    slot.reading = this.#read(upstream, kind, slot).finally(() => {
      slot.reading = undefined;
    });
    return slot.reading;
  }

  async #read(upstream: Upstream, kind: ListKind, slot: Slot): Promise<ListAnswer> {
    const { ask, serverInfo, limits } = this.#options;
    const { method, capability } = listProtocol[kind];
    const generation = slot.generation;
    try {
      const { capabilities } = await serverInfo.ask(upstream);
      const list =
        capabilities[capability] === undefined
          ? nothing
          : await this.#withoutWithheld(upstream, kind, await readList(ask, upstream, kind, limits));
      if (list.cutBy === undefined) slot.reported = undefined;
      else this.#reportFailure(upstream, method, slot, new Error(`The list was truncated: ${list.cutBy}`));
      slot.known = list;
      slot.knownAs = upstream.server.status().restarts;
      if (generation === slot.generation) slot.freshUntil = performance.now() + (list === nothing ? 0 : list.ttlMs);
      return { list, isOld: false };
    } catch (error) {
      this.#reportFailure(upstream, method, slot, error);
      return { list: slot.known, isOld: true };
    }
  }

  async #withoutWithheld({ name }: Upstream, kind: ListKind, list: ServerList): Promise<ServerList> {
    const withheld = await this.#options.withheldParts?.(name, kind, list.entries);
    if (withheld === undefined || withheld.size === 0) return list;
    const { key } = listProtocol[kind];
    return { ...list, entries: list.entries.filter((entry) => !withheld.has(String(entry[key]))), withheld };
  }

  /** A list is requested often; the same failure is reported once. */
  #reportFailure({ name }: Upstream, operation: string, slot: Slot, error: unknown): void {
    const text = String((error as { readonly message?: unknown } | undefined)?.message ?? error).replaceAll(/\d+ ms/g, '');
    if (slot.reported !== text) this.#options.onFault({ upstream: name, operation, error });
    slot.reported = text;
  }

  async #reportChange(upstream: Upstream, kind: ListKind, slot: Slot, { list }: ListAnswer): Promise<void> {
    const before = slot.answered;
    if (await isSame(list?.entries ?? [], before?.entries ?? [])) return;
    // Another answer was given meanwhile.
    if (slot.answered !== before) return this.#reportChange(upstream, kind, slot, { list: slot.known, isOld: true });
    slot.answered = list;
    this.#options.onChange(upstream, kind);
  }

  #slotIfAny({ server }: Upstream, kind: ListKind): Slot | undefined {
    return this.#slots.get(server)?.get(kind);
  }

  #slotOf({ server }: Upstream, kind: ListKind): Slot {
    const kinds = this.#slots.get(server) ?? new Map<ListKind, Slot>();
    this.#slots.set(server, kinds);
    const slot = kinds.get(kind) ?? newSlot();
    kinds.set(kind, slot);
    return slot;
  }
}

async function isSame(some: ServerList['entries'], others: ServerList['entries']): Promise<boolean> {
  if (some.length !== others.length) return false;
  const pauses = new Pauses();
  for (const [place, entry] of some.entries()) {
    if (!isDeepStrictEqual(entry, others[place])) return false;
    if (pauses.isDue) await pauses.pause();
  }
  return true;
}

function newSlot(): Slot {
  return {
    known: undefined,
    reported: undefined,
    knownAs: -1,
    answered: undefined,
    freshUntil: 0,
    reading: undefined,
    readingSince: 0,
    wasMissing: false,
    generation: 0,
  };
}
