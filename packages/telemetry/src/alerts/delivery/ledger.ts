/** Owns what one receiver was told: of which alerts, when, and what went wrong. Plain data, so that it can be kept. */
import type { NotifiedAlert } from '../receivers/notification.ts';

/** An alert that fires. */
export interface FiringAlert extends Omit<NotifiedAlert, 'status' | 'endsAt'> {
  /** Silenced, inhibited or acknowledged: anyone who does not know of it yet is not told. */
  readonly isMuted?: boolean | undefined;
}

/** An alert that a receiver has been notified of. */
export interface ToldAlert {
  /** The alert, as in the last notification. */
  readonly alert: FiringAlert;
  /** Milliseconds since 1970. */
  readonly toldAt: number;
  /** When it was seen to be over; its end is still to be told. */
  readonly endedAt?: number;
}

interface Failing {
  readonly times: number;
  /** Not tried before. */
  readonly until: number;
}

export interface Ledger {
  /** By fingerprint. */
  readonly told: Map<string, ToldAlert>;
  /** By group: since when there is something to tell. */
  readonly waiting: Map<string, number>;
  /** By group. */
  readonly failing: Map<string, Failing>;
  /** Groups whose notification is on its way. */
  readonly underway: Set<string>;
}

/** JSON. */
export type SavedLedger = readonly ToldAlert[];

export function createLedger(saved: SavedLedger = []): Ledger {
  return {
    told: new Map(saved.map((told) => [told.alert.fingerprint, told])),
    waiting: new Map(),
    failing: new Map(),
    underway: new Set(),
  };
}

export const saveLedger = ({ told }: Ledger): SavedLedger => [...told.values()];

/** An end that could not be told for this long helps nobody. */
const longestEndMs = 24 * 3_600_000;

/** Notes which alerts are over. Those whose end nobody wants to hear of are forgotten. */
export function noteEnds({ told }: Ledger, firing: ReadonlySet<string>, nowMs: number, sendResolved: boolean): void {
  for (const [fingerprint, entry] of told) {
    const { endedAt, ...rest } = entry;
    if (firing.has(fingerprint)) {
      if (endedAt !== undefined) told.set(fingerprint, rest);
    } else if (!sendResolved || nowMs - (endedAt ?? nowMs) > longestEndMs) told.delete(fingerprint);
    else if (endedAt === undefined) told.set(fingerprint, { ...entry, endedAt: nowMs });
  }
}

const shortestPauseMs = 30_000;
const longestPauseMs = 600_000;
/** However long a receiver asks for: what is to be told would be old. */
const longestAskedPauseMs = 3_600_000;

/** A clock that was set back leaves no time in the future. */
export function noteClock({ told, waiting, failing }: Ledger, nowMs: number): void {
  for (const [key, since] of waiting) if (since > nowMs) waiting.set(key, nowMs);
  for (const [key, entry] of failing) {
    if (entry.until > nowMs + longestAskedPauseMs) failing.set(key, { ...entry, until: nowMs + longestAskedPauseMs });
  }
  for (const [fingerprint, entry] of told) if (entry.toldAt > nowMs) told.set(fingerprint, { ...entry, toldAt: nowMs });
}

export function noteDelivered(ledger: Ledger, group: string, alerts: readonly NotifiedAlert[], nowMs: number): void {
  for (const { status, endsAt: _never, ...alert } of alerts) {
    if (status === 'firing') ledger.told.set(alert.fingerprint, { ...endOf(ledger, alert), alert, toldAt: nowMs });
    else if (ledger.told.get(alert.fingerprint)?.alert.startsAt === alert.startsAt) ledger.told.delete(alert.fingerprint);
  }
  ledger.waiting.delete(group);
  ledger.failing.delete(group);
}

/** It may have ended while its beginning was on its way. */
function endOf({ told }: Ledger, { fingerprint, startsAt }: FiringAlert): Pick<ToldAlert, 'endedAt'> {
  const known = told.get(fingerprint);
  return known?.endedAt !== undefined && known.alert.startsAt === startsAt ? { endedAt: known.endedAt } : {};
}

/** The pause doubles with each failure. */
export function noteFailure({ failing }: Ledger, group: string, nowMs: number, retryAfterMs = 0): void {
  const times = (failing.get(group)?.times ?? 0) + 1;
  const pauseMs = Math.min(shortestPauseMs * 2 ** Math.min(times - 1, 10), longestPauseMs);
  failing.set(group, { times, until: nowMs + Math.max(pauseMs, Math.min(retryAfterMs, longestAskedPauseMs)) });
}
