/**
 * Owns the last known lists of every server.
 *
 * Invariants
 * 1. A list is answered within a short limit: as the server says now, else as it said last, else as missing.
 * 2. A server is asked for one list once at a time.
 * 3. When what comes later differs from what was answered, `onChange` tells.
 * 4. A replaced server starts without lists.
 */
import { isDeepStrictEqual } from 'node:util';
import { waitAtMost } from '../plain/wait-at-most.ts';
import type { OnUpstreamFault, Upstream } from '../upstreams/upstream.ts';
import type { Ask } from './ask.ts';
import type { ServerInfo } from './server-info.ts';
import type { RelayLimits } from './limits.ts';
import { listWords, type ListKind } from './list-kind.ts';
import { type ReadListLimits, readList, type ServerList } from './read-list.ts';

interface ListAnswer {
  /** `undefined`: nothing is known of this list. */
  readonly list: ServerList | undefined;
  /** The server did not say it now. */
  readonly isOld: boolean;
}

export interface ServerLists {
  /** As the server says it now, within the limits. Never rejects. */
  readonly current: (upstream: Upstream, kind: ListKind) => Promise<ListAnswer>;
  /** What was said last. */
  readonly known: (upstream: Upstream, kind: ListKind) => ServerList | undefined;
  /** Asks again, for lists that somebody has asked for; tells by `onChange`. Never rejects. */
  readonly refresh: (upstream: Upstream, kinds: readonly ListKind[]) => Promise<void>;
  /** The same over a new connection, for what was not read over it. */
  readonly catchUp: (upstream: Upstream, kinds: readonly ListKind[]) => Promise<void>;
}

type ListLimits = ReadListLimits & Pick<RelayLimits, 'knownListMs' | 'unknownListMs'>;

export interface ServerListsOptions {
  readonly ask: Ask;
  readonly greetings: ServerInfo;
  readonly limits: ListLimits;
  readonly onChange: (upstream: Upstream, kind: ListKind) => void;
  readonly onFault: OnUpstreamFault;
}

interface Slot {
  known: ServerList | undefined;
  /** What was told of its failure, until it succeeds. */
  told: string | undefined;
  /** Over which of the server's connections. */
  knownAs: number;
  /** Of the last answer. */
  answered: ServerList | undefined;
  freshUntil: number;
  reading: Promise<ListAnswer> | undefined;
  readingSince: number;
  /** It was waited for in vain once: from then on no longer than for a known one. */
  wasMissing: boolean;
  /** Of the attempts to read; a notification in between makes the answer of an attempt old. */
  generation: number;
}

const nothing: ServerList = { entries: [], rest: {}, ttlMs: Number.MAX_SAFE_INTEGER, cacheScope: 'public' };

export function createServerLists(options: ServerListsOptions): ServerLists {
  const { ask, greetings, limits, onChange, onFault } = options;
  const slots = new WeakMap<Upstream['server'], Map<ListKind, Slot>>();

  const slotOf = ({ server }: Upstream, kind: ListKind): Slot => {
    const kinds = slots.get(server) ?? new Map<ListKind, Slot>();
    slots.set(server, kinds);
    const slot = kinds.get(kind) ?? {
      known: undefined,
      told: undefined,
      knownAs: -1,
      answered: undefined,
      freshUntil: 0,
      reading: undefined,
      readingSince: 0,
      wasMissing: false,
      generation: 0,
    };
    kinds.set(kind, slot);
    return slot;
  };

  /** A list is asked for often; what keeps it from coming is told once. */
  const logFailure = ({ name }: Upstream, operation: string, slot: Slot, error: unknown): void => {
    const text = String((error as { readonly message?: unknown } | undefined)?.message ?? error).replaceAll(/\d+ ms/g, '');
    if (slot.told !== text) onFault({ upstream: name, operation, error });
    slot.told = text;
  };

  const read = async (upstream: Upstream, kind: ListKind, slot: Slot): Promise<ListAnswer> => {
    const { method, capability } = listWords[kind];
    const generation = slot.generation;
    try {
      const { capabilities } = await greetings.ask(upstream);
      const list = capabilities[capability] === undefined ? nothing : await readList(ask, upstream, kind, limits);
      if (list.cutBy === undefined) slot.told = undefined;
      else logFailure(upstream, method, slot, new Error(`The list was cut: ${list.cutBy}`));
      slot.known = list;
      slot.knownAs = upstream.server.status().restarts;
      if (generation === slot.generation) slot.freshUntil = performance.now() + (list === nothing ? 0 : list.ttlMs);
      return { list, isOld: false };
    } catch (error) {
      logFailure(upstream, method, slot, error);
      return { list: slot.known, isOld: true };
    }
  };
  const readOnce = (upstream: Upstream, kind: ListKind, slot: Slot): Promise<ListAnswer> => {
    if (slot.reading !== undefined) return slot.reading;
    slot.readingSince = performance.now();
    slot.reading = read(upstream, kind, slot).finally(() => {
      slot.reading = undefined;
    });
    return slot.reading;
  };

  const logChange = (upstream: Upstream, kind: ListKind, slot: Slot, { list }: ListAnswer): void => {
    if (isDeepStrictEqual(list?.entries ?? [], slot.answered?.entries ?? [])) return;
    slot.answered = list;
    onChange(upstream, kind);
  };

  const refresh = async (upstream: Upstream, kinds: readonly ListKind[]): Promise<void> => {
    const asked = kinds.filter((kind) => slots.get(upstream.server)?.has(kind) === true);
    await Promise.all(
      asked.map(async (kind) => {
        const slot = slotOf(upstream, kind);
        slot.generation++;
        slot.freshUntil = 0;
        await slot.reading;
        logChange(upstream, kind, slot, await readOnce(upstream, kind, slot));
      }),
    );
  };

  return {
    known: (upstream, kind) => slots.get(upstream.server)?.get(kind)?.known,

    async current(upstream, kind) {
      const slot = slotOf(upstream, kind);
      if (slot.known !== undefined && performance.now() < slot.freshUntil) return { list: slot.known, isOld: false };
      const underWay = readOnce(upstream, kind, slot);
      const isNew = slot.known === undefined && !slot.wasMissing;
      const beganAt = Math.min(slot.readingSince, greetings.waitingSince(upstream));
      // Anyone who comes later does not wait all over again for a server that hangs.
      const patienceMs = beganAt + (isNew ? limits.unknownListMs : Math.min(limits.knownListMs, limits.unknownListMs)) - performance.now();
      const answer = await waitAtMost(underWay, Math.max(patienceMs, 0));
      slot.answered = answer === undefined ? slot.known : answer.list;
      slot.wasMissing ||= slot.answered === undefined;
      if (answer !== undefined) return answer;
      void underWay.then((late) => logChange(upstream, kind, slot, late));
      return { list: slot.known, isOld: true };
    },

    refresh,
    async catchUp(upstream, kinds) {
      const { restarts } = upstream.server.status();
      const isBehind = (kind: ListKind): boolean => {
        const slot = slots.get(upstream.server)?.get(kind);
        return slot !== undefined && slot.reading === undefined && slot.knownAs !== restarts;
      };
      await refresh(upstream, kinds.filter(isBehind));
    },
  };
}
