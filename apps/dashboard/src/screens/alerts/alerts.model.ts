/** Groups alerts, and describes them. */
import type { AlertItem, AlertRuleItem, Silence } from '@holdfast/gateway/contract';
import type { Indicator } from '../../ui/status.tsx';
import { joinWords } from '../../ui/format.ts';

export type GroupId = 'firing' | 'pending' | 'acknowledged' | 'quiet' | 'resolved';

export interface AlertGroup {
  readonly id: GroupId;
  readonly title: string;
  /** Describes the group, as a sentence. */
  readonly note: string;
  readonly alerts: readonly AlertItem[];
}

const groups: readonly Omit<AlertGroup, 'alerts'>[] = [
  { id: 'firing', title: 'Firing, notified', note: 'Receivers are notified of these.' },
  { id: 'acknowledged', title: 'Firing, acknowledged', note: 'An operator has seen these; no further notifications.' },
  { id: 'quiet', title: 'Firing, suppressed', note: 'Silenced, or inhibited by another alert.' },
  { id: 'pending', title: 'Pending', note: 'The condition is met, but not for long enough yet.' },
  { id: 'resolved', title: 'Resolved', note: 'Resolved within the last 15 minutes.' },
];

export function groupOf({ state, silenced_by, inhibited_by, acknowledged }: AlertItem): GroupId {
  if (state !== 'firing') return state;
  if (silenced_by.length > 0 || inhibited_by.length > 0) return 'quiet';
  if (acknowledged !== undefined) return 'acknowledged';
  return 'firing';
}

/** The groups that are not empty. Keeps the order of the alerts. */
export function groupsOf(alerts: readonly AlertItem[]): readonly AlertGroup[] {
  return groups
    .map((group) => ({ ...group, alerts: alerts.filter((alert) => groupOf(alert) === group.id) }))
    .filter((group) => group.alerts.length > 0);
}

const stateIndicators: Readonly<Record<GroupId, Indicator>> = {
  firing: { label: 'firing', icon: 'bell', tone: 'bad' },
  pending: { label: 'pending', icon: 'clock', tone: 'warn' },
  acknowledged: { label: 'acknowledged', icon: 'hand', tone: 'own' },
  quiet: { label: 'suppressed', icon: 'silence', tone: 'quiet' },
  resolved: { label: 'resolved', icon: 'done', tone: 'good' },
};

export const stateIndicator = (alert: AlertItem): Indicator => stateIndicators[groupOf(alert)];

/** When it entered its state, and the verb for that. */
export function sinceOf({ state, active_since, fired_at, resolved_at }: AlertItem): { readonly label: string; readonly at: string } {
  if (state === 'resolved') return { label: 'resolved', at: resolved_at ?? active_since };
  return state === 'firing' ? { label: 'fired', at: fired_at ?? active_since } : { label: 'condition met', at: active_since };
}

/** Why no notifications are sent; empty if they are. */
export function suppressionReasons(alert: AlertItem, alerts: readonly AlertItem[], silences: readonly Silence[]): readonly string[] {
  const silencedBy = alert.silenced_by.map((id) => {
    const silence = silences.find((each) => each.id === id);
    return silence === undefined ? 'Covered by a silence.' : `Silenced by ${silence.created_by}: ${silence.comment}`;
  });
  const causes = alert.inhibited_by.map(
    (fingerprint) => alerts.find((each) => each.fingerprint === fingerprint)?.summary ?? 'another alert',
  );
  const inhibited = causes.length === 0 ? [] : [`Inhibited by: ${joinWords(causes)}.`];
  const acknowledged = alert.acknowledged;
  const known =
    acknowledged === undefined
      ? []
      : [`Acknowledged by ${acknowledged.by}${acknowledged.comment === undefined ? '.' : `: ${acknowledged.comment}`}`];
  return [...silencedBy, ...inhibited, ...known];
}

/** The actions that are still possible. */
export const mayAcknowledge = ({ state, acknowledged }: AlertItem): boolean => state !== 'resolved' && acknowledged === undefined;
export const mayWithdraw = ({ state, acknowledged }: AlertItem): boolean => state !== 'resolved' && acknowledged !== undefined;
export const maySilence = ({ state, silenced_by }: AlertItem): boolean => state !== 'resolved' && silenced_by.length === 0;

/** Alerts that fire, suppressed and acknowledged ones included: the same number in the navigation, on the tab and in `/metrics`. */
export const firingCount = (alerts: readonly AlertItem[]): number => alerts.filter(({ state }) => state === 'firing').length;

/** `4 firing, of which 1 acknowledged and 2 suppressed; 1 pending`; empty if there are no alerts. */
export function summaryOf(alerts: readonly AlertItem[]): string {
  const countOf = (id: GroupId): number => alerts.filter((alert) => groupOf(alert) === id).length;
  const named = (id: GroupId, label: string): readonly string[] => (countOf(id) === 0 ? [] : [`${countOf(id)} ${label}`]);
  const firing = firingCount(alerts);
  const calm = [...named('acknowledged', 'acknowledged'), ...named('quiet', 'suppressed')];
  const parts = [
    ...(firing === 0 ? [] : [`${firing} firing${calm.length === 0 ? '' : `, of which ${joinWords(calm)}`}`]),
    ...named('pending', 'pending'),
  ];
  return parts.join('; ');
}

/** Labels that are not shown elsewhere. */
export const furtherLabels = ({ labels }: AlertItem): readonly (readonly [string, string])[] =>
  Object.entries(labels).filter(([name]) => name !== 'alertname' && name !== 'severity' && name !== 'tool');

/** Firing rules first, then by name. */
export const rulesInOrder = (rules: readonly AlertRuleItem[]): readonly AlertRuleItem[] =>
  rules.toSorted((one, other) => Math.sign(other.firing) - Math.sign(one.firing) || (one.name < other.name ? -1 : 1));

/** `Calls of {tool} fail` → `Calls of a tool fail`. */
export const ruleTitle = ({ summary }: AlertRuleItem): string => {
  const text = summary.replaceAll(/\{(\w+)\}/g, 'a $1');
  return text.charAt(0).toUpperCase() + text.slice(1);
};
