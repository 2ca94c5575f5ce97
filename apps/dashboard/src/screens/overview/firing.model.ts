/** Owns which firing alerts are told first. Pure. */
import type { AlertItem, AlertSeverity } from '@holdfast/gateway/contract';

const severities: readonly AlertSeverity[] = ['critical', 'warning', 'info'];

export interface FiringAlerts {
  /** The gravest first. */
  readonly loud: readonly AlertItem[];
  /** How many fire and are kept quiet, by a silence or by a graver alert. */
  readonly quiet: number;
}

export function firingAlerts(alerts: readonly AlertItem[]): FiringAlerts {
  const firing = alerts.filter(({ state }) => state === 'firing');
  const loud = firing
    .filter(({ silenced_by, inhibited_by }) => silenced_by.length + inhibited_by.length === 0)
    .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
  return { loud, quiet: firing.length - loud.length };
}

/** A bare count says nothing that the summary does not. */
export const tellingValue = ({ value }: AlertItem): string => (/^[\d.,]*$/u.test(value) ? '' : value);
