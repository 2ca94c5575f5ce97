/** Owns the alerts that fire, before everything else. */
import type { AlertItem } from '@holdfast/gateway/contract';
import { memo, type ReactNode } from 'react';
import { alertPath, alertsPath, toolPath, turnPath } from '../../data/routes.ts';
import { count } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { severitySigns, Status } from '../../ui/status.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { firingAlerts, tellingValue } from './firing.model.ts';
import style from './firing.module.css';

const shown = 4;

export const Firing: (props: { readonly alerts: readonly AlertItem[] }) => ReactNode = memo(function Firing({ alerts }) {
  const { loud, quiet } = firingAlerts(alerts);
  if (loud.length + quiet === 0) return null;
  return (
    <section aria-label="Firing alerts" className={style['firing']}>
      <ul>
        {loud.slice(0, shown).map((alert) => (
          <li key={alert.fingerprint} className={style['alert']}>
            <Status sign={severitySigns[alert.severity]} />
            <Link to={alertPath(alert.fingerprint)} quiet className={style['summary'] ?? ''}>
              {alert.summary}
            </Link>
            <span className={style['value']}>
              {[tellingValue(alert), ...(alert.acknowledged ? [`seen by ${alert.acknowledged.by}`] : [])].filter(Boolean).join(' · ')}
            </span>
            <span className={style['since']}>
              <RelativeTime at={alert.fired_at ?? alert.active_since} />
              <Why alert={alert} />
            </span>
          </li>
        ))}
      </ul>
      {loud.length > shown && <Link to={alertsPath}>{count(loud.length - shown, 'more alert')}</Link>}
      {quiet > 0 && (
        <p className="muted">
          <Link to={alertsPath} quiet>
            {count(quiet, 'more alert')} kept quiet by a silence or a graver alert
          </Link>
        </p>
      )}
    </section>
  );
});

/** To what tells why it fires: its tool, or the turn it is about. */
function Why({ alert: { tool_id: tool, turn_id, call_id } }: { readonly alert: AlertItem }): ReactNode {
  if (tool !== undefined) return <Link to={toolPath(tool)}>Why</Link>;
  return turn_id === undefined ? null : <Link to={turnPath(turn_id, { call: call_id })}>Why</Link>;
}
