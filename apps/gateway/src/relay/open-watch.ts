/**
 * Owns opening a watch at one server with a time limit.
 *
 * Invariant: a watch that opens after the limit is stopped.
 */
import type { Redactor } from '@holdfast/core';
import type { Upstream } from '../upstreams/upstream.ts';
import { relayError } from './ask.ts';
import { withDeadline } from '../plain/with-deadline.ts';

export type OpenWatch = (upstream: Upstream, uri: string) => Promise<() => void>;

export function createOpenWatch(limitMs: number, redact: Redactor): OpenWatch {
  return async ({ name, server }, uri) => {
    try {
      return await withDeadline(limitMs, undefined, async (signal) => {
        const stop = await server.watchResource(uri);
        if (signal.aborted) stop();
        return stop;
      });
    } catch (error) {
      throw relayError(error, name, redact);
    }
  };
}
