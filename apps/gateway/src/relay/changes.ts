/**
 * Owns relaying notifications of servers to clients: changed lists, updated resources, log messages.
 *
 * Invariants
 * 1. A list is read again before clients are notified of its change, unless the server hangs.
 * 2. Changes within a short time are sent as one notification.
 * 3. A notification that could be about the request of another client is not sent, nor one about lists in which nothing is for the client.
 */
import type { ConnectedClient, JsonObject } from '@holdfast/mcp-wire/server';
import { type Access, accessOf } from '../access/access.ts';
import { connectionKey, onBehalfOf } from '../access/on-behalf.ts';
import type { Upstream, Upstreams } from '../upstreams/upstream.ts';
import { waitAtMost } from '@holdfast/core/internal/plain';
import type { RelayLimits } from './limits.ts';
import { type ListKind, listProtocol } from './list-kind.ts';
import type { LogSenderNames } from './log-sender-names.ts';
import { forwardedParams } from './params.ts';
import type { RequestLogs } from './request-logs.ts';
import type { ListedTool, MayUse } from './server-access.ts';
import type { ServerLists } from './server-lists.ts';

export type Publish = (method: string, params: JsonObject, isFor?: (client: ConnectedClient) => boolean) => void;

export interface Changes {
  /** Handles a notification that belongs to no request. */
  readonly receive: (upstream: Upstream, method: string, params: JsonObject, key?: string) => void;
  /** `upstream`: whose list; all servers without one. */
  readonly listChanged: (kind: ListKind, upstream?: Upstream) => void;
  readonly toolsChanged: () => void;
  readonly close: () => void;
}

export interface ChangesOptions {
  readonly upstreams: Pick<Upstreams, 'exposed'>;
  readonly lists: Pick<ServerLists, 'refresh'>;
  readonly logNames: LogSenderNames;
  readonly requestLogs: Pick<RequestLogs, 'receive' | 'soleOwner'>;
  readonly keepsApart: () => boolean;
  readonly mayUse: MayUse;
  /** The offered tools; an entry that has not changed is the same object. */
  readonly tools: () => readonly ListedTool[];
  readonly publish: Publish;
  readonly limits: Pick<RelayLimits, 'gatherMs' | 'unknownListMs'>;
}

const toolsChanged = 'notifications/tools/list_changed';

const kindsOf: Readonly<Record<string, readonly ListKind[]>> = {
  [listProtocol.resources.changed]: ['resources', 'templates'],
  [listProtocol.prompts.changed]: ['prompts'],
};

/** Notifications about a single connection, or those that the catalog handles. */
const notRelayed: ReadonlySet<string> = new Set([
  'notifications/progress',
  'notifications/cancelled',
  // Outside of a call it is not known which client was asked.
  'notifications/elicitation/complete',
  toolsChanged,
]);
/** Notifications that identify what they are about. */
const relayed: ReadonlySet<string> = new Set(['notifications/resources/updated', 'notifications/message']);

/** Whether a change is about something that exists for a client that may not use all tools. */
type Concerns = (access: Access) => boolean;

/** To compare more names with the lists of all clients would take long. */
const maxNames = 20;

/** The names of entries that are only in one of the lists. */
function differingNames(before: readonly ListedTool[], after: readonly ListedTool[]): readonly string[] {
  if (before === after) return [];
  const [old, fresh] = [new Set(before), new Set(after)];
  return [...before.filter((tool) => !fresh.has(tool)), ...after.filter((tool) => !old.has(tool))].map(({ name }) => name);
}

const ofServerWith =
  (mayUse: MayUse) =>
  (upstream: Upstream): Concerns =>
  (access) =>
    mayUse(access, upstream);

export function createChanges(options: ChangesOptions): Changes {
  const { upstreams, lists, logNames, requestLogs, publish, limits, keepsApart, mayUse, tools } = options;
  const pending = new Map<string, { readonly timer: NodeJS.Timeout; readonly concerns: Concerns[] }>();
  let offered = tools();

  const notifySoon = (method: string, concerned: Concerns): void => {
    const waiting = pending.get(method);
    if (waiting !== undefined) return void waiting.concerns.push(concerned);
    const concerns = [concerned];
    const timer = setTimeout(() => {
      pending.delete(method);
      const isFor = (client: ConnectedClient): boolean => {
        const access = accessOf(client);
        return access.allowsAll || concerns.some((each) => each(access));
      };
      publish(method, {}, keepsApart() ? isFor : undefined);
    }, limits.gatherMs);
    pending.set(method, { timer: timer.unref(), concerns });
  };
  const ofServer = ofServerWith(mayUse);
  /** Which clients a notification is for; `undefined`: all. `key`: of the connection, for an isolated server. */
  const audience = (upstream: Upstream, method: string, key: string | undefined): ((client: ConnectedClient) => boolean) | undefined => {
    if (key !== undefined) return (client) => connectionKey(upstream.entry, onBehalfOf(client)) === key;
    if (!keepsApart()) return undefined;
    const running = requestLogs.soleOwner(upstream.name);
    return (client) => {
      const access = accessOf(client);
      if (access.owner === undefined) return true;
      return method === 'notifications/message' ? access.owner === running : mayUse(access, upstream);
    };
  };
  const notifyClients = (upstream: Upstream, method: string, params: JsonObject, key: string | undefined): void => {
    const isFor = audience(upstream, method, key);
    publish(method, params, isFor);
    if (method === 'notifications/message') requestLogs.receive(upstream.name, params, isFor);
  };
  return {
    receive(upstream, method, params, key) {
      if (!upstream.isExposed || notRelayed.has(method)) return;
      const kinds = kindsOf[method];
      if (kinds !== undefined)
        void waitAtMost(globalThis, lists.refresh(upstream, kinds), limits.unknownListMs).then(() =>
          notifySoon(method, ofServer(upstream)),
        );
      else if (relayed.has(method))
        notifyClients(upstream, method, logNames.withServerName(upstream, method, forwardedParams(params)), key);
      else if (upstreams.exposed().length === 1) publish(method, forwardedParams(params), audience(upstream, 'notifications/message', key));
    },
    listChanged: (kind, upstream) => notifySoon(listProtocol[kind].changed, upstream === undefined ? () => true : ofServer(upstream)),
    toolsChanged() {
      const now = tools();
      const names = differingNames(offered, now);
      offered = now;
      notifySoon(toolsChanged, names.length > maxNames ? () => true : ({ allows }) => names.some(allows));
    },
    close() {
      for (const { timer } of pending.values()) clearTimeout(timer);
      pending.clear();
    },
  };
}
