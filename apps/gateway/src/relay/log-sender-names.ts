/**
 * Owns who a log message is from, where there are several servers it could be from.
 */
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { Upstream, Upstreams } from '../upstreams/upstream.ts';

export interface LogSenderNames {
  /** The params of a notification as clients get them: of log messages, the logger with the server's name. */
  readonly told: (upstream: Upstream, method: string, params: JsonObject) => JsonObject;
}

export function createLogSenderNames(upstreams: Pick<Upstreams, 'exposed'>): LogSenderNames {
  return {
    told({ name }, method, params) {
      if (method !== 'notifications/message' || upstreams.exposed().length < 2) return params;
      const { logger } = params;
      return { ...params, logger: typeof logger === 'string' && logger !== '' ? `${name}/${logger}` : name };
    },
  };
}
