/** Owns converting a turn for the overview. */
import type { TurnRecord } from '@holdfast/core/history';
import type { TurnBrief } from '../contract.ts';
import { toIso } from '../plain/iso-time.ts';

export function turnBrief({ turn_id, started_at, ended_at, outcome, summary, calls, events, facts }: TurnRecord): TurnBrief {
  return {
    turn_id,
    started_at: toIso(started_at),
    ...(ended_at === undefined ? {} : { ended_at: toIso(ended_at) }),
    state: ended_at === undefined ? 'running' : 'completed',
    ...(outcome === undefined ? {} : { outcome }),
    ...(summary === undefined ? {} : { summary }),
    calls,
    events,
    facts,
  };
}
