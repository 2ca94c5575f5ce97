/** The live connection of the page, and hooks to read it. */
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { syncClock } from '../ui/clock.ts';
import { LiveConnection, type LiveView } from './live-connection.ts';

const LiveContext = createContext<LiveConnection | undefined>(undefined);

export function LiveProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [connection] = useState(() => new LiveConnection());
  useEffect(() => {
    let at: string | undefined;
    const stop = connection.subscribe(() => {
      const next = connection.view().overview?.at;
      if (next !== undefined && next !== at) syncClock(next);
      at = next;
    });
    connection.start();
    return () => {
      stop();
      connection.stop();
    };
  }, [connection]);
  return <LiveContext value={connection}>{children}</LiveContext>;
}

export interface Live extends LiveView {
  /** Reconnects at once. */
  readonly retry: () => void;
}

/** The current view: rerenders with each message, at most ten times a second. */
export function useLive(): Live {
  const connection = useConnection();
  const view = useSyncExternalStore(connection.subscribe, connection.view);
  return { ...view, retry: connection.retry };
}

/** A part of the view, such as one tool: rerenders only if that part changes. */
export function useLivePart<T>(select: (view: LiveView) => T): T {
  const connection = useConnection();
  return useSyncExternalStore(connection.subscribe, () => select(connection.view()));
}

function useConnection(): LiveConnection {
  const connection = useContext(LiveContext);
  if (connection === undefined) throw new Error('useLive must be used within a LiveProvider.');
  return connection;
}
