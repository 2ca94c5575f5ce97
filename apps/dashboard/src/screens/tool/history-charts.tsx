/** Owns the series of a tool: how its calls ended, how long they took, where the time went, how often it was tried. */
import type { ToolHistory } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { SeriesChart } from '../../charts/series-chart.tsx';
import { count, duration, number } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { latencySeries, outcomeSeries, timeSeries, trySeries } from './history.model.ts';
import style from './tool.module.css';

const formatWhole = (value: number | null): string => (value === null ? '–' : number(value));

export function HistoryCharts({ history }: { readonly history: ToolHistory }): ReactNode {
  const { at, totals, failure } = history;
  const step = `in steps of ${duration(history.step_ms)}`;
  return (
    <div className={style['charts']}>
      <Section title="How the calls ended" note={step}>
        <SeriesChart
          summary={`${count(totals.calls, 'call')}: ${number(totals.first_try)} at the first try, ${number(totals.recovered)} recovered, ${number(failure.part)} failed.`}
          at={at}
          series={outcomeSeries(history)}
          kind="stack"
          format={formatWhole}
          legend="total"
        />
      </Section>
      <Section title="How long they took" note="over all attempts">
        <SeriesChart
          summary="Half, 95 % and 99 % of the calls took no longer than this."
          at={at}
          series={latencySeries(history)}
          kind="lines"
          format={duration}
        />
      </Section>
      <Section title="Where the time went" note="of all calls together">
        <SeriesChart
          summary="Time in attempts, waiting before retries, and waiting for a free slot."
          at={at}
          series={timeSeries(history)}
          kind="stack"
          format={duration}
          legend="total"
        />
      </Section>
      <Section title="Attempts" note="first attempts and retries">
        <SeriesChart
          summary="Attempts that were made, retries among them."
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
