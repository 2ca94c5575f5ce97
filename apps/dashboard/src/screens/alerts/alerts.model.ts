/** Owns how alerts are put in groups and what is said of each. Pure. */
import type { AlertItem, AlertRuleItem, Silence } from '@holdfast/gateway/contract';
import type { Sign } from '../../ui/status.tsx';
import { joinWords } from '../../ui/format.ts';

export type GroupId = 'firing' | 'pending' | 'acknowledged' | 'quiet' | 'resolved';

export interface AlertGroup {
  readonly id: GroupId;
  readonly title: string;
  /** What is in it, in a sentence. */
  readonly note: string;
  readonly alerts: readonly AlertItem[];
}

const groups: readonly Omit<AlertGroup, 'alerts'>[] = [
  { id: 'firing', title: 'Firing', note: 'Receivers are notified of these.' },
  { id: 'pending', title: 'Waiting', note: 'The condition holds, but not for long enough yet.' },
  { id: 'acknowledged', title: 'Acknowledged', note: 'Somebody looks after these; they are not told again.' },
  { id: 'quiet', title: 'Kept quiet', note: 'Silenced, or needless to tell because another alert says it.' },
  { id: 'resolved', title: 'Over', note: 'Ended within the last 15 minutes.' },
];

export function groupOf({ state, silenced_by, inhibited_by, acknowledged }: AlertItem): GroupId {
  if (state === 'resolved') return 'resolved';
  if (silenced_by.length > 0 || inhibited_by.length > 0) return 'quiet';
  if (acknowledged !== undefined) return 'acknowledged';
  return state;
}

/** Those that have something in them; the order of the alerts stays. */
export function groupsOf(alerts: readonly AlertItem[]): readonly AlertGroup[] {
  return groups
    .map((group) => ({ ...group, alerts: alerts.filter((alert) => groupOf(alert) === group.id) }))
    .filter((group) => group.alerts.length > 0);
}

const stateSigns: Readonly<Record<GroupId, Sign>> = {
  firing: { word: 'firing', icon: 'bell', tone: 'bad' },
  pending: { word: 'waiting', icon: 'clock', tone: 'warn' },
  acknowledged: { word: 'acknowledged', icon: 'hand', tone: 'own' },
  quiet: { word: 'kept quiet', icon: 'silence', tone: 'quiet' },
  resolved: { word: 'over', icon: 'done', tone: 'good' },
};

export const stateSign = (alert: AlertItem): Sign => stateSigns[groupOf(alert)];

/** When it became what it is, and the word before it. */
export function sinceOf({ state, active_since, fired_at, resolved_at }: AlertItem): { readonly word: string; readonly at: string } {
  if (state === 'resolved') return { word: 'ended', at: resolved_at ?? active_since };
  return state === 'firing' ? { word: 'fired', at: fired_at ?? active_since } : { word: 'began to wait', at: active_since };
}

/** Why nobody is notified of it; nothing where somebody is. */
export function quietReasons(alert: AlertItem, alerts: readonly AlertItem[], silences: readonly Silence[]): readonly string[] {
  const silencedBy = alert.silenced_by.map((id) => {
    const silence = silences.find((each) => each.id === id);
    return silence === undefined ? 'A silence covers it.' : `Silenced by ${silence.created_by}: ${silence.comment}`;
  });
  const causes = alert.inhibited_by.map(
    (fingerprint) => alerts.find((each) => each.fingerprint === fingerprint)?.summary ?? 'another alert',
  );
  const inhibited = causes.length === 0 ? [] : [`Needless to tell, because of: ${joinWords(causes)}.`];
  const acknowledged = alert.acknowledged;
  const known =
    acknowledged === undefined
      ? []
      : [`${acknowledged.by} looks after it${acknowledged.comment === undefined ? '.' : `: ${acknowledged.comment}`}`];
  return [...silencedBy, ...inhibited, ...known];
}

/** What can still be done with it. */
export const mayAcknowledge = ({ state, acknowledged }: AlertItem): boolean => state !== 'resolved' && acknowledged === undefined;
export const maySilence = ({ state, silenced_by }: AlertItem): boolean => state !== 'resolved' && silenced_by.length === 0;

/** `2 firing, 1 waiting`; nothing where nothing is the matter. */
export function summaryOf(alerts: readonly AlertItem[]): string {
  const words: readonly (readonly [GroupId, string])[] = [
    ['firing', 'firing'],
    ['pending', 'waiting'],
    ['acknowledged', 'acknowledged'],
    ['quiet', 'kept quiet'],
  ];
  return words
    .map(([id, word]) => [alerts.filter((alert) => groupOf(alert) === id).length, word] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}

/** Labels besides what is reported about it anyway. */
export const furtherLabels = ({ labels }: AlertItem): readonly (readonly [string, string])[] =>
  Object.entries(labels).filter(([name]) => name !== 'alertname' && name !== 'severity' && name !== 'tool');

/** Those that say something first, then by name. */
export const rulesInOrder = (rules: readonly AlertRuleItem[]): readonly AlertRuleItem[] =>
  rules.toSorted((one, other) => Math.sign(other.firing) - Math.sign(one.firing) || (one.name < other.name ? -1 : 1));

/** `Calls of {tool} fail` → `Calls of a tool fail`. */
export const ruleTitle = ({ summary }: AlertRuleItem): string => {
  const text = summary.replaceAll(/\{(\w+)\}/g, 'a $1');
  return text.charAt(0).toUpperCase() + text.slice(1);
};
