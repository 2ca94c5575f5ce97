/** The charts of a tool: outcomes, latency, time spent, attempts. */
import type { ToolHistory } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { SeriesChart } from '../../charts/series-chart.tsx';
import { pluralize, formatDuration, formatNumber } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { latencySeries, outcomeSeries, timeSeries, trySeries } from './history.model.ts';
import style from './tool.module.css';

const formatWhole = (value: number | null): string => (value === null ? '–' : formatNumber(value));

export function HistoryCharts({ history }: { readonly history: ToolHistory }): ReactNode {
  const { at, totals, failure } = history;
  const step = `per ${formatDuration(history.step_ms)}`;
  return (
    <div className={style['charts']}>
      <Section title="Outcomes" note={step}>
        <SeriesChart
          summary={`${pluralize(totals.calls, 'call')}: ${formatNumber(totals.first_try)} on the first try, ${formatNumber(totals.recovered)} recovered, ${formatNumber(failure.part)} failed.`}
          at={at}
          series={outcomeSeries(history)}
          kind="stack"
          format={formatWhole}
          legend="total"
        />
      </Section>
      <Section title="Latency" note="of calls, including all attempts">
        <SeriesChart
          summary="50 %, 95 % and 99 % of the calls took at most this long."
          at={at}
          series={latencySeries(history)}
          kind="lines"
          format={formatDuration}
        />
      </Section>
      <Section title="Time spent" note="sum of all calls">
        <SeriesChart
          summary="Time spent in successful and other attempts, in backoff, and in waits, by their reason."
          at={at}
          series={timeSeries(history)}
          kind="stack"
          format={formatDuration}
          legend="total"
        />
      </Section>
      <Section title="Attempts" note="first attempts and retries">
        <SeriesChart
          summary="Attempts, including retries."
          at={at}
          series={trySeries(history)}
          kind="stack"
          format={formatWhole}
          legend="total"
        />
      </Section>
    </div>
  );
}
