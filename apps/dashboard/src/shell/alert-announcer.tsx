/** Owns reading out that an alert fires or is resolved: the only thing on the page that speaks by itself. */
import { type ReactNode, useRef } from 'react';
import { useLivePart } from '../data/live.tsx';
import { LiveRegion } from '../ui/parts.tsx';
import { announcement } from './announcement.ts';

export function AlertAnnouncer(): ReactNode {
  const alerts = useLivePart(({ overview }) => overview?.alerts);
  const before = useRef(alerts);
  const said = useRef('');
  if (before.current !== alerts) {
    said.current = announcement(before.current, alerts) ?? said.current;
    before.current = alerts;
  }
  return <LiveRegion text={said.current} />;
}
