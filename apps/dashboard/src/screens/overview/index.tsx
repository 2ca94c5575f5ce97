/** The overview: firing alerts, totals, tools, recent activity. */
import type { ReactNode } from 'react';
import { useLive } from '../../data/live.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Skeleton } from '../../ui/states.tsx';
import { LoginNotice } from './login-notice.tsx';
import { FiringAlerts } from './firing-alerts.tsx';
import { Changes, LatestTurns } from './recent-activity.tsx';
import style from './overview.module.css';
import { ToolTiles } from './tool-tiles.tsx';
import { Totals } from './totals.tsx';

export function Overview(): ReactNode {
  const { connection, overview, problem } = useLive();
  return (
    <Page title="Overview">
      {overview ? (
        <>
          <LoginNotice totals={overview.totals} />
          <FiringAlerts alerts={overview.alerts} tools={overview.tools} />
          <Totals totals={overview.totals} />
          <div className={style['columns']}>
            <ToolTiles tools={overview.tools} />
            <div className={style['side']}>
              <Changes changes={overview.changes} />
              <LatestTurns turns={overview.turns} />
            </div>
          </div>
        </>
      ) : connection === 'connecting' || connection === 'paused' ? (
        <>
          <Skeleton height="5.5rem" label="Loading totals" />
          <Skeleton height="60vh" label="Loading tools" />
        </>
      ) : (
        <Empty title={problem?.title ?? 'No data yet.'}>
          <p>{problem?.detail}</p>
        </Empty>
      )}
    </Page>
  );
}
