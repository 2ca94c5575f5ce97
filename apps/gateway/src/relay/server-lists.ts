/**
 * Owns the last known lists of all servers.
 *
 * Invariants
 * 1. A list is answered within a short limit: the current one, else the last known one, else none.
 * 2. A server has at most one request per list at a time.
 * 3. When a late list differs from the answered one, `onChange` is called.
 * 4. A replaced server starts without lists.
 */
import { isDeepStrictEqual } from 'node:util';
import { waitAtMost } from '../plain/wait-at-most.ts';
import type { OnUpstreamFault, Upstream } from '../upstreams/upstream.ts';
import type { Ask } from './ask.ts';
import type { ServerInfo } from './server-info.ts';
import type { RelayLimits } from './limits.ts';
import { listProtocol, type ListKind } from './list-kind.ts';
import { type ReadListLimits, readList, type ServerList } from './read-list.ts';

interface ListAnswer {
  /** `undefined` if the list is not known. */
  readonly list: ServerList | undefined;
  /** Whether it is the last known list, not the current one. */
  readonly isOld: boolean;
}

export interface ServerLists {
  /** Requests the list, within the limits. Never rejects. */
  readonly current: (upstream: Upstream, kind: ListKind) => Promise<ListAnswer>;
  /** Returns the last known list. */
  readonly known: (upstream: Upstream, kind: ListKind) => ServerList | undefined;
  /** Requests lists again that have been requested before; calls `onChange`. Never rejects. */
  readonly refresh: (upstream: Upstream, kinds: readonly ListKind[]) => Promise<void>;
  /** The same for a new connection, for lists that were not read from it. */
  readonly catchUp: (upstream: Upstream, kinds: readonly ListKind[]) => Promise<void>;
}

type ListLimits = ReadListLimits & Pick<RelayLimits, 'knownListMs' | 'unknownListMs'>;

export interface ServerListsOptions {
  readonly ask: Ask;
  readonly serverInfo: ServerInfo;
  readonly limits: ListLimits;
  readonly onChange: (upstream: Upstream, kind: ListKind) => void;
  readonly onFault: OnUpstreamFault;
}

interface Slot {
  known: ServerList | undefined;
  /** The reported failure, until it succeeds. */
  reported: string | undefined;
  /** Number of the connection from which `known` was read. */
  knownAs: number;
  /** The list of the last answer. */
  answered: ServerList | undefined;
  freshUntil: number;
  reading: Promise<ListAnswer> | undefined;
  readingSince: number;
  /** Whether a wait for it has timed out: later waits are as short as for a known list. */
  wasMissing: boolean;
  /** Increased by each notification, so that a read that started before it is outdated. */
  generation: number;
}

const nothing: ServerList = { entries: [], rest: {}, ttlMs: Number.MAX_SAFE_INTEGER, cacheScope: 'public' };

export function createServerLists(options: ServerListsOptions): ServerLists {
  const { ask, serverInfo, limits, onChange, onFault } = options;
  const slots = new WeakMap<Upstream['server'], Map<ListKind, Slot>>();

  const slotOf = ({ server }: Upstream, kind: ListKind): Slot => {
    const kinds = slots.get(server) ?? new Map<ListKind, Slot>();
    slots.set(server, kinds);
    const slot = kinds.get(kind) ?? {
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
    kinds.set(kind, slot);
    return slot;
  };

  /** Lists are requested often; a failure is reported once. */
  const logFailure = ({ name }: Upstream, operation: string, slot: Slot, error: unknown): void => {
    const text = String((error as { readonly message?: unknown } | undefined)?.message ?? error).replaceAll(/\d+ ms/g, '');
    if (slot.reported !== text) onFault({ upstream: name, operation, error });
    slot.reported = text;
  };

  const read = async (upstream: Upstream, kind: ListKind, slot: Slot): Promise<ListAnswer> => {
    const { method, capability } = listProtocol[kind];
    const generation = slot.generation;
    try {
      const { capabilities } = await serverInfo.ask(upstream);
      const list = capabilities[capability] === undefined ? nothing : await readList(ask, upstream, kind, limits);
      if (list.cutBy === undefined) slot.reported = undefined;
      else logFailure(upstream, method, slot, new Error(`The list was truncated: ${list.cutBy}`));
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
      const beganAt = Math.min(slot.readingSince, serverInfo.waitingSince(upstream));
      // Later requests do not wait the full time again for a server that hangs.
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
