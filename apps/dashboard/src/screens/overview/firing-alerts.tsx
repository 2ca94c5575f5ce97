/** The firing alerts, at the top of the overview. */
import type { AlertItem, ToolTile } from '@holdfast/gateway/contract';
import { memo, type ReactNode } from 'react';
import { alertPath, alertsPath, toolPath, turnPath } from '../../data/routes.ts';
import { pluralize } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { severityIndicators, Status } from '../../ui/status.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { summarizeFiring, informativeValue } from './firing-alerts.model.ts';
import style from './firing-alerts.module.css';

const maxShown = 4;

interface FiringAlertsProps {
  readonly alerts: readonly AlertItem[];
  readonly tools: readonly ToolTile[];
}

export const FiringAlerts: (props: FiringAlertsProps) => ReactNode = memo(function FiringAlerts({ alerts, tools }) {
  const { loud, quiet } = summarizeFiring(alerts, tools);
  if (loud.length + quiet === 0) return null;
  return (
    <section aria-label="Firing alerts" className={style['firing']}>
      <ul>
        {loud.slice(0, maxShown).map(({ alert, others, lost }) => (
          <li key={alert.fingerprint} className={style['alert']}>
            <Status indicator={severityIndicators[alert.severity]} />
            <Link to={alertPath(alert.fingerprint)} quiet className={style['summary'] ?? ''}>
              {alert.summary}
            </Link>
            <span className={style['value']}>
              {[
                informativeValue(alert),
                lost > 0 ? `${pluralize(lost, 'call')} lost in 5 min` : '',
                others > 0 ? `${pluralize(others, 'more alert')} for this tool` : '',
                ...(alert.acknowledged ? [`acknowledged by ${alert.acknowledged.by}`] : []),
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
            <span className={style['since']}>
              <RelativeTime at={alert.fired_at ?? alert.active_since} />
              <Why alert={alert} />
            </span>
          </li>
        ))}
      </ul>
      {loud.length > maxShown && <Link to={alertsPath}>Alerts for {loud.length - maxShown} more</Link>}
      {quiet > 0 && (
        <p className="muted">
          <Link to={alertsPath} quiet>
            {pluralize(quiet, 'more alert')} silenced or inhibited
          </Link>
        </p>
      )}
    </section>
  );
});

/** A link to the cause: the tool or the turn. */
function Why({ alert: { tool_id: tool, turn_id, call_id } }: { readonly alert: AlertItem }): ReactNode {
  if (tool !== undefined) return <Link to={toolPath(tool)}>Tool {tool}</Link>;
  return turn_id === undefined ? null : <Link to={turnPath(turn_id, { call: call_id })}>Turn {turn_id}</Link>;
}
