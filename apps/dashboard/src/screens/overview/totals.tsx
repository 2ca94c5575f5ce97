/** The totals of the gateway. */
import type { Totals as TotalsValue } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { OutcomeBar } from '../../charts/outcome-bar.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Stats } from '../../ui/parts.tsx';
import { shareOf } from '../../ui/share.model.ts';
import { Share } from '../../ui/share.tsx';
import style from './overview.module.css';

export function Totals({ totals }: { readonly totals: TotalsValue }): ReactNode {
  const { calls, turns_per_minute, deadlines_missed, circuits_open } = totals;
  const settled = calls.calls - calls.cancelled - calls.skipped - calls.rejected;
  return (
    <section aria-label="Last five minutes" className={style['totals']}>
      <Stats
        stats={[
          { name: 'Calls in 5 min', value: formatNumber(calls.calls) },
          { name: 'Failed', value: <Share value={shareOf(calls.failed, settled)} highIsBad /> },
          { name: 'Recovered', value: <Share value={shareOf(calls.recovered, settled)} /> },
          { name: 'Turns per minute', value: formatNumber(turns_per_minute) },
          { name: 'Deadlines missed', value: formatNumber(deadlines_missed) },
          { name: 'Circuits open or half-open', value: formatNumber(circuits_open), detail: `of ${formatNumber(totals.tools)} tools` },
        ]}
      />
      <OutcomeBar counts={calls} />
    </section>
  );
}
