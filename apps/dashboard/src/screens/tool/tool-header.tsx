/** The header of a tool: the reason of its status, its key stats. */
import type { ToolDetail, ToolHistory, ToolTile } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { placeOf, turnPath } from '../../data/routes.ts';
import { classNames } from '../../ui/class-names.ts';
import { formatDuration, formatDurations, formatNumber } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { Stats } from '../../ui/parts.tsx';
import { Share } from '../../ui/share.tsx';
import { CircuitStatus } from '../../ui/status.tsx';
import { describeStopReason } from '../../ui/stop-reasons.ts';
import { RelativeTime } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { clientCircuits } from './circuit-control.model.ts';
import style from './tool.module.css';

/** The reason of the status, and the last failure. */
export function StatusReason({ tile: { status, status_reason, last_failure } }: { readonly tile: ToolTile }): ReactNode {
  return (
    <p className={classNames(style['reason'], style[status])}>
      <strong>{visibleText(status_reason)}</strong>
      {last_failure && (
        <span>
          Last failure <RelativeTime at={last_failure.at} />: <code>{last_failure.code}</code>
          {last_failure.stopped_by !== undefined && `, ${describeStopReason(last_failure.stopped_by).short}`}.{' '}
          <Link to={turnPath(last_failure.turn_id, placeOf(last_failure))}>View in turn</Link>
        </span>
      )}
    </p>
  );
}

interface ToolStatsProps {
  readonly tool: ToolDetail;
  readonly tile: ToolTile | undefined;
  readonly history: ToolHistory | undefined;
  /** Until when a server's Retry-After holds calls, ISO 8601. */
  readonly heldUntil: string | undefined;
}

export function ToolStats({ tool, tile, history, heldUntil }: ToolStatsProps): ReactNode {
  const now = tile ?? tool.health;
  const clients = clientCircuits(tool.health.clients);
  return (
    <Stats
      stats={[
        { name: 'Calls in range', value: history ? formatNumber(history.totals.calls) : '–' },
        { name: 'Failed', value: history ? <Share value={history.failure} highIsBad interval /> : '–' },
        { name: 'Retry success', value: history ? <Share value={history.retry_success} noun="retried call" bare /> : '–' },
        {
          name: 'Attempts per call',
          value: history?.attempts_per_call?.toFixed(2) ?? '–',
          detail: 'of calls that ran',
        },
        ...(history && history.totals.served > 0
          ? [{ name: 'Served for other tools', value: formatNumber(history.totals.served), detail: 'calls, as their alternative' }]
          : []),
        {
          name: 'Current p50 · p95',
          value: tile?.latency ? formatDurations(tile.latency.p50_ms, tile.latency.p95_ms) : '–',
          ...(tile?.latency ? { detail: `p99 ${formatDuration(tile.latency.p99_ms)}` } : {}),
        },
        { name: 'In flight', value: formatNumber(now.in_flight), ...(now.queued > 0 ? { detail: `+ ${now.queued} waiting` } : {}) },
        {
          name: 'Circuit',
          value: <CircuitStatus circuit={now.circuit} mode={now.mode} heldUntil={heldUntil} />,
          ...(clients === undefined ? {} : { detail: visibleText(clients) }),
        },
      ]}
    />
  );
}
