/**
 * Owns setting the log level at servers of the legacy era. Servers of the modern era get it with each request.
 */
import type { LogLevel } from '@holdfast/mcp-wire/server';
import type { OnUpstreamFault, Upstream, Upstreams } from '../upstreams/upstream.ts';
import type { Ask } from './ask.ts';
import type { ServerInfo } from './server-info.ts';

export interface Logging {
  readonly levelChanged: (level: LogLevel | undefined) => void;
  /** Call it when a server has connected: it does not know the level. */
  readonly serverUp: (upstream: Upstream) => void;
}

export interface LoggingOptions {
  readonly upstreams: Pick<Upstreams, 'exposed'>;
  readonly ask: Ask;
  readonly serverInfo: ServerInfo;
  readonly onFault: OnUpstreamFault;
}

const method = 'logging/setLevel';

export function createLogging({ upstreams, ask, serverInfo, onFault }: LoggingOptions): Logging {
  let level: LogLevel | undefined;
  let wasWanted = false;

  const sendLevel = async (upstream: Upstream): Promise<void> => {
    // The protocol has no level for no messages; this is the closest.
    const wanted = level ?? (wasWanted ? 'emergency' : undefined);
    const handshake = serverInfo.known(upstream);
    if (wanted === undefined || handshake?.era !== 'legacy' || handshake.capabilities['logging'] === undefined) return;
    try {
      await ask(upstream, method, { level: wanted }, { isRead: true });
    } catch (error) {
      onFault({ upstream: upstream.name, operation: method, error });
    }
  };
  return {
    levelChanged(wanted) {
      level = wanted;
      wasWanted ||= wanted !== undefined;
      for (const upstream of upstreams.exposed()) void sendLevel(upstream);
    },
    serverUp: (upstream) => void sendLevel(upstream),
  };
}
