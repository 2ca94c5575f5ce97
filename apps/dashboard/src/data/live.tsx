/** Owns the one live connection of the page and how screens read it. */
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { takeTime } from '../ui/clock.ts';
import { LiveConnection, type LiveView } from './live-connection.ts';

const LiveContext = createContext<LiveConnection | undefined>(undefined);

export function LiveProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [connection] = useState(() => new LiveConnection());
  useEffect(() => {
    let at: string | undefined;
    const stop = connection.subscribe(() => {
      const next = connection.view().overview?.at;
      if (next !== undefined && next !== at) takeTime(next);
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
  /** Asks at once. */
  readonly retry: () => void;
}

/** What is known now, and how well: drawn again with each message, at most ten a second. */
export function useLive(): Live {
  const connection = useConnection();
  const view = useSyncExternalStore(connection.subscribe, connection.view);
  return { ...view, retry: connection.retry };
}

/** A part of what is known, such as one tool: drawn again only when that part is another. */
export function useLivePart<T>(select: (view: LiveView) => T): T {
  const connection = useConnection();
  return useSyncExternalStore(connection.subscribe, () => select(connection.view()));
}

function useConnection(): LiveConnection {
  const connection = useContext(LiveContext);
  if (connection === undefined) throw new Error('No LiveProvider is above this part of the page.');
  return connection;
}
