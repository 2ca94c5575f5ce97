/** Why retries stopped, with a link to a call for each reason. */
import type { FailureCluster, ToolHistory } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { placeOf, turnPath } from '../../data/routes.ts';
import { formatNumber, formatShortNumber } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { Share } from '../../ui/share.tsx';
import { describeStopReason } from '../../ui/stop-reasons.ts';
import { RelativeTime } from '../../ui/time.tsx';
import { groupStoppedRetries } from './history.model.ts';
import style from './tool.module.css';

export interface StoppedRetriesProps {
  readonly history: ToolHistory;
  /** Their examples include calls that are no longer among the latest failures. */
  readonly clusters: readonly FailureCluster[];
}

export function StoppedRetries({ history, clusters }: StoppedRetriesProps): ReactNode {
  const stopped = groupStoppedRetries(history.retries_denied, [
    ...history.latest_failures,
    ...clusters.flatMap(({ examples }) => examples),
  ]);
  const retries = history.retries.reduce((all, value) => all + value, 0);
  return (
    <Section
      title="Why retries stopped"
      note={
        retries === 0 ? (
          'no retries'
        ) : (
          <>
            {formatNumber(retries)} retries; <Share value={history.retry_success} noun="retried call" /> succeeded
          </>
        )
      }
    >
      {stopped.length === 0 ? (
        <p className="muted">No retries were stopped in this range.</p>
      ) : (
        <ul className={style['stopped']} data-part="stopped-retries">
          {stopped.map(({ reason, count, sentence, latest }) => (
            <li key={reason}>
              <b title={`${formatNumber(count)} times`}>{formatShortNumber(count)}×</b>
              <span>
                <strong>{describeStopReason(reason).short}.</strong> {sentence}
                {latest && (
                  <>
                    {' '}
                    <Link to={turnPath(latest.turn_id, placeOf(latest))} className={style['go'] ?? ''}>
                      View decision in {latest.call_id}, <RelativeTime at={latest.at} />
                      <Icon name="arrow" size={14} />
                    </Link>
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
