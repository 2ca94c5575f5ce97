/**
 * Owns opening a watch at one server with a time limit.
 *
 * Invariant: a watch that opens after the limit is stopped.
 */
import type { Redactor } from '@holdfast/core';
import type { ConnectedClient } from '@holdfast/mcp-wire/server';
import { onBehalfOf } from '../access/on-behalf.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { relayError } from './ask.ts';
import { withDeadline } from '../plain/with-deadline.ts';

export type OpenWatch = (upstream: Upstream, uri: string, client: ConnectedClient) => Promise<() => void>;

export function createOpenWatch(limitMs: number, redact: Redactor): OpenWatch {
  return async (upstream, uri, client) => {
    const { name } = upstream;
    try {
      return await withDeadline(limitMs, undefined, async (signal) => {
        const stop = await watchOver(upstream, uri, client);
        if (signal.aborted) stop();
        return stop;
      });
    } catch (error) {
      throw relayError(error, name, redact);
    }
  };
}

/** A connection of a client's own is in use as long as the watch is open. */
function watchOver({ server, use }: Upstream, uri: string, client: ConnectedClient): Promise<() => void> {
  if (use === undefined) return server.watchResource(uri);
  return new Promise((resolve, reject) => {
    use(onBehalfOf(client), async (own) => {
      const stop = await own.watchResource(uri);
      await new Promise<void>((end) => {
        resolve(() => {
          stop();
          end();
        });
      });
    }).catch(reject);
  });
}
