/** The screen reader announcement when alerts change. */
import type { AlertItem } from '@holdfast/gateway/contract';
import { pluralize } from '../ui/format.ts';

/** `undefined`: nothing to announce. Alerts that already fire when the page opens are not announced. */
export function describeAlertChanges(before: readonly AlertItem[] | undefined, now: readonly AlertItem[] | undefined): string | undefined {
  if (before === undefined || now === undefined) return undefined;
  const fired = audible(now).filter((alert) => !isAmong(audible(before), alert));
  // An alert that was silenced is not resolved.
  const ended = audible(before).filter((alert) => !isAmong(firing(now), alert));
  const parts = [
    ...(fired.length > 3 ? [`${pluralize(fired.length, 'alert')} firing.`] : fired.map(({ summary }) => `Alert: ${summary}.`)),
    ...(ended.length > 3 ? [`${pluralize(ended.length, 'alert')} resolved.`] : ended.map(({ summary }) => `Resolved: ${summary}.`)),
  ];
  return parts.length === 0 ? undefined : parts.join(' ');
}

const isAmong = (alerts: readonly AlertItem[], { fingerprint }: AlertItem): boolean =>
  alerts.some((known) => known.fingerprint === fingerprint);

const firing = (alerts: readonly AlertItem[]): readonly AlertItem[] => alerts.filter(({ state }) => state === 'firing');

const audible = (alerts: readonly AlertItem[]): readonly AlertItem[] =>
  firing(alerts).filter(({ silenced_by }) => silenced_by.length === 0);
