/** Announces to screen readers that an alert fires or is resolved. Nothing else on the page announces itself. */
import { type ReactNode, useRef } from 'react';
import { useLivePart } from '../data/live.tsx';
import { LiveRegion } from '../ui/parts.tsx';
import { describeAlertChanges } from './announcement.ts';

export function AlertAnnouncer(): ReactNode {
  const alerts = useLivePart(({ overview }) => overview?.alerts);
  const before = useRef(alerts);
  const text = useRef('');
  if (before.current !== alerts) {
    text.current = describeAlertChanges(before.current, alerts) ?? text.current;
    before.current = alerts;
  }
  return <LiveRegion text={text.current} />;
}
