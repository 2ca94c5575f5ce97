/**
 * Owns the log level that servers of the legacy era are told. Servers of the modern era hear it with each request.
 */
import type { LogLevel } from '@holdfast/mcp-wire/server';
import type { OnUpstreamFault, Upstream, Upstreams } from '../upstreams/upstream.ts';
import type { Ask } from './ask.ts';
import type { ServerInfo } from './server-info.ts';

export interface Logging {
  readonly levelChanged: (level: LogLevel | undefined) => void;
  /** To be called when a server has come up: it does not know the level. */
  readonly cameUp: (upstream: Upstream) => void;
}

export interface LoggingOptions {
  readonly upstreams: Pick<Upstreams, 'exposed'>;
  readonly ask: Ask;
  readonly greetings: ServerInfo;
  readonly onFault: OnUpstreamFault;
}

const method = 'logging/setLevel';

export function createLogging({ upstreams, ask, greetings, onFault }: LoggingOptions): Logging {
  let level: LogLevel | undefined;
  let wasWanted = false;

  const sendLevel = async (upstream: Upstream): Promise<void> => {
    // A server that was told once cannot be told to be silent: this is the nearest.
    const wanted = level ?? (wasWanted ? 'emergency' : undefined);
    const greeting = greetings.known(upstream);
    if (wanted === undefined || greeting?.era !== 'legacy' || greeting.capabilities['logging'] === undefined) return;
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
    cameUp: (upstream) => void sendLevel(upstream),
  };
}
