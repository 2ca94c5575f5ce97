/**
 * Owns detecting new connections of a server among all changes of its status.
 */
import type { StatusListener, Upstream } from '../upstreams/upstream.ts';

/** Returns a status listener that calls `onUp` once for each new connection, and `onSetChange` when the set of servers has changed. */
export function onReconnect(onUp: (upstream: Upstream) => void, onSetChange: () => void): StatusListener {
  const upAs = new WeakMap<Upstream['server'], number>();
  return (upstream) => {
    if (upstream === undefined) return onSetChange();
    const { state, restarts } = upstream.server.status();
    if (state !== 'up' || upAs.get(upstream.server) === restarts) return;
    upAs.set(upstream.server, restarts);
    onUp(upstream);
  };
}
