/**
 * Owns telling clients what servers tell: that lists have changed, that resources were updated, log messages.
 *
 * Invariants
 * 1. A list is read again before clients are told that it has changed, unless the server hangs.
 * 2. Many changes within a moment are told once.
 */
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { Upstream, Upstreams } from '../upstreams/upstream.ts';
import { waitAtMost } from '../plain/wait-at-most.ts';
import type { RelayLimits } from './limits.ts';
import { type ListKind, listWords } from './list-kind.ts';
import type { LogSenderNames } from './log-sender-names.ts';
import { onward } from './params.ts';
import type { RequestLogs } from './request-logs.ts';
import type { ServerLists } from './server-lists.ts';

export type Publish = (method: string, params: JsonObject) => void;

export interface Changes {
  /** A notification that belongs to no request. */
  readonly heard: (upstream: Upstream, method: string, params: JsonObject) => void;
  readonly listChanged: (kind: ListKind | 'tools') => void;
  readonly close: () => void;
}

export interface ChangesOptions {
  readonly upstreams: Pick<Upstreams, 'exposed'>;
  readonly lists: Pick<ServerLists, 'refresh'>;
  readonly logNames: LogSenderNames;
  readonly requestLogs: Pick<RequestLogs, 'heard'>;
  readonly publish: Publish;
  readonly limits: Pick<RelayLimits, 'gatherMs' | 'unknownListMs'>;
}

const toolsChanged = 'notifications/tools/list_changed';

const kindsOf: Readonly<Record<string, readonly ListKind[]>> = {
  [listWords.resources.changed]: ['resources', 'templates'],
  [listWords.prompts.changed]: ['prompts'],
};

/** About one of the connections beside the gateway; or the catalog's, which tells us. */
const notRelayed: ReadonlySet<string> = new Set(['notifications/progress', 'notifications/cancelled', toolsChanged]);
/** Anyone who they concern, they name it themselves. */
const relayed: ReadonlySet<string> = new Set([
  'notifications/resources/updated',
  'notifications/message',
  'notifications/elicitation/complete',
]);

export function createChanges({ upstreams, lists, logNames, requestLogs, publish, limits }: ChangesOptions): Changes {
  const gathering = new Map<string, NodeJS.Timeout>();

  const notifySoon = (method: string): void => {
    if (gathering.has(method)) return;
    const timer = setTimeout(() => {
      gathering.delete(method);
      publish(method, {});
    }, limits.gatherMs);
    gathering.set(method, timer.unref());
  };
  const notifyClients = ({ name }: Upstream, method: string, params: JsonObject): void => {
    publish(method, params);
    if (method === 'notifications/message') requestLogs.heard(name, params);
  };
  return {
    heard(upstream, method, params) {
      if (!upstream.isExposed || notRelayed.has(method)) return;
      const kinds = kindsOf[method];
      if (kinds !== undefined) void waitAtMost(lists.refresh(upstream, kinds), limits.unknownListMs).then(() => notifySoon(method));
      else if (relayed.has(method)) notifyClients(upstream, method, logNames.told(upstream, method, onward(params)));
      else if (upstreams.exposed().length === 1) publish(method, onward(params));
    },
    listChanged: (kind) => notifySoon(kind === 'tools' ? toolsChanged : listWords[kind].changed),
    close() {
      for (const timer of gathering.values()) clearTimeout(timer);
      gathering.clear();
    },
  };
}
