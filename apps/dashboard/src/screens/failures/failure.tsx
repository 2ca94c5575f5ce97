/** One failure cluster: when it occurs, what recovers it, examples with links to their calls. */
import type { FailureCluster } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { Sparkbars } from '../../charts/sparkbars.tsx';
import { failuresPath, placeOf, toolPath, turnPath } from '../../data/routes.ts';
import { usePathSegment } from '../../data/use-url-state.ts';
import { useQuery } from '../../data/use-query.ts';
import { Badge } from '../../ui/badge.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Code, Stats } from '../../ui/parts.tsx';
import { shareOf } from '../../ui/share.model.ts';
import { Share } from '../../ui/share.tsx';
import { ErrorBox, Skeleton } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { endText, hourlyLabel, lostCalls, strategyLabel } from './failures.model.ts';
import style from './failures.module.css';

const crumbs = [{ to: failuresPath, text: 'Failures' }];

export function Failure(): ReactNode {
  const signature = usePathSegment(1);
  const { data, problem, reload } = useQuery<FailureCluster>(`/v1/failures/${encodeURIComponent(signature)}`, { everyMs: 15_000 });
  if (data === undefined) {
    return (
      <Page title="Failure" crumbs={crumbs}>
        {problem ? <ErrorBox problem={problem} onRetry={() => void reload()} /> : <Skeleton height="50vh" />}
      </Page>
    );
  }
  return (
    <Page
      title={`${data.code} of ${data.tool_id}`}
      crumbs={crumbs}
      subtitle={
        <>
          <span className="muted">
            {data.category}, {data.classification}
          </span>
          {data.is_new && (
            <Badge icon="new" tone="bad" filled>
              new
            </Badge>
          )}
        </>
      }
      actions={<Link to={toolPath(data.tool_id)}>Tool {data.tool_id}</Link>}
    >
      <Stats
        stats={[
          { name: 'Count', value: formatNumber(data.count) },
          { name: 'Calls lost', value: <Share value={lostCalls(data)} /> },
          { name: 'Last seen', value: <RelativeTime at={data.last_seen} /> },
          { name: 'First seen', value: <RelativeTime at={data.first_seen} /> },
        ]}
      />
      <Section title="Last 24 hours" note="per hour">
        <div className={style['bigBars']}>
          <Sparkbars bars={data.hourly.map((value) => [value])} fills={['--fill-failed']} label={hourlyLabel(data.hourly)} height={72} />
          <div className={style['hours']} aria-hidden="true">
            <span>24 h ago</span>
            <span>12 h ago</span>
            <span>now</span>
          </div>
        </div>
      </Section>
      <div className={style['pair']}>
        <Section title="Message">
          <Code label="Latest message" text={visibleText(data.sample)} />
          <p className="muted">
            Grouped by the pattern: <code>{visibleText(data.pattern)}</code>
          </p>
        </Section>
        <Strategies cluster={data} />
      </div>
      <Examples cluster={data} />
    </Page>
  );
}

function Strategies({ cluster: { strategies } }: { readonly cluster: FailureCluster }): ReactNode {
  return (
    <Section title="Recovery">
      {strategies.length === 0 ? (
        <p className="muted">No recovery was attempted.</p>
      ) : (
        <Table
          caption="Success rate of each strategy"
          rows={strategies}
          keyOf={({ strategy }) => strategy}
          columns={[
            { id: 'strategy', title: 'Strategy', cell: ({ strategy }) => strategyLabel(strategy) },
            {
              id: 'succeeded',
              title: 'Succeeded',
              align: 'end',
              narrow: true,
              cell: ({ tried, succeeded }) => <Share value={shareOf(succeeded, tried)} noun="attempt" interval />,
            },
          ]}
        />
      )}
    </Section>
  );
}

function Examples({ cluster: { examples } }: { readonly cluster: FailureCluster }): ReactNode {
  return (
    <Section title="Examples" note="newest first">
      {examples.length === 0 ? (
        <p className="muted">No examples are kept any more.</p>
      ) : (
        <Table
          caption="Calls with this failure"
          rows={examples}
          keyOf={({ turn_id, call_id, at }) => `${turn_id} ${call_id} ${at}`}
          columns={[
            {
              id: 'call',
              title: 'Call',
              cell: (example) => (
                <Link to={turnPath(example.turn_id, placeOf(example))}>
                  {example.call_id} of {example.turn_id}
                </Link>
              ),
            },
            { id: 'at', title: 'When', narrow: true, cell: ({ at }) => <RelativeTime at={at} /> },
            { id: 'message', title: 'Message', secondary: true, cell: ({ message }) => visibleText(message) },
            {
              id: 'end',
              title: 'End of the call',
              cell: (example) => endText(example),
            },
          ]}
        />
      )}
    </Section>
  );
}
