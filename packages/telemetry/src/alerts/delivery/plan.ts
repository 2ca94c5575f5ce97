/**
 * Owns which notifications are due, and when: a pure function of what fires, what was sent, and the time. Does not own sending.
 *
 * Invariants
 * 1. An alert is sent when it begins and when it ends, and in between every `repeatIntervalMs`. What failed is still due.
 * 2. Alerts that begin at the same time are in one notification: a group waits `groupWaitMs` after its first change.
 * 3. A clock that is set back causes no additional delay.
 * 4. A muted alert is not sent. Its end is, to receivers that were notified of it.
 */
import { labelSet } from '../receivers/go-json.ts';
import type { NotifiedAlert } from '../receivers/notification.ts';
import { type FiringAlert, type Ledger, noteClock, type SentAlert } from './ledger.ts';

export interface PlanRules {
  /** Names of labels. Empty: all alerts are one group. */
  readonly groupBy: readonly string[];
  readonly groupWaitMs: number;
  readonly repeatIntervalMs: number;
  readonly perAlert: boolean;
  /** See `KindOfReceiver`. */
  readonly resendMs?: number | undefined;
}

export interface DueGroup {
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly alerts: readonly NotifiedAlert[];
  /** Alerts that exceed the limit of one notification. */
  readonly truncated: readonly NotifiedAlert[];
}

export interface Plan {
  readonly due: readonly DueGroup[];
  /** The next time at which something is due, as far as is known. */
  readonly nextAt: number;
}

/** Alerts of one notification. */
const maxAlerts = 100;

interface Group {
  readonly labels: Readonly<Record<string, string>>;
  readonly firing: FiringAlert[];
  readonly ended: SentAlert[];
}

/** Each fingerprint occurs once in `firing`. */
export function planNotifications(rules: PlanRules, ledger: Ledger, firing: readonly FiringAlert[], nowMs: number): Plan {
  noteClock(ledger, nowMs);
  const groups = groupsOf(rules, ledger, firing);
  for (const key of ledger.waiting.keys()) if (!groups.has(key)) ledger.waiting.delete(key);
  for (const key of ledger.failing.keys()) if (!groups.has(key)) ledger.failing.delete(key);
  const due: DueGroup[] = [];
  let nextAt = Infinity;
  for (const [key, group] of groups) {
    const at = dueAt(key, group, rules, ledger, nowMs);
    if (at > nowMs) nextAt = Math.min(nextAt, at);
    else due.push(dueGroup(key, group, rules, ledger));
  }
  return { due, nextAt };
}

function groupsOf({ groupBy, perAlert }: PlanRules, { sent }: Ledger, firing: readonly FiringAlert[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  const groupOf = ({ labels: all, fingerprint }: FiringAlert): Group => {
    const labels = Object.fromEntries(groupBy.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
    const key = perAlert ? fingerprint : labelSet(labels);
    const known = groups.get(key);
    if (known) return known;
    const group: Group = { labels, firing: [], ended: [] };
    groups.set(key, group);
    return group;
  };
  for (const alert of firing) groupOf(alert).firing.push(alert);
  for (const entry of sent.values()) if (entry.endedAt !== undefined) groupOf(entry.alert).ended.push(entry);
  return groups;
}

function dueAt(key: string, { firing, ended }: Group, rules: PlanRules, ledger: Ledger, nowMs: number): number {
  if (ledger.underway.has(key)) return Infinity;
  const shown = firing.filter((alert) => isShown(alert, rules, ledger));
  const isNews = ended.length > 0 || shown.some((alert) => !isDelivered(alert, ledger));
  if (isNews) ledger.waiting.set(key, ledger.waiting.get(key) ?? nowMs);
  else ledger.waiting.delete(key);
  const newsAt = isNews ? (ledger.waiting.get(key) ?? nowMs) + rules.groupWaitMs : Infinity;
  const repeatAt = shown.length === 0 ? Infinity : lastSentAt(shown, ledger) + (rules.resendMs ?? rules.repeatIntervalMs);
  return Math.max(Math.min(newsAt, repeatAt), ledger.failing.get(key)?.until ?? -Infinity);
}

/** A muted alert is hidden, except from a receiver that would take it for ended. */
const isShown = (alert: FiringAlert, { resendMs }: PlanRules, ledger: Ledger): boolean =>
  !alert.isMuted || (resendMs !== undefined && isDelivered(alert, ledger));

/** An alert that began again is another one. */
const isDelivered = ({ fingerprint, startsAt }: FiringAlert, { sent }: Ledger): boolean =>
  sent.get(fingerprint)?.alert.startsAt === startsAt;

/** Alerts that were never sent are new and are not repeated. */
function lastSentAt(shown: readonly FiringAlert[], { sent }: Ledger): number {
  const times = shown.flatMap(({ fingerprint }) => sent.get(fingerprint)?.sentAt ?? []);
  return times.length === 0 ? Infinity : Math.max(...times);
}

function dueGroup(key: string, { labels, firing, ended }: Group, rules: PlanRules, ledger: Ledger): DueGroup {
  const shown = firing.filter((alert) => isShown(alert, rules, ledger));
  const alerts: readonly NotifiedAlert[] = [
    ...shown.toSorted(byStart).map((alert): NotifiedAlert => ({ ...withoutMuted(alert), status: 'firing' })),
    ...ended.map(({ alert, endedAt }): NotifiedAlert => ({ ...withoutMuted(alert), status: 'resolved', endsAt: endedAt })),
  ];
  return { key, labels, alerts: alerts.slice(0, maxAlerts), truncated: alerts.slice(maxAlerts) };
}

const byStart = (one: FiringAlert, other: FiringAlert): number => one.startsAt - other.startsAt;

const withoutMuted = ({ isMuted: _internal, ...alert }: FiringAlert): Omit<FiringAlert, 'isMuted'> => alert;
