/** Owns what is read out when alerts change. Pure. */
import type { AlertItem } from '@holdfast/gateway/contract';
import { count } from '../ui/format.ts';

/** `undefined`: nothing that has to be said. What fires when the page is opened is seen there, and not said. */
export function announcement(before: readonly AlertItem[] | undefined, now: readonly AlertItem[] | undefined): string | undefined {
  if (before === undefined || now === undefined) return undefined;
  const fired = firing(now).filter((alert) => !firing(before).some((known) => known.fingerprint === alert.fingerprint));
  const ended = firing(before).filter((alert) => !firing(now).some((known) => known.fingerprint === alert.fingerprint));
  const parts = [
    ...(fired.length > 3 ? [`${count(fired.length, 'alert')} fire.`] : fired.map(({ summary }) => `Alert: ${summary}.`)),
    ...(ended.length > 3 ? [`${count(ended.length, 'alert')} are resolved.`] : ended.map(({ summary }) => `Resolved: ${summary}.`)),
  ];
  return parts.length === 0 ? undefined : parts.join(' ');
}

const firing = (alerts: readonly AlertItem[]): readonly AlertItem[] =>
  alerts.filter(({ state, silenced_by }) => state === 'firing' && silenced_by.length === 0);
