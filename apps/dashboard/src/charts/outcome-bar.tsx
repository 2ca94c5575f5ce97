/** A bar of call outcomes with a legend. Numbers carry the meaning, not only colours. */
import type { CallCounts } from '@holdfast/gateway/contract';
import type { ReactNode } from 'react';
import { formatNumber, formatPercent } from '../ui/format.ts';
import style from './charts.module.css';
import { outcomeParts } from './outcome-bar.model.ts';
import { Swatch } from './swatch.tsx';

export function OutcomeBar({ counts }: { readonly counts: CallCounts }): ReactNode {
  const parts = outcomeParts(counts);
  return (
    <div className={style['outcomes']}>
      <div className={style['outcomeBar']} aria-hidden="true">
        {parts.map(({ appearance, count, share }) =>
          count === 0 ? null : (
            <span
              key={appearance.id}
              className={style[appearance.pattern]}
              style={{ flexGrow: share, color: `var(${appearance.fill})` }}
              title={`${formatNumber(count)} ${appearance.label}`}
            />
          ),
        )}
      </div>
      <ul className={style['legend']}>
        {parts.map(({ appearance, count, share }) => (
          <li key={appearance.id} title={`${appearance.label}: ${appearance.meaning}`} className={count === 0 ? style['none'] : undefined}>
            <Swatch appearance={appearance} />
            <b>{formatNumber(count)}</b> {appearance.label} {count > 0 && <span className={style['share']}>{formatPercent(share)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
