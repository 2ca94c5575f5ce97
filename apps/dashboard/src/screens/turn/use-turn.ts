/** Hooks to follow one turn. */
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { TurnView } from '@holdfast/core/turn-view';
import { gatewayNow } from '../../ui/clock.ts';
import { runningFor } from './stats.model.ts';
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

/**
 * The current time of a turn, in milliseconds from its start. It is that of the gateway's clock while the turn runs, whenever the page was opened, and constant for a
 * turn that does not run.
 */
export function useNowOf({ startedAt, elapsedMs }: Pick<TurnView, 'startedAt' | 'elapsedMs'>, running: boolean, live: boolean): number {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!running || !live) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) tick((count) => count + 1);
    }, tickMs);
    return () => clearInterval(timer);
  }, [running, live]);
  return running ? runningFor(startedAt, elapsedMs, gatewayNow()) : elapsedMs;
}
