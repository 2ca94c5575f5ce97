/** The failures screen: failures, grouped into clusters. */
import type { FailureList } from '@holdfast/gateway/contract';
import { type ReactNode, useMemo } from 'react';
import { useQuery } from '../../data/use-query.ts';
import { useUrlState } from '../../data/use-url-state.ts';
import { SearchField, SelectField } from '../../ui/field.tsx';
import { pluralize } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Toolbar } from '../../ui/parts.tsx';
import { Empty, ErrorBox, Skeleton } from '../../ui/states.tsx';
import { ClusterList } from './cluster-list.tsx';
import { filterClusters, toolsOf } from './failures.model.ts';

export { Failure } from './failure.tsx';

const shape = { q: '', tool: '', sort: ['latest', 'count', 'new', 'lost'] } as const;

const orders = [
  { id: 'latest', title: 'Last seen' },
  { id: 'new', title: 'Newest' },
  { id: 'count', title: 'Most frequent' },
  { id: 'lost', title: 'Most calls lost' },
] as const;

export function Failures(): ReactNode {
  const { data, problem, reload } = useQuery<FailureList>('/v1/failures', { everyMs: 10_000 });
  return (
    <Page
      title="Failures"
      subtitle={data && <span className="muted">{pluralize(data.clusters.length, 'cluster')} of similar failures</span>}
    >
      {problem && <ErrorBox problem={problem} onRetry={() => void reload()} />}
      {data ? <Clusters list={data} /> : problem ? null : <Skeleton height="60vh" label="Loading failures" />}
    </Page>
  );
}

function Clusters({ list: { clusters } }: { readonly list: FailureList }): ReactNode {
  const [state, change] = useUrlState(shape);
  const chosen = useMemo(() => filterClusters(clusters, state), [clusters, state]);
  if (clusters.length === 0) {
    return (
      <Empty title="No failures.">
        <p>Failed attempts appear here shortly after they happen, including those that were recovered.</p>
      </Empty>
    );
  }
  return (
    <>
      <Toolbar label="Filters">
        <SearchField label="Filter by message, code or tool" value={state.q} onChange={(q) => change({ q })} />
        <SelectField
          label="Tool"
          hideLabel
          value={state.tool}
          onChange={(tool) => change({ tool })}
          options={[{ id: '', title: 'All tools' }, ...toolsOf(clusters).map((name) => ({ id: name, title: name }))]}
        />
        <SelectField label="Order" hideLabel value={state.sort} onChange={(sort) => change({ sort })} options={orders} />
      </Toolbar>
      {chosen.length === 0 ? <Empty title="No failures match." /> : <ClusterList clusters={chosen} />}
    </>
  );
}
