/**
 * Owns putting the relay together, and which method goes where.
 */
import { createRedactor, type Redactor } from '@holdfast/core';
import type { GatewayEntry } from '@holdfast/manifest';
import { type FaceRequest, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { spillPrefix } from '../calls/calls.ts';
import type { OnUpstreamFault, Upstream, Upstreams } from '../upstreams/upstream.ts';
import { createAsk } from './ask.ts';
import { createChanges, type Publish } from './changes.ts';
import { createClients } from './clients.ts';
import { comings } from './comings.ts';
import { createComplete } from './completion.ts';
import { describe } from './describe.ts';
import { createForward } from './forward.ts';
import { createGreetings } from './greetings.ts';
import { createLogNames } from './log-names.ts';
import { createLogging } from './logging.ts';
import { createOffers } from './offers.ts';
import { createOwners } from './owners.ts';
import { onward } from './params.ts';
import { createFindPrompt } from './prompts.ts';
import type { Relay } from './relay.ts';
import { createRequestLogs } from './request-logs.ts';
import { createReadResource } from './resources.ts';
import { createServerLists } from './server-lists.ts';
import { createOpenWatch } from './open-watch.ts';
import { createWaiting } from './waiting.ts';
import { createWatches } from './watches.ts';

export interface RelayOptions {
  readonly upstreams: Upstreams;
  /** Tells when the list of tools has changed. */
  readonly catalog: { subscribe(listener: () => void): () => void };
  readonly settings: () => Pick<GatewayEntry, 'names' | 'inputTimeoutMs'>;
  /** Reads a result that is kept here. @default none is */
  readonly readSpilled?: (uri: string) => Promise<JsonObject | undefined>;
  /** Tells all clients. */
  readonly publish: Publish;
  /** @default `createRedactor()` */
  readonly redact?: Redactor;
  readonly onFault?: OnUpstreamFault;
  readonly version?: string;
  readonly limits?: Partial<RelayLimits>;
}

export interface RelayLimits {
  /** Of one request to a server; questions to the client do not count. @default 30000 */
  readonly requestMs: number;
  /** How long a list waits for a server whose list is known. @default 1000 */
  readonly knownListMs: number;
  /** How long a list waits for a server whose list is not known. @default 5000 */
  readonly unknownListMs: number;
  /** How long a greeting waits for servers that have not greeted yet. @default 2000 */
  readonly greetingMs: number;
  /** Of one list of one server: pages, entries, characters of JSON, time for all. */
  readonly pages: number;
  readonly entries: number;
  readonly chars: number;
  readonly listMs: number;
  /** Entries of our own pages. @default 1000 */
  readonly pageSize: number;
  /** Changes within this time are told once. @default 50 */
  readonly gatherMs: number;
}

const defaultLimits: RelayLimits = {
  requestMs: 30_000,
  knownListMs: 1_000,
  unknownListMs: 5_000,
  greetingMs: 2_000,
  pages: 200,
  entries: 20_000,
  chars: 16_000_000,
  listMs: 20_000,
  pageSize: 1_000,
  gatherMs: 50,
};

const ownTemplate: JsonObject = {
  uriTemplate: `${spillPrefix}{id}{?offset,limit}`,
  name: 'holdfast-result',
  title: 'A tool result that was too large to be sent',
  description: 'The whole result, or with offset and limit a part of it.',
};

export function createRelay(options: RelayOptions): Relay {
  const { upstreams, catalog, settings, readSpilled, publish, onFault = () => {}, redact = createRedactor(), version = '0.1.0' } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const inputMs = (): number => settings().inputTimeoutMs;
  const nameRules = (): GatewayEntry['names'] => settings().names;

  const ask = createAsk({ upstreams, limitMs: limits.requestMs, redact });
  const greetings = createGreetings();
  const logNames = createLogNames(upstreams);
  const requestLogs = createRequestLogs();
  const lists = createServerLists({
    ask,
    greetings,
    reading: { pages: limits.pages, entries: limits.entries, chars: limits.chars, timeMs: limits.listMs },
    knownMs: limits.knownListMs,
    unknownMs: limits.unknownListMs,
    onChange: (_upstream, kind) => changes.listChanged(kind),
    onFault,
  });
  const changes = createChanges({
    upstreams,
    lists,
    logNames,
    requestLogs,
    publish,
    gatherMs: limits.gatherMs,
    readMs: limits.unknownListMs,
  });
  const offers = createOffers({
    upstreams,
    lists,
    nameRules,
    onFault,
    own: readSpilled === undefined ? {} : { templates: [ownTemplate] },
    pageSize: limits.pageSize,
  });
  const owners = createOwners(upstreams, greetings, offers);
  const waiting = createWaiting(inputMs);
  const forward = createForward({ ask, greetings, logNames, requestLogs, waiting, inputMs });
  const findPrompt = createFindPrompt(upstreams, offers, nameRules);
  const readResource = createReadResource({ forward, owners, readSpilled, probeMs: limits.requestMs / 3 });
  const complete = createComplete({ forward, greetings, offers, owners, findPrompt });
  const logging = createLogging({ upstreams, ask, greetings, onFault });
  const watches = createWatches({
    upstreams,
    ownersOf: owners.of,
    open: createOpenWatch(limits.requestMs, redact),
    onFault,
  });
  const tellRoots = (upstream: Upstream | undefined): void => {
    if (upstream !== undefined && greetings.known(upstream)?.era === 'legacy') tell(upstream, rootsChanged, {}, onFault);
  };
  const clients = createClients({ inputMs, tellRoots: (name) => tellRoots(upstreams.get(name)) });

  const cameUp = async (upstream: Upstream): Promise<void> => {
    try {
      await greetings.ask(upstream);
    } catch {
      return; // Down again already.
    }
    logging.cameUp(upstream);
    watches.follow();
    await lists.catchUp(upstream, ['resources', 'templates', 'prompts']);
  };
  const setChanged = (): void => {
    watches.follow();
    changes.listChanged('resources');
    changes.listChanged('prompts');
  };
  const unsubscribes = [
    catalog.subscribe(() => changes.listChanged('tools')),
    upstreams.subscribe(changes.heard),
    upstreams.subscribeStatus(comings((upstream) => void cameUp(upstream), setChanged)),
  ];

  const relayUnknown = (request: FaceRequest): Promise<JsonObject> => {
    const [only, ...others] = upstreams.exposed();
    if (only === undefined || others.length > 0) throw rpcError(rpcCodes.methodNotFound, `Method not found: ${request.method}`);
    return forward(request, only, onward(request.params));
  };
  const methods: Readonly<Record<string, (request: FaceRequest) => Promise<JsonObject>>> = {
    'resources/list': ({ params }) => offers.page('resources', params['cursor']),
    'resources/templates/list': ({ params }) => offers.page('templates', params['cursor']),
    'prompts/list': ({ params }) => offers.page('prompts', params['cursor']),
    'resources/read': readResource,
    'completion/complete': complete,
    async 'prompts/get'(request) {
      const { upstream, ownName } = await findPrompt(request.params['name']);
      return forward(request, upstream, onward(request.params, { name: ownName }), { isRead: true });
    },
  };
  return {
    async describe(client) {
      clients.greeted(client);
      const exposed = upstreams.exposed();
      const said = await greetings.within(exposed, limits.greetingMs);
      const servers = exposed.map((upstream, index) => ({ upstream, greeting: said[index] }));
      return describe(servers, { version, hasOwnResources: readSpilled !== undefined, instructionChars });
    },
    seen: clients.seen,
    duringCall: requestLogs.during,
    async handle(request) {
      const answer = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
      return (answer ?? relayUnknown)(request);
    },
    watchResource: async (uri, client) => (uri.startsWith(spillPrefix) ? () => {} : watches.watch(uri, client)),
    logLevelChanged: logging.levelChanged,
    notified(method, params) {
      const exposed = upstreams.exposed();
      if (method === rootsChanged) for (const upstream of exposed) tellRoots(upstream);
      else if (exposed[0] !== undefined && exposed.length === 1) tell(exposed[0], method, onward(params), onFault);
    },
    clientGone(client) {
      clients.gone(client);
      watches.clientGone(client);
    },
    answer: clients.answer,
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe();
      changes.close();
      watches.close();
      waiting.close();
    },
  };
}

const rootsChanged = 'notifications/roots/list_changed';
/** A model reads them at the beginning of every conversation. */
const instructionChars = { each: 8_000, all: 32_000 };

function tell({ name, server }: Upstream, method: string, params: JsonObject, onFault: OnUpstreamFault): void {
  server.notify(method, params).catch((error: unknown) => onFault({ upstream: name, operation: method, error }));
}
