/** Sorts firing alerts. */
import type { AlertItem, AlertSeverity, ToolTile } from '@holdfast/gateway/contract';

const severities: readonly AlertSeverity[] = ['critical', 'warning', 'info'];

/** The alerts about one tool, or one alert that is about none. */
interface AlertGroup {
  /** The most severe one. */
  readonly alert: AlertItem;
  /** Further alerts about the same tool. */
  readonly others: number;
  /** Calls that the tool has lost in the last five minutes. */
  readonly lost: number;
}

export interface FiringSummary {
  /** Most severe first, then by lost calls. */
  readonly loud: readonly AlertGroup[];
  /** How many firing alerts are silenced or inhibited. */
  readonly quiet: number;
}

export function summarizeFiring(alerts: readonly AlertItem[], tools: readonly ToolTile[]): FiringSummary {
  const firing = alerts.filter(({ state }) => state === 'firing');
  const loud = firing.filter(({ silenced_by, inhibited_by }) => silenced_by.length + inhibited_by.length === 0);
  const lostBy = new Map(tools.map(({ name, failure }) => [name, failure.part]));
  const groups = new Map<string, AlertItem[]>();
  for (const alert of loud) {
    const key = alert.tool_id ?? alert.fingerprint;
    groups.set(key, [...(groups.get(key) ?? []), alert]);
  }
  const ranked = [...groups.values()].map((members) => {
    const [alert = members[0], ...others] = members.toSorted(bySeverity);
    return { alert, others: others.length, lost: lostBy.get(alert?.tool_id ?? '') ?? 0 };
  });
  return { loud: ranked.filter(isGroup).toSorted(byImpact), quiet: firing.length - loud.length };
}

const isGroup = (group: Omit<AlertGroup, 'alert'> & { readonly alert: AlertItem | undefined }): group is AlertGroup =>
  group.alert !== undefined;

const bySeverity = (one: AlertItem, other: AlertItem): number => severities.indexOf(one.severity) - severities.indexOf(other.severity);

const byImpact = (one: AlertGroup, other: AlertGroup): number => bySeverity(one.alert, other.alert) || other.lost - one.lost;

/** The value, unless it is a plain number, which the summary already contains. */
export const informativeValue = ({ value }: AlertItem): string => (/^[\d.,]*$/u.test(value) ? '' : value);
