/**
 * Owns the interface of the relay, and its reactions when servers connect and disconnect.
 */
import { spillPrefix } from '../calls/calls.ts';
import type { StatusListener, Upstream } from '../upstreams/upstream.ts';
import { rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { accessOf } from '../access/access.ts';
import { connectionKey, onBehalfOf } from '../access/on-behalf.ts';
import { type ClientsOptions, createClients } from './clients.ts';
import { describeGateway } from './describe-gateway.ts';
import { createHandle } from './methods.ts';
import type { RelayOptions } from './options.ts';
import { forwardedParams } from './params.ts';
import { composeRelay, type RelayParts } from './compose-relay.ts';
import type { Relay } from './relay.ts';
import { createServerNotifier } from './notify-servers.ts';

export function createRelay(options: RelayOptions): Relay {
  const { upstreams, catalog, settings, readSpilled, prompts, version = '0.1.0' } = options;
  const parts = composeRelay(options);
  const { limits, serverInfo, requestLogs, logging, watches, mayUse, tasks, owners } = parts;
  const notifier = createServerNotifier(options, serverInfo);
  const clients = createClients({
    inputMs: () => settings().inputTimeoutMs,
    notifyRootsChanged: notifier.rootsChanged,
    mayAsk: mayAskOf(options),
  });
  const handle = createHandle(options, parts);
  const unfollow = followServers(options, parts);
  return {
    async describe(client) {
      clients.onConnected(client);
      const access = accessOf(client);
      const exposed = upstreams.exposed().filter((upstream) => mayUse(access, upstream));
      const handshakes = await serverInfo.waitForAll(exposed, limits.handshakeMs);
      // Instructions are compared with the lock file when the tools are listed.
      if (handshakes.some((handshake) => handshake?.instructions !== undefined)) await catalog.ready?.();
      const servers = exposed.map((upstream, index) => {
        const handshake = handshakes[index];
        const instructions = handshake?.instructions;
        const isSilent = instructions !== undefined && catalog.withholdsInstructions?.(upstream.name, instructions) === true;
        return { upstream, handshake, isSilent };
      });
      return describeGateway(servers, { version, hasOwnResources: readSpilled !== undefined, limits });
    },
    seen: clients.onRequest,
    duringCall: requestLogs.during,
    handle: (request) => (prompts === undefined ? handle(request) : prompts.around(request, handle)),
    tasks,
    clientResumed: clients.onConnected,
    async watchResource(uri, client) {
      if (uri.startsWith(spillPrefix)) return () => {};
      const access = accessOf(client);
      if (!access.allowsAll && !(await owners.of(uri)).some((upstream) => mayUse(access, upstream)))
        throw rpcError(rpcCodes.resourceNotFound, `Resource not found: ${uri}`, { uri });
      try {
        return await watches.watch(uri, client);
      } catch (error) {
        await prompts?.ask(client, 'resources/subscribe', error);
        throw error;
      }
    },
    logLevelChanged: logging.levelChanged,
    notified: (method, params, client) => notifier.forward(method, forwardedParams(params), client),
    clientGone(client) {
      clients.onDisconnected(client);
      watches.clientGone(client);
      upstreams.sessionEnded(onBehalfOf(client));
    },
    answer: clients.answer,
    close() {
      unfollow();
      parts.changes.close();
      watches.close();
      parts.waiting.close();
    },
  };
}

/** An isolated connection asks its own client; a shared one asks a client only if no other one could be meant. */
function mayAskOf({ upstreams, keepsApart = () => false }: RelayOptions): ClientsOptions['mayAsk'] {
  return (name, key, client) => {
    const entry = upstreams.get(name)?.entry;
    if (key !== undefined && entry !== undefined) return connectionKey(entry, onBehalfOf(client)) === key;
    return (entry?.isolation ?? 'shared') === 'shared' && (!keepsApart() || accessOf(client).owner === undefined);
  };
}

/** Returns a function that unsubscribes. */
function followServers({ upstreams, catalog }: RelayOptions, parts: RelayParts): () => void {
  const { serverInfo, lists, changes, logging, watches } = parts;
  const serverUp = async (upstream: Upstream): Promise<void> => {
    try {
      await serverInfo.ask(upstream);
    } catch {
      return; // Already down again.
    }
    logging.serverUp(upstream);
    watches.follow();
    await lists.catchUp(upstream, ['resources', 'templates', 'prompts']);
  };
  const setChanged = (): void => {
    watches.follow();
    changes.listChanged('resources');
    changes.listChanged('prompts');
  };
  const recheck = (): void => {
    for (const upstream of upstreams.exposed()) void lists.refresh(upstream, ['resources', 'templates', 'prompts']);
  };
  const stops = [
    catalog.subscribe(changes.toolsChanged),
    catalog.subscribeLock?.(recheck) ?? (() => {}),
    upstreams.subscribe(changes.receive),
    upstreams.subscribeStatus(onReconnect((upstream) => void serverUp(upstream), setChanged)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Returns a status listener that calls `onUp` once for each new connection, and `onSetChange` when the set of servers has changed. */
function onReconnect(onUp: (upstream: Upstream) => void, onSetChange: () => void): StatusListener {
  const upAs = new WeakMap<Upstream['server'], number>();
  return (upstream) => {
    if (upstream === undefined) return onSetChange();
    const { state, restarts } = upstream.server.status();
    if (state !== 'up' || upAs.get(upstream.server) === restarts) return;
    upAs.set(upstream.server, restarts);
    onUp(upstream);
  };
}
