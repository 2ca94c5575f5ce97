/** A list of failure clusters: error, frequency, time, recovery. */
import type { FailureCluster } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { Sparkbars } from '../../charts/sparkbars.tsx';
import { failurePath, toolPath } from '../../data/routes.ts';
import { Badge } from '../../ui/badge.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { Share } from '../../ui/share.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { hourlyLabel, lostCalls, strategiesText } from './failures.model.ts';
import style from './failures.module.css';

export interface ClusterListProps {
  readonly clusters: readonly FailureCluster[];
  /** All clusters are of the same tool, so it is not repeated. */
  readonly oneTool?: boolean;
}

export function ClusterList({ clusters, oneTool = false }: ClusterListProps): ReactNode {
  return (
    <ul className={style['list']}>
      {clusters.map((cluster) => (
        <Cluster key={cluster.signature} cluster={cluster} oneTool={oneTool} />
      ))}
    </ul>
  );
}

function Cluster({ cluster, oneTool }: { readonly cluster: FailureCluster; readonly oneTool: boolean }): ReactNode {
  return (
    <li className={style['cluster']} data-signature={cluster.signature}>
      <div className={style['what']}>
        <div className={style['name']}>
          <Link to={failurePath(cluster.signature)} quiet>
            <code>{cluster.code}</code>
          </Link>
          {!oneTool && (
            <Link to={toolPath(cluster.tool_id)} quiet>
              {cluster.tool_id}
            </Link>
          )}
          <span className="muted">{cluster.classification}</span>
          {cluster.is_new && (
            <Badge icon="new" tone="bad" filled>
              new
            </Badge>
          )}
        </div>
        <p className={style['pattern']}>{visibleText(cluster.pattern)}</p>
        <p className={style['tried']}>{strategiesText(cluster.strategies)}</p>
      </div>
      <div className={style['bars']}>
        <Sparkbars
          bars={cluster.hourly.map((value) => [value])}
          fills={['--fill-failed']}
          label={hourlyLabel(cluster.hourly)}
          height={30}
        />
      </div>
      <Stats cluster={cluster} />
    </li>
  );
}

function Stats({ cluster }: { readonly cluster: FailureCluster }): ReactNode {
  return (
    <dl className={style['numbers']}>
      <div>
        <dt>Count</dt>
        <dd>{formatNumber(cluster.count)}</dd>
      </div>
      <div>
        <dt>Calls lost</dt>
        <dd>
          <Share value={lostCalls(cluster)} bare />
        </dd>
      </div>
      <div>
        <dt>Last</dt>
        <dd>
          <RelativeTime at={cluster.last_seen} />
        </dd>
      </div>
      <div>
        <dt>First</dt>
        <dd>
          <RelativeTime at={cluster.first_seen} />
        </dd>
      </div>
    </dl>
  );
}
