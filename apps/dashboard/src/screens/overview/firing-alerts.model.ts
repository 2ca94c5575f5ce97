/** Sorts firing alerts. */
import type { AlertItem, AlertSeverity } from '@holdfast/gateway/contract';

const severities: readonly AlertSeverity[] = ['critical', 'warning', 'info'];

export interface FiringSummary {
  /** Most severe first. */
  readonly loud: readonly AlertItem[];
  /** How many firing alerts are silenced or inhibited. */
  readonly quiet: number;
}

export function summarizeFiring(alerts: readonly AlertItem[]): FiringSummary {
  const firing = alerts.filter(({ state }) => state === 'firing');
  const loud = firing
    .filter(({ silenced_by, inhibited_by }) => silenced_by.length + inhibited_by.length === 0)
    .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
  return { loud, quiet: firing.length - loud.length };
}

/** The value, unless it is a plain number, which the summary already contains. */
export const informativeValue = ({ value }: AlertItem): string => (/^[\d.,]*$/u.test(value) ? '' : value);
