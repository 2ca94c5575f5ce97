/** Owns what one receiver was notified of: which alerts, when, and which failures. Plain data, so that it can be saved. */
import type { NotifiedAlert } from '../receivers/notification.ts';

/** A firing alert. */
export interface FiringAlert extends Omit<NotifiedAlert, 'status' | 'endsAt'> {
  /** Silenced, inhibited or acknowledged: a receiver that was not notified yet is not notified. */
  readonly isMuted?: boolean | undefined;
}

/** An alert that a receiver has been notified of. */
export interface SentAlert {
  /** The alert, as in the last notification. */
  readonly alert: FiringAlert;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
  /** When it was found to have ended; the receiver is not notified of that yet. */
  readonly endedAt?: number;
}

interface Failing {
  readonly times: number;
  /** Not tried before. */
  readonly until: number;
}

export interface Ledger {
  /** By fingerprint. */
  readonly sent: Map<string, SentAlert>;
  /** By group: since when there is something to send. */
  readonly waiting: Map<string, number>;
  /** By group. */
  readonly failing: Map<string, Failing>;
  /** Groups with a delivery in flight. */
  readonly underway: Set<string>;
  /** By group: when the last notification was delivered. */
  readonly notified: Map<string, number>;
  /** By fingerprint: when its beginnings were sent within the last hour. */
  readonly begun: Map<string, readonly number[]>;
}

/** JSON. */
export type SavedLedger = readonly SentAlert[];

export function createLedger(saved: SavedLedger = []): Ledger {
  return {
    sent: new Map(saved.map((sent) => [sent.alert.fingerprint, sent])),
    waiting: new Map(),
    failing: new Map(),
    underway: new Set(),
    notified: new Map(),
    begun: new Map(saved.map(({ alert, sentAt }) => [alert.fingerprint, [sentAt]])),
  };
}

export const saveLedger = ({ sent }: Ledger): SavedLedger => [...sent.values()];

/** After this long, the end of an alert is no longer sent. */
const maxEndMs = 24 * 3_600_000;

/** Records which alerts have ended, and drops those whose end is not to be sent. */
export function noteEnds({ sent }: Ledger, firing: ReadonlySet<string>, nowMs: number, sendResolved: boolean): void {
  for (const [fingerprint, entry] of sent) {
    const { endedAt, ...rest } = entry;
    if (firing.has(fingerprint)) {
      if (endedAt !== undefined) sent.set(fingerprint, rest);
    } else if (!sendResolved || nowMs - (endedAt ?? nowMs) > maxEndMs) sent.delete(fingerprint);
    else if (endedAt === undefined) sent.set(fingerprint, { ...entry, endedAt: nowMs });
  }
}

const minPauseMs = 30_000;
const maxPauseMs = 600_000;
/** The longest wait that a receiver may ask for: a later notification would be outdated. */
const maxAskedPauseMs = 3_600_000;

/** Corrects times in the future, which a clock that was set back leaves behind. */
export function noteClock({ sent, waiting, failing, notified, begun }: Ledger, nowMs: number): void {
  for (const [key, at] of notified) if (at > nowMs) notified.set(key, nowMs);
  for (const [key, times] of begun)
    if (times.some((at) => at > nowMs))
      begun.set(
        key,
        times.map((at) => Math.min(at, nowMs)),
      );
  for (const [key, since] of waiting) if (since > nowMs) waiting.set(key, nowMs);
  for (const [key, entry] of failing) {
    if (entry.until > nowMs + maxAskedPauseMs) failing.set(key, { ...entry, until: nowMs + maxAskedPauseMs });
  }
  for (const [fingerprint, entry] of sent) if (entry.sentAt > nowMs) sent.set(fingerprint, { ...entry, sentAt: nowMs });
}

export function noteDelivered(ledger: Ledger, group: string, alerts: readonly NotifiedAlert[], nowMs: number): void {
  ledger.notified.set(group, nowMs);
  for (const { status, endsAt: _never, ...alert } of alerts) {
    if (status === 'firing') {
      if (ledger.sent.get(alert.fingerprint)?.alert.startsAt !== alert.startsAt) noteBegin(ledger, alert.fingerprint, nowMs);
      ledger.sent.set(alert.fingerprint, { ...endOf(ledger, alert), alert, sentAt: nowMs });
    } else if (ledger.sent.get(alert.fingerprint)?.alert.startsAt === alert.startsAt) ledger.sent.delete(alert.fingerprint);
  }
  ledger.waiting.delete(group);
  ledger.failing.delete(group);
}

const flapWindowMs = 3_600_000;
/** From the second beginning within the window on, an alert flaps. */
const flapsFrom = 2;
/** The end of an alert that flaps is sent when it has not begun again for this long. */
export const flapQuietMs: number = 15 * 60_000;
/** Fingerprints whose beginnings are remembered. */
const maxBegun = 10_000;

function noteBegin({ begun }: Ledger, fingerprint: string, nowMs: number): void {
  const times = [...(begun.get(fingerprint) ?? []), nowMs].filter((at) => nowMs - at < flapWindowMs);
  begun.delete(fingerprint);
  begun.set(fingerprint, times);
  const [oldest] = begun.keys();
  if (begun.size > maxBegun && oldest !== undefined) begun.delete(oldest);
}

const beginsOf = ({ begun }: Ledger, fingerprint: string, nowMs: number): number =>
  (begun.get(fingerprint) ?? []).filter((at) => nowMs - at < flapWindowMs).length;

/** Whether its beginning was sent within the last hour. */
export const isKnown = (ledger: Ledger, fingerprint: string, nowMs: number): boolean => beginsOf(ledger, fingerprint, nowMs) > 0;

/** Whether an alert begins and ends so often that only its first beginnings and its last end are news. */
export const isFlapping = (ledger: Ledger, fingerprint: string, nowMs: number): boolean =>
  beginsOf(ledger, fingerprint, nowMs) >= flapsFrom;

/** It may have ended while its begin was being delivered. */
function endOf({ sent }: Ledger, { fingerprint, startsAt }: FiringAlert): Pick<SentAlert, 'endedAt'> {
  const known = sent.get(fingerprint);
  return known?.endedAt !== undefined && known.alert.startsAt === startsAt ? { endedAt: known.endedAt } : {};
}

/** The pause doubles with each failure. */
export function noteFailure({ failing }: Ledger, group: string, nowMs: number, retryAfterMs = 0): void {
  const times = (failing.get(group)?.times ?? 0) + 1;
  const pauseMs = Math.min(minPauseMs * 2 ** Math.min(times - 1, 10), maxPauseMs);
  failing.set(group, { times, until: nowMs + Math.max(pauseMs, Math.min(retryAfterMs, maxAskedPauseMs)) });
}
