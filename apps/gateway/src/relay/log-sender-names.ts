/**
 * Owns naming the server of a log message when there are several servers.
 */
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { Upstream, Upstreams } from '../upstreams/upstream.ts';

export interface LogSenderNames {
  /** Returns the params of a notification for clients: the logger of a log message gets the name of the server. */
  readonly withServerName: (upstream: Upstream, method: string, params: JsonObject) => JsonObject;
}

export function createLogSenderNames(upstreams: Pick<Upstreams, 'exposed'>): LogSenderNames {
  return {
    withServerName({ name }, method, params) {
      if (method !== 'notifications/message' || upstreams.exposed().length < 2) return params;
      const { logger } = params;
      return { ...params, logger: typeof logger === 'string' && logger !== '' ? `${name}/${logger}` : name };
    },
  };
}
