/**
 * Owns which notifications are due, and when: a pure function of what fires, what was sent, and the time. Does not own sending.
 *
 * Invariants
 * 1. An alert is sent when it begins and when it ends, and in between every `repeatIntervalMs`. What failed is still due.
 * 2. A notification contains what its receiver does not know yet, and nothing else, except when it repeats.
 * 3. Alerts that begin at the same time are in one notification: a group waits `groupWaitMs` after its first change. What follows waits for `groupIntervalMs` since the
 *    last notification, unless an alert begins that was not sent within the last hour.
 * 4. An alert that flaps is sent at its first beginnings, and at its end after a while of quiet.
 * 5. A clock that is set back causes no additional delay.
 * 6. A muted alert is not sent. Its end is, to receivers that were notified of it.
 */
import { labelSet } from '../receivers/go-json.ts';
import type { NotifiedAlert } from '../receivers/notification.ts';
import { type FiringAlert, flapQuietMs, isFlapping, isKnown, type Ledger, noteClock, type SentAlert } from './ledger.ts';

export interface PlanRules {
  /** Names of labels. Empty: all alerts are one group. */
  readonly groupBy: readonly string[];
  readonly groupWaitMs: number;
  readonly groupIntervalMs: number;
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
    else due.push(dueGroup(key, group, rules, ledger, nowMs));
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

function dueAt(key: string, group: Group, rules: PlanRules, ledger: Ledger, nowMs: number): number {
  if (ledger.underway.has(key)) return Infinity;
  const news = newsOf(group, rules, ledger, nowMs);
  if (news.now.length > 0) ledger.waiting.set(key, ledger.waiting.get(key) ?? nowMs);
  else ledger.waiting.delete(key);
  const shown = shownOf(group, rules, ledger);
  const repeatAt = shown.length === 0 ? Infinity : lastSentAt(shown, ledger) + (rules.resendMs ?? rules.repeatIntervalMs);
  return Math.max(Math.min(newsAt(key, news, rules, ledger, nowMs), news.laterAt, repeatAt), ledger.failing.get(key)?.until ?? -Infinity);
}

function newsAt(key: string, { now }: News, { groupWaitMs, groupIntervalMs, resendMs }: PlanRules, ledger: Ledger, nowMs: number): number {
  if (now.length === 0) return Infinity;
  const waited = (ledger.waiting.get(key) ?? nowMs) + groupWaitMs;
  const isNew = now.some(({ alert, isEnd }) => !isEnd && !isKnown(ledger, alert.fingerprint, nowMs));
  // An Alertmanager groups and damps by itself.
  return isNew || resendMs !== undefined ? waited : Math.max(waited, (ledger.notified.get(key) ?? -Infinity) + groupIntervalMs);
}

interface NewsItem {
  readonly alert: FiringAlert;
  readonly isEnd: boolean;
}

interface News {
  readonly now: readonly NewsItem[];
  /** When the next end of an alert that flapped is news. */
  readonly laterAt: number;
}

/** What the receiver does not know yet: beginnings and ends; of an alert that flaps, only the end after a while of quiet. */
function newsOf(group: Group, rules: PlanRules, ledger: Ledger, nowMs: number): News {
  const begun = shownOf(group, rules, ledger).filter((alert) => !isTold(alert, rules, ledger));
  const ends = group.ended.map(({ alert, endedAt = nowMs }) => ({ alert, at: endedAt + quietMsOf(alert, rules, ledger, nowMs) }));
  return {
    now: [
      ...begun.map((alert) => ({ alert, isEnd: false })),
      ...ends.filter(({ at }) => at <= nowMs).map(({ alert }) => ({ alert, isEnd: true })),
    ],
    laterAt: Math.min(Infinity, ...ends.filter(({ at }) => at > nowMs).map(({ at }) => at)),
  };
}

const quietMsOf = ({ fingerprint }: FiringAlert, { resendMs }: PlanRules, ledger: Ledger, nowMs: number): number =>
  resendMs === undefined && isFlapping(ledger, fingerprint, nowMs) ? flapQuietMs : 0;

/** An alert that began again before its end was sent is still the same one to its receiver. */
const isTold = (alert: FiringAlert, { resendMs }: PlanRules, ledger: Ledger): boolean =>
  resendMs === undefined ? ledger.sent.has(alert.fingerprint) : isDelivered(alert, ledger);

const shownOf = ({ firing }: Group, rules: PlanRules, ledger: Ledger): readonly FiringAlert[] =>
  firing.filter((alert) => isShown(alert, rules, ledger));

/** A muted alert is hidden, except from a receiver that would take it for ended. */
const isShown = (alert: FiringAlert, { resendMs }: PlanRules, ledger: Ledger): boolean =>
  !alert.isMuted || (resendMs !== undefined && isDelivered(alert, ledger));

/** An alert that began again is another one. */
const isDelivered = ({ fingerprint, startsAt }: FiringAlert, { sent }: Ledger): boolean =>
  sent.get(fingerprint)?.alert.startsAt === startsAt;

/** Alerts that were never sent are new and are not repeated. */
function lastSentAt(shown: readonly FiringAlert[], { sent }: Ledger): number {
  const times = shown.flatMap(({ fingerprint }) => sent.get(fingerprint)?.sentAt ?? []);
  return times.length === 0 ? Infinity : Math.min(...times);
}

/** Only what is news; everything that fires when it is time to repeat it, or for a receiver that would take the others for ended. */
function dueGroup(key: string, group: Group, rules: PlanRules, ledger: Ledger, nowMs: number): DueGroup {
  const shown = shownOf(group, rules, ledger);
  const isRepeat = lastSentAt(shown, ledger) + rules.repeatIntervalMs <= nowMs || rules.resendMs !== undefined;
  const ended = group.ended.filter(({ alert, endedAt = nowMs }) => endedAt + quietMsOf(alert, rules, ledger, nowMs) <= nowMs);
  const sent = isRepeat ? shown : shown.filter((alert) => !isTold(alert, rules, ledger));
  const alerts: readonly NotifiedAlert[] = [
    ...sent.toSorted(byStart).map((alert): NotifiedAlert => ({ ...withoutMuted(alert), status: 'firing' })),
    ...ended.map(({ alert, endedAt }): NotifiedAlert => ({ ...withoutMuted(alert), status: 'resolved', endsAt: endedAt })),
  ];
  return { key, labels: group.labels, alerts: alerts.slice(0, maxAlerts), truncated: alerts.slice(maxAlerts) };
}

const byStart = (one: FiringAlert, other: FiringAlert): number => one.startsAt - other.startsAt;

const withoutMuted = ({ isMuted: _internal, ...alert }: FiringAlert): Omit<FiringAlert, 'isMuted'> => alert;
