/**
 * Owns composing the parts of the relay.
 */
import { createRedactor } from '@holdfast/core';
import type { ConnectedClient, JsonObject } from '@holdfast/mcp-wire/server';
import { onBehalfOf } from '../access/on-behalf.ts';
import type { Upstreams } from '../upstreams/upstream.ts';
import { spillPrefix } from '../calls/calls.ts';
import { createAsk } from './ask.ts';
import { type Changes, createChanges } from './changes.ts';
import { createForward, type Forward } from './forward.ts';
import { createServerInfo, type ServerInfo } from './server-info.ts';
import { defaultLimits, type RelayLimits } from './limits.ts';
import { createLogSenderNames } from './log-sender-names.ts';
import { createLogging, type Logging } from './logging.ts';
import { MergedLists } from './merged-lists.ts';
import { createOpenWatch } from './open-watch.ts';
import type { RelayOptions } from './options.ts';
import { createResourceOwners, type ResourceOwners } from './resource-owners.ts';
import { createRequestLogs, type RequestLogs } from './request-logs.ts';
import { createMayUse, createOnlyServer, type ListedTool, type MayUse } from './server-access.ts';
import { ServerLists } from './server-lists.ts';
import { createTasks, type Tasks } from './tasks.ts';
import { createWaitingConversations, type WaitingConversations } from './waiting-conversations.ts';
import { ResourceWatches } from './resource-watches.ts';

export interface RelayParts {
  readonly mayUse: MayUse;
  /** Whether clients can get different lists and resources. */
  readonly keepsApart: () => boolean;
  /** The server of requests that name none; `undefined`: there are several, or none. */
  readonly onlyServer: ReturnType<typeof createOnlyServer>;
  readonly tasks: Tasks;
  readonly limits: RelayLimits;
  readonly serverInfo: ServerInfo;
  readonly requestLogs: RequestLogs;
  readonly lists: ServerLists;
  readonly changes: Changes;
  readonly offers: MergedLists;
  readonly owners: ResourceOwners;
  readonly waiting: WaitingConversations;
  readonly forward: Forward;
  readonly logging: Logging;
  readonly watches: ResourceWatches;
}

/** A server with connections for each client may answer each of them differently. */
const hasIsolated = (upstreams: Pick<Upstreams, 'exposed'>): boolean => upstreams.exposed().some(({ use }) => use !== undefined);

/** Clients share watches unless a server is isolated: a watch is opened before it is known where the resource is. */
function watchKeyOf(upstreams: Pick<Upstreams, 'exposed'>): (client: ConnectedClient) => string {
  return (client) => {
    if (!hasIsolated(upstreams)) return '';
    const { owner, session } = onBehalfOf(client);
    return `${JSON.stringify([owner, session])} `;
  };
}

const noTools: readonly ListedTool[] = [];

const ownTemplate: JsonObject = {
  uriTemplate: `${spillPrefix}{id}{?offset,limit}`,
  name: 'holdfast-result',
  title: 'A tool result that was too large to send',
  description: 'The complete result, or a part of it with offset and limit.',
};

export function composeRelay(options: RelayOptions): RelayParts {
  const { upstreams, catalog, keepsApart = () => false, settings } = options;
  const { readSpilled, publish, onFault = () => {}, redact = createRedactor() } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const inputMs = (): number => settings().inputTimeoutMs;
  const ask = createAsk({ upstreams, limitMs: limits.requestMs, redact });
  const serverInfo = createServerInfo();
  const logNames = createLogSenderNames(upstreams);
  const requestLogs = createRequestLogs();
  const lists = new ServerLists({
    ask,
    serverInfo,
    limits,
    onChange: (upstream, kind) => changes.listChanged(kind, upstream),
    onFault,
    withheldParts: catalog.withheldParts?.bind(catalog),
  });
  const tools = (): readonly ListedTool[] => catalog.list?.() ?? noTools;
  const mayUse = createMayUse(tools);
  const onlyServer = createOnlyServer(upstreams, mayUse);
  const changes = createChanges({ upstreams, lists, logNames, requestLogs, publish, limits, keepsApart, mayUse, tools });
  const resultsDiffer = (): boolean => keepsApart() || hasIsolated(upstreams);
  const offers = new MergedLists({
    upstreams,
    lists,
    nameRules: () => settings().names,
    onFault,
    own: readSpilled === undefined ? {} : { templates: [ownTemplate] },
    pageSize: limits.pageSize,
    keepsApart: resultsDiffer,
  });
  const owners = createResourceOwners(upstreams, serverInfo, offers);
  const waiting = createWaitingConversations(inputMs);
  return {
    limits,
    mayUse,
    keepsApart: resultsDiffer,
    onlyServer,
    tasks: createTasks((client) => onlyServer(client) !== undefined),
    serverInfo,
    requestLogs,
    lists,
    changes,
    offers,
    owners,
    waiting,
    forward: createForward({ ask, serverInfo, logNames, requestLogs, waiting, inputMs }),
    logging: createLogging({ upstreams, ask, serverInfo, onFault }),
    watches: new ResourceWatches({
      upstreams,
      ownersOf: owners.of,
      open: createOpenWatch(limits.requestMs, redact),
      keyOf: watchKeyOf(upstreams),
      onFault,
    }),
  };
}
