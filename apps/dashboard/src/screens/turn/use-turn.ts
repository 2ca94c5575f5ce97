/** Hooks to follow one turn. */
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { TurnFeed, type TurnFeedView } from './turn-feed.ts';

export interface FollowedTurn extends TurnFeedView {
  readonly retry: () => void;
}

export function useTurn(turnId: string, run: number | undefined): FollowedTurn {
  const feed = useMemo(() => new TurnFeed(turnId, run), [turnId, run]);
  const view = useSyncExternalStore(feed.subscribe, feed.view);
  return { ...view, retry: feed.retry };
}

const tickMs = 100;

/** The current time of a running turn: the time of its latest event plus the time since then. Constant for a turn that has ended. */
export function useNowOf(elapsedMs: number, running: boolean, live: boolean): number {
  const [passed, setPassed] = useState({ of: elapsedMs, ms: 0 });
  useEffect(() => {
    if (!running || !live) return undefined;
    const since = performance.now();
    const timer = setInterval(() => {
      if (!document.hidden) setPassed({ of: elapsedMs, ms: performance.now() - since });
    }, tickMs);
    return () => clearInterval(timer);
  }, [elapsedMs, running, live]);
  return elapsedMs + (running && passed.of === elapsedMs ? passed.ms : 0);
}
