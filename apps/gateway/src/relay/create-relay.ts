/**
 * Owns the interface of the relay, and its reactions when servers connect and disconnect.
 */
import { spillPrefix } from '../calls/calls.ts';
import type { StatusListener, Upstream } from '../upstreams/upstream.ts';
import { createClients } from './clients.ts';
import { describeGateway } from './describe-gateway.ts';
import { createHandle } from './methods.ts';
import type { RelayOptions } from './options.ts';
import { forwardedParams } from './params.ts';
import { composeRelay, type RelayParts } from './compose-relay.ts';
import type { Relay } from './relay.ts';
import { createServerNotifier } from './notify-servers.ts';

export function createRelay(options: RelayOptions): Relay {
  const { upstreams, catalog, settings, readSpilled, version = '0.1.0' } = options;
  const parts = composeRelay(options);
  const { limits, serverInfo, requestLogs, logging, watches } = parts;
  const notifier = createServerNotifier(options, serverInfo);
  const clients = createClients({ inputMs: () => settings().inputTimeoutMs, notifyRootsChanged: notifier.rootsChanged });
  const unfollow = followServers(options, parts);
  return {
    async describe(client) {
      clients.onConnected(client);
      const exposed = upstreams.exposed();
      const handshakes = await serverInfo.waitForAll(exposed, limits.handshakeMs);
      // Instructions are compared with the lock file when the tools are listed.
      if (handshakes.some((handshake) => handshake?.instructions !== undefined)) await catalog.ready?.();
      const servers = exposed.map((upstream, index) => ({
        upstream,
        handshake: handshakes[index],
        isSilent: catalog.withholdsInstructions?.(upstream.name) === true,
      }));
      return describeGateway(servers, { version, hasOwnResources: readSpilled !== undefined, limits });
    },
    seen: clients.onRequest,
    duringCall: requestLogs.during,
    handle: createHandle(options, parts),
    watchResource: async (uri, client) => (uri.startsWith(spillPrefix) ? () => {} : watches.watch(uri, client)),
    logLevelChanged: logging.levelChanged,
    notified: (method, params) => notifier.forward(method, forwardedParams(params)),
    clientGone(client) {
      clients.onDisconnected(client);
      watches.clientGone(client);
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
  const stops = [
    catalog.subscribe(() => changes.listChanged('tools')),
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
